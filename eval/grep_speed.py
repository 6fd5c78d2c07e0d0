#!/usr/bin/env python3
"""Compare `headwater grep` with `git log -G` on the same history, in one run.

  eval/grep_speed.py --headwater BIN --store DIR --upstream NAME --git CLONE [--patterns FILE]

The clone must stand where the store's crawl found it. Each pattern is asked of both, turn by
turn; answers must be equal, commits that touch objects which the clone lacks aside. Times are
of whole processes, so only their ratio says anything about programs rather than machines.
Python 3.9 or later, standard library only.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def run(command, ok=(0,)):
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    took = time.monotonic() - begun
    if done.returncode not in ok:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout, took


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--headwater", required=True)
    parser.add_argument("--store", required=True)
    parser.add_argument("--upstream", required=True)
    parser.add_argument("--git", required=True, help="the clone that was crawled")
    parser.add_argument("--patterns", default=os.path.join(HERE, "grep-patterns.txt"))
    parser.add_argument("--rounds", type=int, default=5, help="askings of headwater a pattern; the median counts")
    args = parser.parse_args()
    ours = [args.headwater, "--store", args.store, "grep", "--upstream", args.upstream]
    told, _ = run([*ours, "--format", "json", "-e", "no_such_word_anywhere"], ok=(0, 1))
    coverage = json.loads(told)["coverage"][0]
    gaps = {gap["commit"] for gap in coverage["gaps"] if "commit" in gap}
    patterns = [line.rstrip("\n") for line in open(args.patterns, encoding="utf-8")]
    patterns = [line for line in patterns if line and not line.startswith("# ")]
    times, ratios, wrong = [], [], 0
    for pattern in patterns:
        rounds = [run([*ours, "--commits", "-e", pattern], ok=(0, 1)) for _ in range(args.rounds)]
        mine = set(rounds[0][0].split()) - gaps
        took = statistics.median(seconds for _, seconds in rounds)
        git = ["git", "-C", args.git, "log", "--no-merges", "--format=%H", "-G" + pattern, coverage["head"]]
        theirs, git_took = run(git)
        theirs = set(theirs.split()) - gaps
        times.append(took)
        ratios.append(git_took / took)
        equal = mine == theirs
        wrong += not equal
        note = "" if equal else f"  DIFFERS: {len(mine - theirs)} more, {len(theirs - mine)} fewer"
        print(f"{1000 * took:8.1f} ms {git_took:7.2f} s  x{git_took / took:<7.0f} {len(mine):5}  {pattern}{note}")
    times.sort()
    print(
        f"{args.upstream}: {len(patterns) - wrong}/{len(patterns)} equal; "
        f"median {1000 * statistics.median(times):.1f} ms, 95th {1000 * times[int(0.95 * (len(times) - 1))]:.1f} ms; "
        f"git log -G takes {statistics.median(ratios):.0f} times as long at the median, {min(ratios):.0f} at least"
    )
    sys.exit(1 if wrong else 0)


main()
