#!/usr/bin/env bash
# What the virtual cluster costs. First 1,024 workers x 1,000 steps of DaSGD, time only, by formula: seconds. Then 64
# workers that really train LeNet: their steps a second ÷ those of one plain training loop on the same core, from runs of
# two lengths, so that starting up falls out; repetitions interleaved, median of the ratios. Needs `./lab build` and an
# idle core.
#
#   tests/bench/virtual_bench.sh      REPEATS=3 STEPS=100
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

repeats=${REPEATS:-3} steps=${STEPS:-100}
dasgd=$PWD/build/release/dasgd
folder=$(mktemp -d "${TMPDIR:-/tmp}/virtual-bench.XXXXXX")
trap 'rm -rf "$folder"' EXIT
[ -x "$dasgd" ] || { printf 'virtual_bench.sh: build first: ./lab build\n' >&2; exit 1; }

# experiment NAME WORKERS STEPS BACKEND ALGORITHM-LINES NETWORK-AND-COMPUTE-LINES
experiment() {
    cat >"$folder/$1.toml" <<TOML
name = "bench-$1"
[algorithm]
$5
[model]
name = "lenet"
[train]
steps = $3
batch_size = 16
eval_every = 1000000
[cluster]
backend = "$4"
workers = $2
[record]
trace = "summary"
$6
TOML
}

# Seconds of wall time that a run takes from its start to its end.
seconds() {
    local begin
    begin=$(date +%s%N)
    taskset -c 0 "$dasgd" run "$folder/$1.toml" --workspace "$folder/w" --quiet --json >"$folder/out" 2>&1 ||
        { cat "$folder/out" >&2; exit 1; }
    awk -v begin="$begin" -v end="$(date +%s%N)" 'BEGIN { printf "%.3f", (end - begin) / 1e9 }'
}

overlapped=$'name = "dasgd"\nperiod = 4\ndelay = 3'
given=$'[network]\nbandwidth = "10Gbps"\nlatency = "5us"\n[compute]\nstep_time = "5ms"'
experiment large 1024 1000 virtual "$overlapped" \
    $'[network]\nfidelity = "formula"\nbandwidth = "10Gbps"\nlatency = "5us"\n[compute]\nmode = "time-only"\nstep_time = "60ms"'
experiment short 64 "$steps" virtual "$overlapped" "$given"
experiment long 64 $((2 * steps)) virtual "$overlapped" "$given"
experiment plain-short 1 $((64 * steps)) threads 'name = "independent"' ""
experiment plain-long 1 $((128 * steps)) threads 'name = "independent"' ""

printf '1,024 workers x 1,000 steps, time only: %s s\n' "$(seconds large)"
for ((repeat = 1; repeat <= repeats; ++repeat)); do
    short=$(seconds short) long=$(seconds long) plain_short=$(seconds plain-short) plain_long=$(seconds plain-long)
    awk -v a="$short" -v b="$long" -v c="$plain_short" -v d="$plain_long" -v steps=$((64 * steps)) \
        'BEGIN { printf "%.4f %.1f %.1f\n", (d - c) / (b - a), steps / (b - a), steps / (d - c) }' | tee -a "$folder/ratios" >&2
done
sort -n "$folder/ratios" | awk '{ ratio[NR] = $1 } END {
    printf "64 workers: steps a second ÷ those of one plain loop  %.3f  (%.3f … %.3f)\n",
        (ratio[int((NR + 1) / 2)] + ratio[int(NR / 2) + 1]) / 2, ratio[1], ratio[NR] }'
