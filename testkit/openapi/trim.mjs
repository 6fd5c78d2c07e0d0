// Takes from GitHub's OpenAPI description what the miniature GitHub answers, and of
// that the shapes only: no prose, no examples. `npm install && npm run trim`.
import { readFileSync, writeFileSync } from "node:fs";

const repo = "/repos/{owner}/{repo}";
const wanted = [
  repo, `${repo}/compare/{basehead}`, `${repo}/commits`, `${repo}/commits/{ref}`,
  `${repo}/commits/{commit_sha}/pulls`, `${repo}/tags`, `${repo}/git/tags/{tag_sha}`,
  `${repo}/git/matching-refs/{ref}`, `${repo}/git/ref/{ref}`, `${repo}/git/trees/{tree_sha}`,
  `${repo}/git/blobs/{file_sha}`, `${repo}/releases`,
  `${repo}/releases/latest`, `${repo}/releases/tags/{tag}`, `${repo}/pulls/{pull_number}`,
  `${repo}/issues`, `${repo}/issues/{issue_number}`, `${repo}/security-advisories`,
  "/search/issues", "/rate_limit",
];
const prose = new Set([
  "description", "summary", "externalDocs", "example", "examples", "title", "x-github",
  "x-octokit", "x-multi-segment", "tags", "operationId", "deprecated",
]);

const from = "node_modules/@octokit/openapi/generated/api.github.com.json";
const spec = JSON.parse(readFileSync(from, "utf8"));
const todo = [];
const schemas = {};

// Within `properties` every key is a field's name, so none is prose.
function shape(value, names = false) {
  if (Array.isArray(value)) return value.map((one) => shape(one));
  if (value === null || typeof value !== "object") return value;
  const out = {};
  for (const [key, inner] of Object.entries(value)) {
    if (!names && prose.has(key)) continue;
    if (key === "$ref" && typeof inner === "string") todo.push(inner.split("/").pop());
    out[key] = shape(inner, !names && key === "properties");
  }
  return out;
}

const operations = {};
for (const path of wanted) {
  operations[path] = {};
  for (const [status, answer] of Object.entries(spec.paths[path].get.responses)) {
    const whole = answer.$ref ? spec.components.responses[answer.$ref.split("/").pop()] : answer;
    const schema = whole.content?.["application/json"]?.schema;
    if (schema) operations[path][status] = shape(schema);
  }
}
while (todo.length > 0) {
  const name = todo.pop();
  schemas[name] ??= shape(spec.components.schemas[name]);
}

const lines = (map) => Object.keys(map).sort()
  .map((key) => `${JSON.stringify(key)}:${JSON.stringify(map[key])}`).join(",\n");
writeFileSync("github.json", `{"version":${JSON.stringify(spec.info.version)},\n`
  + `"operations":{\n${lines(operations)}\n},\n"schemas":{\n${lines(schemas)}\n}}\n`);
