#!/usr/bin/env bash
# Shows how many files are edited to add an algorithm, a model, a data set, an optimiser, a schedule, a graph, a
# compressor, a backend, a topology, a command and a page: none. In a copy of the last commit it adds a file and its
# test for each (the algorithm and its test are those of README.md, in a new folder; the others are in
# tests/support/templates), writes the golden trajectory, and runs the new tests and every test over a registry. `./lab
# test --full` runs it.
#   tests/bench/add_one_of_each.sh [folder of the copy]      # builds what the compiler cache does not have
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=${1:-$(mktemp -d)/dasgd}
git clone -q "$root" "$copy"
[ -e "$root/.deps" ] && ln -s "$(readlink -f "$root/.deps")" "$copy/.deps"
cd "$copy"
export QT_QPA_PLATFORM=offscreen CCACHE_DEPEND=1

new_tests=()
add() { # FOLDER NAME: a plug-in and its test, from standard input and the file descriptor 3
    mkdir -p "$1" "tests/$1"
    cat >"$1/$2.cpp"
    cat <&3 >"tests/$1/$2_test.cpp"
    new_tests+=("tests/$1/$2_test.cpp")
    echo "added $1/$2.cpp and tests/$1/$2_test.cpp"
}
readme_block() { awk -v want="$1" '/^```cpp$/ { inside = ++block == want; next } /^```/ { inside = 0 } inside' README.md; }
add core/algorithms/doubling doubling < <(readme_block 1) 3< <(readme_block 2)
while read -r folder kind; do
    add "$folder" "extra_$kind" <"tests/support/templates/$kind.cpp" 3<"tests/support/templates/$kind.test.cpp"
done <<'PLUGINS'
core/models model
core/datasets dataset
core/optimizers optimizer
core/schedules schedule
core/graphs graph
core/compression/operators compressor
core/backends backend
core/sim/topologies topology
experiments/commands command
gui/extra page
PLUGINS

cmake --preset release >/dev/null
# Files of tests that look at every entry of a registry, at what the programs describe, or at every file of the tree.
mapfile -t over_registries < <(grep -rlE --include='*_test.cpp' \
    'Registry(<\w+>)?::(entries|names)\(|trials?That|trainingAlgorithms|backendNames|Trial::(list|thatTrain)|describeExperiment|"describe"|everyViolation' tests)
declare -A filters # by program: the suites of these files
for file in "${new_tests[@]}" "${over_registries[@]}"; do
    # Sources are compiled several at a time: the file that names this one is called after its program.
    compiled=$(grep -rlF --include='*_[0-9]*.cpp' "\"$file\"" build/release/tests | head -1 || true)
    if [ -z "$compiled" ]; then # the window or the GPU module is not built here
        echo "$file is in no program"
        continue
    fi
    program=$(sed 's/.*\///; s/_[0-9]*\.cpp$//' <<<"$compiled")
    while read -r suite; do
        filters[$program]+="$suite.*:*/$suite.*:"
    done < <(grep -oE '^TEST(_P|_F)?\(\w+' "$file" | sed 's/.*(//' | sort -u)
done

build() {
    cmake --build build/release -j "${JOBS:-2}" --target "$@" >build.log 2>&1 || {
        grep -m 1 -A 40 '^FAILED' build.log || tail -40 build.log
        exit 1
    }
}
build core_algorithms_test
build/release/tests/core_algorithms_test --write-goldens --gtest_brief=1 >goldens.log || { tail -40 goldens.log && exit 1; }
echo "edited: $(git diff --name-only | wc -l) files; added: $(git status --porcelain -uall -- core experiments gui tests | grep -c '^??')"
build dasgd dasgd-lab dasgd_on_stand_ins "${!filters[@]}"

passed=0 failed=0
for program in "${!filters[@]}"; do
    build/release/tests/"$program" --isolate --gtest_filter="${filters[$program]}" >tests.log 2>&1 || true
    read -r ours theirs < <(sed -n 's/^isolated tests: \([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p' tests.log)
    passed=$((passed + ${ours:-0})) failed=$((failed + ${theirs:-1}))
    [ "${theirs:-1}" = 0 ] || sed "s/^/$program: /" tests.log | head -200
done
described=$(build/release/dasgd describe && build/release/dasgd --help && build/release/dasgd-lab --help)
for name in doubling extra_{model,dataset,optimizer,schedule,graph,compressor,backend,topology} extra-command Extra; do
    grep -q -- "$name" <<<"$described" || { echo "the programs do not show $name" && failed=$((failed + 1)); }
done
echo "tests over registries and of what was added, in ${#filters[@]} programs: $passed passed, $failed failed"
[ "$failed" = 0 ]
