#!/usr/bin/env python3
"""Compare `headwater grep` with `git log -G` on the same history, in one run.

  eval/grep_speed.py --headwater BIN --store DIR --clone ollama=DIR --clone llama.cpp=DIR

The clones must stand where the store's crawl found them. Each pattern is asked of both, turn
by turn; answers must be equal, commits that touch objects which the clone lacks aside. Then
patterns that no index narrows down are asked of all upstreams at once, so that every patch
is read. Times are of whole processes in a warm page cache, so only their ratio says anything
about programs rather than machines; that of processor time says it on a busy machine too.
Python 3.9 or later, standard library only.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def run(command, ok=(0,)):
    """Gives what it printed, the seconds it took, and those of processors."""
    begun, before = time.monotonic(), processors()
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    took, busy = time.monotonic() - begun, processors() - before
    if done.returncode not in ok:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout, took, busy


def processors():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ask_both(options, name, clone, patterns):
    """Asks each pattern of headwater and of git; gives the times of the one, and the ratios."""
    ours = [options.headwater, "--store", options.store, "grep", "--upstream", name]
    told, *_ = run([*ours, "--format", "json", "-e", "no_such_word_anywhere"], ok=(0, 1))
    coverage = json.loads(told)["coverage"][0]
    gaps = {gap["commit"] for gap in coverage["gaps"] if "commit" in gap}
    times, ratios, busy, wrong = [], [], [], 0
    for pattern in patterns:
        rounds = [run([*ours, "--commits", "-e", pattern], ok=(0, 1)) for _ in range(options.rounds)]
        mine = set(rounds[0][0].split()) - gaps
        took = statistics.median(seconds for _, seconds, _ in rounds)
        git = ["git", "-C", clone, "log", "--no-merges", "--format=%H", "-G" + pattern, coverage["head"]]
        theirs, git_took, git_busy = run(git)
        theirs = set(theirs.split()) - gaps
        times.append(took)
        ratios.append(git_took / took)
        busy.append(git_busy / max(0.001, statistics.median(busy for *_, busy in rounds)))
        equal = mine == theirs
        wrong += not equal
        note = "" if equal else f"  DIFFERS: {len(mine - theirs)} more, {len(theirs - mine)} fewer"
        print(f"{1000 * took:8.1f} ms {git_took:7.2f} s  x{git_took / took:<7.0f} {len(mine):5}  {pattern}{note}", flush=True)
    print(f"{name}: {len(patterns) - wrong}/{len(patterns)} equal; {summary(times, ratios)}; {statistics.median(busy):.0f} times the processor time", flush=True)
    return times, ratios, wrong


def summary(times, ratios):
    times = sorted(times)
    return (
        f"median {1000 * statistics.median(times):.1f} ms, 95th {1000 * times[int(0.95 * (len(times) - 1))]:.1f} ms; "
        f"git log -G takes {statistics.median(ratios):.0f} times as long at the median, {min(ratios):.0f} at least"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--headwater", required=True)
    parser.add_argument("--store", required=True)
    parser.add_argument("--clone", action="append", default=[], metavar="UPSTREAM=DIR", help="a clone that was crawled")
    parser.add_argument("--patterns", default=os.path.join(HERE, "grep-patterns.txt"))
    parser.add_argument("--scans", default=os.path.join(HERE, "grep-scans.txt"))
    parser.add_argument("--rounds", type=int, default=5, help="askings of headwater a pattern; the median counts")
    options = parser.parse_args()
    times, ratios, wrong = [], [], 0
    for clone in options.clone:
        name, _, directory = clone.partition("=")
        more = ask_both(options, name, directory, lines(options.patterns))
        times, ratios, wrong = times + more[0], ratios + more[1], wrong + more[2]
    if times:
        print(f"all: {summary(times, ratios)}")
    for pattern in lines(options.scans):
        command = [options.headwater, "--store", options.store, "grep", "--commits", "-e", pattern]
        rounds = [run(command, ok=(0, 1)) for _ in range(options.rounds)]
        took = statistics.median(seconds for _, seconds, _ in rounds)
        print(f"{1000 * took:8.1f} ms  {len(rounds[0][0].split()):5} commits  every patch is read: {pattern}", flush=True)
    sys.exit(1 if wrong else 0)


def lines(path):
    with open(path, encoding="utf-8") as file:
        kept = [line.rstrip("\n") for line in file]
    return [line for line in kept if line and not line.startswith("# ")]


main()
