#!/bin/sh
# The Monday look: fetch what is new, write the digest and the brief.
# Exit status: 3 where the rig is not what it should be, 2 where a step failed, else 0.
set -u

out=${HEADWATER_OUT:-${XDG_STATE_HOME:-$HOME/.local/state}/headwater}
mkdir -p "$out" || exit 2
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
worst=0

# Runs one step, says nothing where it went well, and keeps the worst status. The steps
# after one that failed are run all the same: a rig is looked at also without a network.
step() {
    "$@" >"$log" 2>&1
    status=$?
    [ "$status" -eq 0 ] && return
    echo "headwater-monday: '$*' ended with $status" >&2
    cat "$log" >&2
    if [ "$status" -eq 3 ] || [ "$worst" -eq 0 ]; then worst=$status; fi
}

step headwater crawl ollama
step headwater crawl ollama --notes
step headwater crawl llama.cpp
step headwater digest --since-last --format md --output "$out/digest.md"
step headwater brief --output "$out/brief.md"

if [ "$worst" -eq 3 ]; then
    echo "ALERT: the rig is not what it should be; $out/brief.md opens with why:" >&2
    head -n 1 "$out/brief.md" >&2
fi
exit "$worst"
