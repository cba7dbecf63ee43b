#!/usr/bin/env bash
# How much of the communication hides: time per step ÷ that of `independent`, which never communicates, and the hidden
# share, for ResNet-18 (BATCH=16, synthetic images) on two hosts of one core each. Then LeNet with its timeline recorded
# ÷ without. Repetitions are interleaved, so that whatever else the machine does falls on all of them alike; ratios
# within a repetition, then their median. Needs root, two free cores and `./lab build`. Names that begin with ddp are
# PyTorch's DistributedDataParallel (ddp_on_host.py), alone, with its fp16 and its quantization hook: they need PYTHON
# with torch, and report ÷ BASE as all others do.
#
#   tests/bench/overlap_bench.sh      RATE=250mbit MTU=1500 PERIOD=4 DELAY=3 REPEATS=3 STEPS=29 LENET_STEPS=1500
#                                     ALGORITHMS="independent sync_sgd local_sgd dasgd" PARTS="overlap trace"
#                                     BASE=independent PYTHON=python3
#   ALGORITHMS="sync_sgd sync_sgd-int8 ddp ddp-fp16 ddp-quantization" BASE=ddp-fp16 PARTS=overlap
#   BATCH=64 RATE=2500mbit ALGORITHMS="independent acco" PARTS=overlap
#   RATE=25mbit ALGORITHMS="independent dasgd dasgd-sign" PARTS=overlap
#   ALGORITHMS="sync_sgd zero_sgd" BASE=sync_sgd PARTS=overlap
#
# DELAY: nothing can hide where DELAY steps of `independent` are shorter than the reduction.
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=tests/bench/on_hosts.sh
source tests/bench/on_hosts.sh

rate=${RATE:-250mbit} mtu=${MTU:-1500} repeats=${REPEATS:-3} steps=${STEPS:-29} lenet_steps=${LENET_STEPS:-1500}
period=${PERIOD:-4} delay=${DELAY:-3}
parts=${PARTS:-overlap trace}
read -ra algorithms <<<"${ALGORITHMS:-independent sync_sgd local_sgd dasgd}"
results=$folder/results

# overlap_run REPEAT NAME
overlap_run() {
    local name=$2 line
    case $name in
    ddp*) line=$(ddp_on_hosts "${name#ddp}") ;;
    *) line=$(run_on_hosts 2 "$folder/$name.toml") ;;
    esac
    printf '%s %s %s %s\n' "$1" "$name" "$(number_of step_ms <<<"$line")" "$(number_of hidden <<<"$line")" |
        tee -a "$results" >&2
}

