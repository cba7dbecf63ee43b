#!/usr/bin/env bash
# For benchmarks that run ranks on the hosts of tests/support/hosts.sh; to be sourced. Sets `dasgd` and `folder`, which
# goes away with the hosts when the benchmark ends. KEEP=FOLDER has the recorded runs moved there first.
set -euo pipefail

dasgd=${DASGD:-$PWD/build/release/dasgd}
folder=$(mktemp -d "${TMPDIR:-/tmp}/dasgd-bench.XXXXXX")

die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

[ -x "$dasgd" ] || die "build first: ./lab build"
[ "$(nproc)" -ge 2 ] || die "two cores are needed, one a host."

clean_up() {
    tests/support/hosts.sh down 2>/dev/null || true
    [ -z "${KEEP:-}" ] || { mkdir -p "$KEEP" && cp -r "$folder"/* "$KEEP"; }
    rm -rf "$folder"
}
trap clean_up EXIT

# experiment NAME ALGORITHM-LINES MODEL STEPS WORKERS TRACE
experiment() {
    local data=synthetic
    [ "$3" = resnet18 ] || data=mnist
    cat >"$folder/$1.toml" <<TOML
name = "bench-$1"
[algorithm]
$2
[model]
name = "$3"
[data]
name = "$data"
[train]
steps = $4
batch_size = ${BATCH:-16}
eval_every = 1000000
[optimizer]
name = "sgd"
learning_rate = 0.01
momentum = 0.9
[cluster]
backend = "gloo"
workers = $5
[record]
trace = "$6"
TOML
}

# The number that one line of JSON gives a key.
number_of() { sed -n "s/.*\"$1\":[ ]*\([0-9.eE+-]*\).*/\1/p" | tail -n 1; }
text_of() { sed -n "s/.*\"$1\":[ ]*\"\([^\"]*\)\".*/\1/p" | tail -n 1; }

# rank_by_hand RANK WORLD FILE: one rank on its own host, on one core, as on a real cluster. All hosts see one workspace.
rank_by_hand() {
    RANK=$1 WORLD_SIZE=$2 LOCAL_RANK=0 MASTER_ADDR=10.77.0.1 MASTER_PORT=$port DASGD_INTERFACE=eth0 OMP_NUM_THREADS=1 \
        ip netns exec "w$(($1 + 1))" taskset -c "$(($1 % $(nproc)))" \
        "$dasgd" worker "$3" --workspace "$folder/workspace" --json
}

# run_on_hosts WORLD FILE: its line of JSON.
run_on_hosts() {
    local world=$1 file=$2 rank others=() other port=$((29600 + RANDOM % 4000))
    for ((rank = 1; rank < world; ++rank)); do
        rank_by_hand "$rank" "$world" "$file" >"$folder/rank$rank.log" 2>&1 &
        others+=($!)
    done
    rank_by_hand 0 "$world" "$file" 2>"$folder/rank0.log" || die "rank 0 of $file failed: $(tail -n 3 "$folder/rank0.log")"
    for other in "${others[@]}"; do wait "$other" || die "a rank of $file failed: $(tail -n 3 "$folder"/rank*.log)"; done
}
