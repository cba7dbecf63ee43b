#!/usr/bin/env bash
# What the virtual cluster predicts ÷ what the same experiment then takes: ResNet-18 on hosts with shaped links. Each
# cluster is calibrated once, then every algorithm is predicted from that and really run. Needs root, two free cores and
# `./lab build`.
#
#   tests/bench/prediction_bench.sh      HOSTS="2 4" RATES="100mbit 250mbit" STEPS=19 SYNC_STEPS=13 DELAYS="0 1 2 3 4"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=tests/bench/on_hosts.sh
source tests/bench/on_hosts.sh

steps=${STEPS:-19} sync_steps=${SYNC_STEPS:-13}
read -ra counts <<<"${HOSTS:-2 4}"
read -ra rates <<<"${RATES:-100mbit 250mbit}"
read -ra delays <<<"${DELAYS:-0 1 2 3 4}"
[ "$(id -u)" -eq 0 ] || die "shaped links need root."

# compare NAME ALGORITHM-LINES STEPS: one row of the table.
compare() {
    local name=$1 measured predicted
    experiment "$name" "$2" resnet18 "$3" "$count" full
    predicted=$("$dasgd" run "$folder/$name.toml" --platform "$folder/platform.toml" --set compute.mode=time-only \
        --workspace "$folder/predicted" --json --quiet | number_of step_ms)
    measured=$(run_on_hosts "$count" "$folder/$name.toml" | number_of step_ms)
    awk -v name="$name" -v count="$count" -v rate="$rate" -v p="$predicted" -v m="$measured" \
        'BEGIN { printf "%d hosts  %-8s %-14s predicted %8.1f ms  measured %8.1f ms  ÷ %.3f\n", count, rate, name, p, m, p / m }'
}

for count in "${counts[@]}"; do
    for rate in "${rates[@]}"; do
        tests/support/hosts.sh up "$count" "$rate"
        experiment probe 'name = "independent"' resnet18 9 "$count" full
        "$dasgd" calibrate "$folder/probe.toml" --experiment >"$folder/calibrating.toml"
        calibrated=$(run_on_hosts "$count" "$folder/calibrating.toml" | text_of run_id)
        "$dasgd" calibrate --run "$calibrated" --workspace "$folder/workspace" -o "$folder/platform.toml"
        compare independent 'name = "independent"' "$steps"
        compare sync_sgd 'name = "sync_sgd"' "$sync_steps"
        compare local_sgd $'name = "local_sgd"\nperiod = 4' "$steps"
        for delay in "${delays[@]}"; do
            compare "dasgd-d$delay" $'name = "dasgd"\nperiod = 4\ndelay = '"$delay" "$steps"
        done
        tests/support/hosts.sh down
    done
done