# ddp_on_hosts -HOOK: rank 0's line of JSON.
ddp_on_hosts() {
    local hook=${1#-} port=$((29600 + RANDOM % 4000)) rank other
    for rank in 1 0; do
        RANK=$rank WORLD_SIZE=2 MASTER_ADDR=10.77.0.1 MASTER_PORT=$port GLOO_SOCKET_IFNAME=eth0 OMP_NUM_THREADS=1 \
            ip netns exec "w$((rank + 1))" taskset -c "$rank" \
            "${PYTHON:-python3}" tests/bench/ddp_on_host.py "${hook:-none}" "$steps" 2>"$folder/rank$rank.log" &
        other=${other:-$!}
    done
    wait "$!" || die "rank 0 of ddp$1 failed: $(tail -n 3 "$folder/rank0.log")"
    wait "$other" || die "rank 1 of ddp$1 failed: $(tail -n 3 "$folder/rank1.log")"
}

# trace_run REPEAT NAME
trace_run() {
    local line
    line=$("$dasgd" run "$folder/$2.toml" --workspace "$folder/lenet" --quiet --json) || die "$2 failed: $line"
    printf '%s %s %s -\n' "$1" "$2" "$(number_of step_ms <<<"$line")" | tee -a "$results" >&2
}

# report BASE NAME: median over the repetitions of NAME's time per step ÷ BASE's, with the range and NAME's hidden share.
report() {
    awk -v base="$1" -v name="$2" '
        $2 == base { of_base[$1] = $3 }
        $2 == name { own[$1] = $3; hidden[$1] = $4 }
        function median(values, count) { return (values[int((count + 1) / 2)] + values[int(count / 2) + 1]) / 2 }
        function sort(values, count,    i, j, held) {
            for (i = 2; i <= count; ++i)
                for (j = i; j > 1 && values[j] < values[j - 1]; --j) { held = values[j]; values[j] = values[j - 1]; values[j - 1] = held }
        }
        END {
            for (r in own) { ++count; ratio[count] = own[r] / of_base[r]; share[count] = hidden[r] + 0; step[count] = own[r] + 0 }
            sort(ratio, count); sort(share, count); sort(step, count)
            printf "%-14s %10.1f ms/step   ÷ %s %6.3f  (%.3f … %.3f)", name, median(step, count), base, median(ratio, count), ratio[1], ratio[count]
            if (hidden[1] ~ /[0-9]/) printf "   hidden %.4f", median(share, count)
            printf "\n"
        }' "$results"
}

overlap_part() {
    local repeat name
    [ "$(id -u)" -eq 0 ] || die "shaped links need root."
    experiment independent 'name = "independent"' resnet18 "$steps" 2 full
    experiment sync_sgd 'name = "sync_sgd"' resnet18 "$steps" 2 full
    experiment local_sgd "$(printf 'name = "local_sgd"\nperiod = %d' "$period")" resnet18 "$steps" 2 full
    experiment dasgd "$(printf 'name = "dasgd"\nperiod = %d\ndelay = %d' "$period" "$delay")" resnet18 "$steps" 2 full
    experiment sync_sgd-int8 $'name = "sync_sgd"\n[compression]\nname = "int"\nbits = 8' resnet18 "$steps" 2 full
    experiment dasgd-sign "$(printf 'name = "dasgd"\nperiod = %d\ndelay = %d\n[compression]\nname = "sign"\nscheme = "shard"' \
        "$period" "$delay")" resnet18 "$steps" 2 full
    experiment zero_sgd 'name = "zero_sgd"' resnet18 "$steps" 2 full
    experiment acco 'name = "acco"' resnet18 "$steps" 2 full
    tests/support/hosts.sh up 2 "$rate" "$mtu"
    for ((repeat = 1; repeat <= repeats; ++repeat)); do
        for name in "${algorithms[@]}"; do overlap_run "$repeat" "$name"; done
    done
    tests/support/hosts.sh down
    printf 'ResNet-18, batch %d, two hosts of one core, link %s, frames of %d bytes, period %d, delay %d, %d repetitions of %d steps\n' \
        "${BATCH:-16}" "$rate" "$mtu" "$period" "$delay" "$repeats" "$steps"
    for name in "${algorithms[@]}"; do report "${BASE:-independent}" "$name"; done
}

trace_part() {
    local repeat workers trace
    for workers in 1 2; do
        for trace in off full; do
            experiment "lenet-$workers-$trace" $'name = "dasgd"\nperiod = 4\ndelay = 3' lenet "$lenet_steps" "$workers" "$trace"
        done
    done
    for ((repeat = 1; repeat <= 2 * repeats + 1; ++repeat)); do
        for workers in 1 2; do
            trace_run "$repeat" "lenet-$workers-off"
            trace_run "$repeat" "lenet-$workers-full"
        done
    done
    printf 'LeNet, batch %d, DaSGD; timeline recorded ÷ not, one worker and two\n' "${BATCH:-16}"
    for workers in 1 2; do report "lenet-$workers-off" "lenet-$workers-full"; done
}

for part in $parts; do
    case "$part" in
    overlap) overlap_part ;;
    trace) trace_part ;;
    *) die "PARTS holds '$part'; known: overlap trace" ;;
    esac
done
