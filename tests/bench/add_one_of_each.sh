#!/usr/bin/env bash
# Shows what it takes to add an algorithm, a model, a data set, an optimiser, a schedule, a command and a page: in a copy
# of the tree it adds a file and its test for each, from tests/support/templates, builds both programs and the tests of
# the tree's shape, and asks the programs for what was added. Nothing that was there is edited.
#   tests/bench/add_one_of_each.sh [folder of the copy]      # takes as long as a build; run by hand
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=${1:-$(mktemp -d)/dasgd}
git clone -q "$root" "$copy"
[ -e "$root/.deps" ] && ln -s "$(readlink -f "$root/.deps")" "$copy/.deps"
cd "$copy"

# add FOLDER TEMPLATE NAME HEADER CHECK: the plug-in, and a test in the mirror that finds it.
add() {
    local file=$1/extra_$2.cpp test=tests/$1/extra_$2_test.cpp
    cp "tests/support/templates/$2.cpp" "$file"
    printf '#include <gtest/gtest.h>\n\n%s\n\nnamespace {\n\nTEST(%s, IsRegistered) { EXPECT_TRUE(%s); }\n\n}  // namespace\n' \
        "#include \"$3\"" "Extra${2^}" "$4" >"$test"
    echo "added $file and $test"
}
add core/algorithms algorithm core/algorithms/algorithm.h 'dasgd::AlgorithmRegistry::find("extra_algorithm")'
add core/models model core/models/model.h 'dasgd::ModelRegistry::find("extra_model")'
add core/datasets dataset core/datasets/dataset.h 'dasgd::DatasetRegistry::find("extra_dataset")'
add core/optimizers optimizer core/optimizers/optimizer.h 'dasgd::OptimizerRegistry::find("extra_optimizer")'
add core/schedules schedule core/schedules/schedule.h 'dasgd::ScheduleRegistry::find("extra_schedule")'
[ -e tests/support/templates/backend.cpp ] &&
    add core/backends backend core/backends/backend.h 'dasgd::BackendRegistry::find("extra_backend")'
add experiments/commands command experiments/commands/command.h '!dasgd::experiments::CommandRegistry::entries().empty()'
add gui/pages page gui/pages/page.h '!dasgd::gui::PageRegistry::entries().empty()'
echo "edited: $(git diff --name-only | wc -l) files"

cmake --preset release >/dev/null
cmake --build build/release -j "${JOBS:-2}" --target dasgd dasgd-lab tree_test >build.log 2>&1 || { tail -40 build.log; exit 1; }
found=0 missing=0
expect() { # what, then the text that must hold it
    if grep -q -- "$1" <<<"$2"; then
        echo "$3 shows $1"
        found=$((found + 1))
    else
        echo "$3 does not show $1"
        missing=$((missing + 1))
    fi
}
described=$(build/release/dasgd describe)
for name in extra_algorithm extra_model extra_dataset extra_optimizer extra_schedule; do expect $name "$described" describe; done
[ -e core/backends/extra_backend.cpp ] && expect extra_backend "$described" describe
expect extra-command "$(build/release/dasgd --help)" --help
expect Extra "$(QT_QPA_PLATFORM=offscreen build/release/dasgd-lab --help)" 'dasgd-lab --help'
QT_QPA_PLATFORM=offscreen build/release/dasgd-lab --workspace "$(mktemp -d)" --page Extra --screenshot rail.png --after-ms 500
[ -s rail.png ] && echo "rail: $copy/rail.png"
build/release/tests/tree_test --gtest_brief=1
echo "$found shown, $missing missing"
[ "$missing" = 0 ]
