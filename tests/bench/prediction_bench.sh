#!/usr/bin/env bash
# What the virtual cluster predicts ÷ what the same experiment then takes: ResNet-18 on hosts with shaped links. Each
# cluster is calibrated once, then every algorithm is predicted from that and really run; then the setting that
# `dasgd advise` recommends for it, beside `independent`. Needs root, two free cores and `./lab build`.
#
#   tests/bench/prediction_bench.sh      HOSTS="2 4" RATES="100mbit 250mbit" STEPS=19 SYNC_STEPS=13 DELAYS="0 1 2 3 4"
#                                        PARTS="table advised" REPEATS=3
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=tests/bench/on_hosts.sh
source tests/bench/on_hosts.sh

steps=${STEPS:-19} sync_steps=${SYNC_STEPS:-13}
parts=${PARTS:-table advised} repeats=${REPEATS:-3}
read -ra counts <<<"${HOSTS:-2 4}"
read -ra rates <<<"${RATES:-100mbit 250mbit}"
read -ra delays <<<"${DELAYS:-0 1 2 3 4}"
[ "$(id -u)" -eq 0 ] || die "shaped links need root."
for part in $parts; do
    case "$part" in
    table | advised) ;;
    *) die "PARTS holds '$part'; known: table advised" ;;
    esac
done

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

table_part() {
    compare independent 'name = "independent"' "$steps"
    compare sync_sgd 'name = "sync_sgd"' "$sync_steps"
    compare local_sgd $'name = "local_sgd"\nperiod = 4' "$steps"
    for delay in "${delays[@]}"; do
        compare "dasgd-d$delay" $'name = "dasgd"\nperiod = 4\ndelay = '"$delay" "$steps"
    done
}

# Advised and independent in turn, so that whatever else the machine does falls on both; the median of the ratios. With
# a snapshot at step 0 the steps that are timed, all but the first 3, hold two whole rounds.
advised_part() {
    local json period delay repeat alone advised line
    experiment target 'name = "dasgd"' resnet18 1000 "$count" full
    json=$("$dasgd" advise "$folder/target.toml" --platform "$folder/platform.toml" --workspace "$folder/predicted" --json --quiet)
    period=$(sed -n 's/.*"advice":{[^}]*"period":\([0-9]*\).*/\1/p' <<<"$json")
    delay=$(sed -n 's/.*"advice":{[^}]*"delay":\([0-9]*\).*/\1/p' <<<"$json")
    experiment alone 'name = "independent"' resnet18 "$((3 + 2 * period))" "$count" full
    experiment advised $'name = "dasgd"\nlocal_weight = 0.0\ncorrection = 1.0\nsnapshot_at_zero = true\nperiod = '"$period"$'\ndelay = '"$delay" \
        resnet18 "$((3 + 2 * period))" "$count" full
    for ((repeat = 1; repeat <= repeats; ++repeat)); do
        alone=$(run_on_hosts "$count" "$folder/alone.toml" | number_of step_ms)
        line=$(run_on_hosts "$count" "$folder/advised.toml")
        advised=$(number_of step_ms <<<"$line")
        awk -v a="$advised" -v i="$alone" -v h="$(number_of hidden <<<"$line")" 'BEGIN { print a / i, h, a, i }'
    done | sort -g | awk -v count="$count" -v rate="$rate" -v period="$period" -v delay="$delay" '
        { ratio[NR] = $1; hidden[NR] = $2; advised[NR] = $3; alone[NR] = $4 }
        END {
            middle = int((NR + 1) / 2)
            printf "%d hosts  %-8s advised period=%d delay=%d: %.1f ms, alone %.1f ms, ÷ %.3f (%.3f … %.3f)  hidden %.4f\n", \
                count, rate, period, delay, advised[middle], alone[middle], ratio[middle], ratio[1], ratio[NR], hidden[middle]
        }'
}

for count in "${counts[@]}"; do
    for rate in "${rates[@]}"; do
        tests/support/hosts.sh up "$count" "$rate"
        experiment probe 'name = "independent"' resnet18 9 "$count" full
        "$dasgd" calibrate "$folder/probe.toml" --experiment >"$folder/calibrating.toml"
        calibrated=$(run_on_hosts "$count" "$folder/calibrating.toml" | text_of run_id)
        "$dasgd" calibrate --run "$calibrated" --workspace "$folder/workspace" -o "$folder/platform.toml"
        for part in $parts; do "${part}_part"; done
        tests/support/hosts.sh down
    done
done
