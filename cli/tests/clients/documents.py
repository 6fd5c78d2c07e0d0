"""Holds documents that headwater printed against its JSON schemas.

documents.py SCHEMAS DOCUMENTS

SCHEMAS is docs/schemas; DOCUMENTS is the directory that the tests were given as
HEADWATER_TEST_DOCUMENTS. Published schemas allow fields that they do not name, since a later
version may add some; here every field must be named.
"""

import json
import pathlib
import sys

from jsonschema import Draft202012Validator

# Kinds of which the tests print no document.
NOT_PRINTED = set()


def closed(schema, inside=False):
    """The schema, refusing fields that it does not name."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    out = {}
    for name, value in schema.items():
        if name in ("properties", "$defs"):
            out[name] = {key: closed(one) for key, one in value.items()}
        elif name in ("const", "enum", "required"):
            out[name] = value
        else:
            out[name] = closed(value)
    if "properties" in out and "additionalProperties" not in out:
        out["unevaluatedProperties"] = False
    return out


def main():
    schemas, documents = map(pathlib.Path, sys.argv[1:])
    validators = {}
    for path in schemas.glob("*.json"):
        schema = json.loads(path.read_text())
        Draft202012Validator.check_schema(schema)
        validators[schema["title"]] = Draft202012Validator(closed(schema))
    wrong, seen = 0, {name: 0 for name in validators}
    for path in sorted(documents.glob("*.*json")):
        # A stream has a document a line, the last of which names the schema of all.
        text = path.read_text()
        lines = text.strip("\n").split("\n") if path.suffix == ".ndjson" else [text]
        printed = [json.loads(line) for line in lines]
        name = printed[-1]["schema"]
        if name not in validators:
            print(f"{path.name}: there is no schema for {name}")
            wrong += 1
            continue
        seen[name] += 1
        errors = (error for one in printed for error in validators[name].iter_errors(one))
        for error in list(errors)[:3]:
            where = "/".join(map(str, error.absolute_path))
            print(f"{path.name}: {where}: {error.message[:300]}")
            wrong += 1
    unseen = {name for name, count in seen.items() if count == 0} - NOT_PRINTED
    for name in sorted(unseen):
        print(f"no test printed a {name}")
    print(f"{sum(seen.values())} documents of {len(seen) - len(unseen)} kinds, {wrong} faults")
    sys.exit(1 if wrong or unseen else 0)


if __name__ == "__main__":
    main()
