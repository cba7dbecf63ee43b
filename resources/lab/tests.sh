#!/usr/bin/env bash
# For ./lab, which sources it: the tests of a preset, and how sources and scripts are written.

passed=0 failed=0 skipped=0 failures=() ahead=

# Prints the start of a stage; the difference between two starts is what a stage took.
stage() { say "== $1 ($((SECONDS / 60)) min $((SECONDS % 60)) s since the start)"; }

stage_failed() {
    failed=$((failed + 1))
    failures+=("$1")
    say "FAILED: $1"
}

# Programs of others that tests read files with. Where they cannot be had, these tests are skipped.
ensure_python() {
    [ -d .deps/python/safetensors ] && return 0
    say "Downloading Python's safetensors from PyPI (0.5 MB, once) …"
    rm -rf .deps/python.part .deps/python
    if /usr/bin/python3 -m pip install -q --no-deps --no-compile --disable-pip-version-check --root-user-action ignore \
        --target .deps/python.part safetensors==0.6.2 >&2; then
        mv .deps/python.part .deps/python
    else
        say "It could not be downloaded: what it says of our files is not tested."
    fi
}

# Prints the output of the failed tests in ctest's report.
failed_tests() {
    awk -v preset="$1" '
        /<testcase / && (failing = / status="fail"/) {
            match($0, / name="[^"]*"/)
            printf "FAILED (%s): %s\n", preset, substr($0, RSTART + 7, RLENGTH - 8)
            next
        }
        /<\/testcase>/ { failing = 0 }
        failing { print "    " $0 }' "$2" | sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g'
}

# Adds the tests of ctest's report to the totals: what a program counted of its own, else one for each entry.
count_tests() {
    local counts
    read -ra counts < <(awk '
        /<testcase / {
            failing = / status="fail"/
            resting = / status="(notrun|disabled)"/
            told = lost = 0
        }
        match($0, /isolated tests: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped/) {
            split(substr($0, RSTART, RLENGTH), words, " ")
            told = 1; passed += words[3]; failed += lost = words[5]; skipped += words[7]
        }
        /<\/testcase>/ {
            if (failing && lost == 0) failed++
            else if (!told && resting) skipped++
            else if (!told) passed++
        }
        END { print passed + 0, failed + 0, skipped + 0 }' "$1")
    passed=$((passed + counts[0])) failed=$((failed + counts[1])) skipped=$((skipped + counts[2]))
}

# Prints the time of each program in ctest's report, the slowest first, with the slowest single tests it named.
slowest_tests() {
    awk '
        match($0, / name="[^"]*"/) && /<testcase / {
            name = substr($0, RSTART + 7, RLENGTH - 8)
            match($0, / time="[0-9.]+"/)
            seconds = substr($0, RSTART + 7, RLENGTH - 8) + 0
            total += seconds
            printf "%7.1f s  %s\n", seconds, name
        }
        /slow: / { sub(/.*slow: /, ""); split($0, words, " "); printf "%7.1f s      %s\n", words[2], words[1] }
        END { printf "%7.1f s  all programs together\n", total }' "$1" | sort -rn | head -25
}

# compile_ahead PRESET…: in the background, with what the processors have left. Tests of many processes wait for each
# other more than they compute. Messages are said again by the stage that needs the preset: it compiles what is missing.
compile_ahead() {
    local preset
    set -m  # a process group, to be ended as one
    {
        chrt --idle --pid 0 "$BASHPID"
        for preset in "$@"; do compile "$preset" || break; done
    } </dev/null >build/ahead.log 2>&1 &
    ahead=$!
    set +m
    trap 'kill -- "-$ahead" 2>/dev/null || true' EXIT
}

await_ahead() {
    [ -n "$ahead" ] || return 0
    wait "$ahead" || true
    ahead=
    trap - EXIT
}

# test_preset PRESET [PRESET…]: the tests of the first; the others are compiled meanwhile. Those with the label `full` are
# left out unless `full` is set.
test_preset() {
    local preset=$1 report status=0 less=yes
    [ -z "${full:-}" ] || less=
    stage "$preset"
    await_ahead
    if ! compile "$preset" 2>&1 | tee build/compile.log >&2; then
        stage_failed "the preset $preset does not build"
        failures+=("$(grep -m 1 -A 20 '^FAILED: ' build/compile.log | cut -c 1-400 || true)")
        return 0
    fi
    stage "$preset is built"
    if [ $# -gt 1 ]; then compile_ahead "${@:2}"; fi
    report=$PWD/build/$preset/ctest.xml
    rm -f "$report"
    ctest --preset "$preset" -j "$((2 * $(nproc)))" ${less:+-LE '^full$'} --no-tests=error --output-junit "$report" \
        --test-output-truncation middle --test-output-size-passed 65536 >&2 9>&- || status=$?
    [ -f "$report" ] || { stage_failed "ctest gave no report for the preset $preset"; return 0; }
    say "$(slowest_tests "$report")"
    local before=$failed
    count_tests "$report"
    if [ "$failed" -gt "$before" ]; then
        failures+=("$(failed_tests "$preset" "$report")")
    elif [ "$status" -ne 0 ]; then
        stage_failed "ctest on the preset $preset"
    fi
}

# fuzz SECONDS: every target of tests/fuzz for so long; each counts as a test.
fuzz() {
    local seconds=$1 targets
    stage "fuzz, $seconds s each"
    targets=$(find tests/fuzz/corpus -mindepth 1 -maxdepth 1 -type d | wc -l)
    await_ahead
    local report status=0
    report=$(FUZZ_JOBS=$(build_jobs) tests/fuzz/run.sh "$seconds" 9>&-) || status=$?
    say "$report"
    local broken
    broken=$(grep -c '^FAILED' <<<"$report") || true
    [ "$status" -eq 0 ] || [ "$broken" -gt 0 ] || { stage_failed "the fuzzers did not run"; return 0; }
    passed=$((passed + targets - broken)) failed=$((failed + broken))
    [ "$broken" -eq 0 ] || failures+=("$(grep '^FAILED' <<<"$report")")
}

# Counts as one test; its output says how many ran in the copy of the tree.
add_one_of_each() {
    stage "one plug-in of each kind is added to a copy of the tree"
    if JOBS=$(build_jobs) tests/bench/add_one_of_each.sh >&2 9>&-; then
        passed=$((passed + 1))
    else
        stage_failed "tests/bench/add_one_of_each.sh"
    fi
}

tracked() { git ls-files -- "$@" 2>/dev/null; }

check_format() {
    stage "clang-format and shellcheck"
    local sources scripts
    mapfile -t sources < <(tracked '*.h' '*.cpp')
    mapfile -t scripts < <(tracked lab .ci/run '*.sh')
    if [ "${#sources[@]}" -eq 0 ]; then
        say "Not a git checkout: formatting is not checked."
        return 0
    fi
    # Another major version formats differently.
    if ! clang-format --version | grep -q 'version 14\.'; then
        say "clang-format 14 is not here ($(clang-format --version)): formatting is not checked."
        skipped=$((skipped + 1))
    else
        clang-format --dry-run --Werror "${sources[@]}" >&2 || stage_failed "formatting: clang-format -i mends it"
    fi
    shellcheck "${scripts[@]}" >&2 || stage_failed "shellcheck"
}
