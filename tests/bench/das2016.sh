#!/usr/bin/env bash
# The tables of experiments/suites/das2016.md, from runs of the suite: the speed-up of each row, and how it moves when an
# assumed constant moves by a fifth either way. Needs `./lab build`; takes some minutes.
#
#   tests/bench/das2016.sh >tables.md
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

suite=experiments/suites/das2016.toml
dasgd=$PWD/build/release/dasgd
folder=$(mktemp -d "${TMPDIR:-/tmp}/das2016.XXXXXX")
trap 'rm -rf "$folder"' EXIT
[ -x "$dasgd" ] || { printf 'das2016.sh: build first: ./lab build\n' >&2; exit 1; }

# Row, workers and speed-up of the suite, edited by sed as told: a line each, in the suite's order.
speed_ups() {
    sed -E "${1:-}" "$suite" >"$folder/suite.toml"
    [ -z "${1:-}" ] || ! cmp -s "$suite" "$folder/suite.toml" || { printf 'das2016.sh: nothing to edit: %s\n' "$1" >&2; exit 1; }
    "$dasgd" run "$folder/suite.toml" --workspace "$folder/w" --quiet --json >"$folder/out" 2>"$folder/err" ||
        { cat "$folder/err" >&2; exit 1; }
    awk 'function field(name) {
            match($0, "\"" name "\":(\"[^\"]*\"|[^,}]*)")
            value = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
            gsub("\"", "", value)
            return value
         }
         { row = field("experiment"); sub("das2016: ", "", row); workers = field("workers"); ms = field("step_ms") }
         workers == 1 { one[row] = ms; next }
         { printf "%s\t%d\t%.4f\n", row, workers, one[row] / ms }' "$folder/out"
}

# What the paper has, in the suite's order.
published=(90 53 14 42 6.5)
speed_ups >"$folder/base"

printf '| row | nodes | published | here | here ÷ published |\n| --- | --- | --- | --- | --- |\n'
paste "$folder/base" <(printf '%s\n' "${published[@]}") |
    awk -F'\t' '{ printf "| %s | %d | %s | %.1f | %.2f |\n", $1, $2, $4, $3, $3 / $4 }'

# vary TITLE EDIT-FOR-LESS EDIT-FOR-MORE: how every speed-up changes, in per cent.
vary() {
    speed_ups "$2" >"$folder/less"
    speed_ups "$3" >"$folder/more"
    paste "$folder/base" "$folder/less" "$folder/more" |
        awk -F'\t' -v title="$1" '
            BEGIN { printf "| %s |", title }
            { printf " %+.1f / %+.1f |", ($6 / $3 - 1) * 100, ($9 / $3 - 1) * 100 }
            END { printf "\n" }'
}

printf '\n| constant: less / more |'
awk -F'\t' '{ printf " %s |", $1 } END { printf "\n| --- | --- | --- | --- | --- | --- |\n" }' "$folder/base"
vary 'compute efficiency: 0.56 / 0.84' 's/efficiency = 0.7 /efficiency = 0.56 /' 's/efficiency = 0.7 /efficiency = 0.84 /'
vary 'network efficiency: 0.4 / 0.6' 's/efficiency = 0.5 /efficiency = 0.4 /' 's/efficiency = 0.5 /efficiency = 0.6 /'
vary 'jitter: normal(0.064) / normal(0.096)' 's/normal\(0.08\)/normal(0.064)/' 's/normal\(0.08\)/normal(0.096)/'
vary 'ov: 0 / 0.2' '1i # as it is' 's/overlap = 0.0/overlap = 0.2/'
vary 'AVX clock of c4.8xlarge: 2.0 / 3.0 GHz' 's/(compute.device = "c4.8xlarge")/\1\ncompute.peak_tflops = 1.152/' \
    's/(compute.device = "c4.8xlarge")/\1\ncompute.peak_tflops = 1.728/'
vary 'latency of AWS: 40 / 60 us' 's/"50us"/"40us"/' 's/"50us"/"60us"/'
vary 'latency of InfiniBand: 1.2 / 1.8 us' 's/"1.5us"/"1.2us"/' 's/"1.5us"/"1.8us"/'
vary 'batch of AWS: 208 / 304' '/on aws/,+2 { s/size = 256/size = 208/; s/size = 16/size = 13/ }' \
    '/on aws/,+2 { s/size = 256/size = 304/; s/size = 16/size = 19/ }'
vary 'batch of CD-DNN: 816 / 1,232' 's/batch_size = 1024/batch_size = 816/; s/batch_size = 64/batch_size = 51/' \
    's/batch_size = 1024/batch_size = 1232/; s/batch_size = 64/batch_size = 77/'
vary 'width of CD-DNN: 1,638 / 2,458' 's/2048/1638/g' 's/2048/2458/g'
