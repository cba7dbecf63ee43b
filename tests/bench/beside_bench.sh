#!/usr/bin/env bash
# What an open window costs the training: time per step of a run of one rank on one core, ÷ the same while a window on
# the other core follows it. The collector, which writes the records down, shares the core of the rank in both. Pairs in
# alternation, the first of the two by turns; the ratio of the medians. Each time per step is the run's own, of its
# clean window. Needs two cores that nobody else uses and `./lab build`: what else runs falls on both sides, and
# scatters them.
#
#   tests/bench/beside_bench.sh       PAIRS=5 STEPS=3000 PAGE=Run RANK_CORE=0 WINDOW_CORE=1 LAB=… DASGD=…
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=tests/bench/on_hosts.sh
source tests/bench/on_hosts.sh

pairs=${PAIRS:-5} steps=${STEPS:-3000} page=${PAGE:-Run} rank_core=${RANK_CORE:-0} window_core=${WINDOW_CORE:-1}
lab=${LAB:-$PWD/build/release/dasgd-lab}
results=$folder/results
[ -x "$lab" ] || die "build first: ./lab build"

# one PAIR with|without
one() {
    local workspace=$folder/$1-$2 window="" line=""
    mkdir -p "$workspace"
    if [ "$2" = with ]; then
        QT_QPA_PLATFORM=offscreen taskset -c "$window_core" "$lab" --workspace "$workspace" --page "$page" \
            >"$folder/window.log" 2>&1 &
        window=$!
        sleep 2
        kill -0 "$window" || die "the window has ended: $(tail -n 3 "$folder/window.log")"
    fi
    line=$(taskset -c "$rank_core" "$dasgd" run "$folder/lenet.toml" --workspace "$workspace" --quiet --json) || die "$line"
    if [ -n "$window" ]; then
        kill "$window"
        wait "$window" || true
    fi
    printf '%s %s %s\n' "$1" "$2" "$(number_of step_ms <<<"$line")" | tee -a "$results" >&2
}

experiment lenet $'name = "dasgd"\nperiod = 4\ndelay = 3' lenet "$steps" 1 full
for ((pair = 1; pair <= pairs; ++pair)); do
    if ((pair % 2)); then sides="without with"; else sides="with without"; fi
    for side in $sides; do one "$pair" "$side"; done
done
awk -v page="$page" -v steps="$steps" '
    { values[$2, ++count[$2]] = $3 }
    function median(side,    i, j, held, n) {
        n = count[side]
        for (i = 2; i <= n; ++i)
            for (j = i; j > 1 && values[side, j - 1] + 0 > values[side, j] + 0; --j) {
                held = values[side, j]; values[side, j] = values[side, j - 1]; values[side, j - 1] = held
            }
        return (values[side, int((n + 1) / 2)] + values[side, int(n / 2) + 1]) / 2
    }
    END {
        open = median("with"); alone = median("without")
        printf "LeNet, batch 16, one rank on one core, %d steps a run, page %s\n", steps, page
        printf "with the window %.3f ms/step (%.3f … %.3f), without %.3f (%.3f … %.3f): ratio of the medians %.3f, n = %d pairs\n",
            open, values["with", 1], values["with", count["with"]], alone, values["without", 1],
            values["without", count["without"]], open / alone, count["with"]
    }' "$results"
