#!/usr/bin/env bash
# Builds the preset fuzz and feeds every target, or those that are named, for so many seconds: first its corpus, then
# what libFuzzer makes of it. Two run at a time. An input that ends a program is named and kept; then the status is 1.
#
#   tests/fuzz/run.sh [SECONDS [TARGET…]]   default: 60 seconds, every target
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

time=${1:-60}
targets=("${@:2}")
[ "${#targets[@]}" -gt 0 ] || mapfile -t targets < <(ls tests/fuzz/corpus)

die() {
    printf 'run.sh: %s\n' "$*" >&2
    exit 2
}

[[ $time =~ ^[1-9][0-9]*$ ]] || die "'$time' is no number of seconds"
for target in "${targets[@]}"; do
    [ -f "tests/fuzz/${target}_fuzz.cpp" ] || die "there is no target '$target'; there are: $(ls -x -w 200 tests/fuzz/corpus)"
done

# Bytes of the longest input that is tried: enough for what the format has to say, and few enough to be quick.
longest() {
    case "$1" in
    journal) echo 8704 ;;  # two segments of the least size, and some
    lab_db) echo 1024 ;;
    *) echo 4096 ;;
    esac
}

if [ ! -f build/fuzz/build.ninja ] || [ CMakePresets.json -nt build/fuzz/build.ninja ]; then
    cmake --preset fuzz >&2 || die "CMake could not configure the preset fuzz: the lines above say why"
    touch build/fuzz/build.ninja
fi
cmake --build --preset fuzz -j "${FUZZ_JOBS:-$(nproc)}" >&2 || die "the preset fuzz does not build: the first error is above"

found=$PWD/build/fuzz/found
mkdir -p "$found"
# Files that the targets write are many and short-lived.
memory=/dev/shm
[ -w "$memory" ] || memory=${TMPDIR:-/tmp}
scratch=$(mktemp -d "$memory/dasgd-fuzz.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

fuzz() {
    local target=$1 status=0
    mkdir -p "$scratch/$target/new" "$scratch/$target/tmp"
    TMPDIR=$scratch/$target/tmp "build/fuzz/fuzz/$target" -max_total_time="$time" -timeout=10 -rss_limit_mb=2048 \
        -max_len="$(longest "$target")" -print_final_stats=1 -artifact_prefix="$found/$target-" \
        "$scratch/$target/new" "tests/fuzz/corpus/$target" >"$scratch/$target/log" 2>&1 || status=$?
    printf '%d\n' "$status" >"$scratch/$target/status"
}

for target in "${targets[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n || true; done
    fuzz "$target" &
done
wait

failed=0
for target in "${targets[@]}"; do
    log=$scratch/$target/log
    if [ "$(cat "$scratch/$target/status")" -eq 0 ]; then
        printf '%-14s %s; %s\n' "$target" "$(grep -m 1 '^Done' "$log" || true)" \
            "$(grep -o 'cov: [0-9]* ft: [0-9]*' "$log" | tail -n 1 || true)"
        continue
    fi
    failed=1
    cp "$log" "$found/$target.log"
    grep -vE '^(#[0-9]+.(NEW|REDUCE|RELOAD|pulse|INITED)|INFO: )' "$log" | tail -n 60 >&2
    printf 'FAILED: %s: %s\n' "$target" "$(grep -o 'Test unit written to .*' "$log" || echo "its output is in $found/$target.log")"
done
exit "$failed"
