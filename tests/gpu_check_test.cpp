// `./lab gpu-check` without a GPU: what it would do, and what it makes of programs that say what a test wants them to.
// The programs behind it are stand-ins; no figure comes from here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/dasgd_program.h"

namespace dasgd::test {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A stand-in of the engine: it prints the result of a run by the experiment's name, with step times and rates that
// tests choose.
constexpr const char* kEngine = R"SH(#!/bin/sh
case "$1" in
--version) echo dasgd stand-in; exit 0 ;;
doctor) echo '{"checks":[{"check":"gpus","text":"one stand-in","verdict":"ok"}]}'; exit 0 ;;
esac
name=$(sed -n 's/^name = "\(.*\)"$/\1/p;/^\[/q' "$2")
[ ! -e "fail-$name" ] || { echo "boom in $name" >&2; exit 1; }
echo "$name" >> runs
cp "$2" "last-$name.toml"
step=100; rate=1000; hidden=$(cat hidden)
case "$name" in
dasgd) step=$(cat dasgd-step) ;;
sync-sgd) step=300 ;;
lenet-alone) rate=2500 ;;
trace-full) step=100.5 ;;
esac
echo '{"run_id":"'$name'-1","status":"finished","step_ms":'$step',"samples_per_s":'$rate',"hidden":'$hidden',"compute_inflation":1.01}'
)SH";
constexpr const char* kPython = R"SH(#!/bin/sh
[ "$1" = -c ] && { echo "2.11 stand-in"; exit 0; }
echo '{"step_ms": 250, "samples_per_s": 1000}'
)SH";

class GpuCheck : public ::testing::Test {
protected:
    void SetUp() override {
        program("bin/nvidia-smi", "#!/bin/sh\n[ \"$1\" = --list-gpus ] && echo 'GPU 0: stand-in' || echo stand-in\n");
        program("engine", kEngine);
        program("python", kPython);
        program("merges", "#!/bin/sh\necho '{\"blend\": 0.9, \"delta\": 0.85, \"snapshot\": 0.95}'\n");
        tests("tests", {.passed = 7});
        writeText(folder_ / "hidden", "0.995");
        writeText(folder_ / "dasgd-step", "102");
    }
    void program(const std::string& name, const std::string& text) const {
        writeText(folder_ / name, text);
        fs::permissions(folder_ / name, fs::perms::owner_all);
    }
    // Counts of the tests that a stand-in of a test program prints, by their results.
    struct Tests {
        int passed = 0, onDevice = 0, skipped = 0, failed = 0;
        bool hangs = false;
    };
    void tests(const std::string& name, const Tests& found) const {
        std::string lines;
        const auto test = [&](int times, const std::string& test, const std::string& between, const std::string& end) {
            for (int i = 0; i < times; ++i) lines += "[ RUN      ] " + test + "\n" + between + end + test + " (1 ms)\n";
        };
        test(found.passed, "Suite.Passes", "", "[       OK ] ");
        test(found.onDevice, "Suite.Trains", "[ trained  ] on nccl\n[ trained  ] on nccl\n", "[       OK ] ");
        test(found.skipped, "Suite.Lacks", "no GPU\n", "[  SKIPPED ] ");
        test(found.failed, "Suite.Fails", "1 is not 2\n", "[  FAILED  ] ");
        if (found.hangs) lines += "[ RUN      ] Suite.Hangs\n";
        // The end lists them once more, as GoogleTest does.
        if (found.skipped > 0) lines += "[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] Suite.Lacks\n";
        if (found.failed > 0) lines += "[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Suite.Fails\n";
        program(name, "#!/bin/sh\necho \"$GTEST_SHARD_INDEX/$GTEST_TOTAL_SHARDS\" >> parts\ncat <<'END'\n" + lines +
                          "END\n" +
                          (found.hangs        ? "exec sleep 60\n"
                           : found.failed > 0 ? "exit 1\n"
                                              : ""));
    }
    [[nodiscard]] Ended check(std::vector<std::string> more, const std::string& path = "bin:") const {
        std::vector<std::string> words{std::string(kSourceDir) + "/tests/bench/gpu_check/gpu_check.py",
                                       "--engine",
                                       "./engine",
                                       "--merge-bench",
                                       "./merges",
                                       "--python",
                                       "./python",
                                       "--tests",
                                       "./tests"};
        words.insert(words.end(), more.begin(), more.end());
        const std::string own = path.empty() ? "" : (folder_ / "bin").string() + ":";
        return StartedProgram(folder_.path(), words,
                              {{"PATH", own + "/usr/bin:/bin"}, {"PYTHONDONTWRITEBYTECODE", "1"}}, "/usr/bin/python3")
            .wait();
    }
    [[nodiscard]] nlohmann::json row(const std::string& key) const {
        return nlohmann::json::parse(contentOf(folder_ / "gpu-check/report.json"))["figures"][key];
    }
    TempDir folder_;
};

TEST_F(GpuCheck, ADryRunSaysWhatWouldBeDoneAndRunsNothing) {
    const Ended ended = check({"--dry-run"}, "");
    ASSERT_EQ(ended.exit, 0) << ended.err;
    EXPECT_THAT(ended.out, AllOf(HasSubstr("GPUs that would be used: 0"), HasSubstr("≤ 1.03 with hidden ≥ 0.99"),
                                 HasSubstr("PyTorch DDP"), HasSubstr("./merges 100000000")));
    EXPECT_FALSE(fs::exists(folder_ / "runs"));
    EXPECT_FALSE(fs::exists(folder_ / "gpu-check"));
}

TEST_F(GpuCheck, WithoutAGpuNothingIsMeasured) {
    const Ended ended = check({}, "");
    EXPECT_EQ(ended.exit, 1);
    EXPECT_THAT(ended.err, HasSubstr("no NVIDIA GPU"));
    EXPECT_FALSE(fs::exists(folder_ / "gpu-check"));
}

TEST_F(GpuCheck, EachFigureIsARatioOfItsRunsAndStandsInTheReport) {
    const Ended ended = check({});
    ASSERT_EQ(ended.exit, 0) << ended.out << ended.err;
    EXPECT_THAT(row("overlap")["measured"].get<std::string>(),
                AllOf(HasSubstr("step ÷ `independent` 1.020, median of 3 rounds"), HasSubstr("hidden 0.9950")));
    EXPECT_THAT(row("beside")["measured"].get<std::string>(),
                AllOf(HasSubstr("sync_sgd ÷ `independent` 3.000"), HasSubstr("ddp ÷ `independent` 2.500")));
    EXPECT_THAT(row("lenet")["measured"].get<std::string>(), HasSubstr("2.500"));
    EXPECT_EQ(row("resnet50")["verdict"], "met") << "1,000 ÷ 1,000";
    EXPECT_THAT(row("trace")["measured"].get<std::string>(), HasSubstr("1.005, median of 5 rounds"));
    EXPECT_EQ(row("overlap")["runs"].size(), 12U);
    const std::string report = contentOf(folder_ / "gpu-check/report.md");
    EXPECT_THAT(report,
                AllOf(HasSubstr("doctor: gpus | one stand-in"), HasSubstr("dasgd-1"), Not(HasSubstr("under way"))));
}

TEST_F(GpuCheck, RanksShareAGpuWhereThereAreFewer) {
    ASSERT_EQ(check({"--only", "overlap"}).exit, 0);
    EXPECT_THAT(contentOf(folder_ / "last-dasgd.toml"),
                AllOf(HasSubstr("workers = 4"), HasSubstr("ranks_per_gpu = 4"), HasSubstr("autocast = \"bfloat16\"")));
}

TEST_F(GpuCheck, AFigureBeyondItsBoundIsNotMet) {
    writeText(folder_ / "dasgd-step", "104");
    EXPECT_EQ(check({"--only", "overlap"}).exit, 1);
    EXPECT_EQ(row("overlap")["verdict"], "not met");
}

TEST_F(GpuCheck, AFastStepThatHidesTooLittleIsNotMet) {
    writeText(folder_ / "hidden", "0.98");
    EXPECT_EQ(check({"--only", "overlap"}).exit, 1);
    EXPECT_EQ(row("overlap")["verdict"], "not met");
}

TEST_F(GpuCheck, ASkippedTestIsNotMet) {
    tests("tests", {.passed = 7, .skipped = 1});
    EXPECT_EQ(check({"--only", "tests"}).exit, 1);
    EXPECT_EQ(row("tests")["verdict"], "not met");
    EXPECT_EQ(row("tests")["measured"], "7 passed, 1 skipped, in 1 programs");
}

TEST_F(GpuCheck, WhatFailsIsNamedAndTheOthersAreRun) {
    program("other", "#!/bin/sh\necho 'a line'; echo 'no such library' >&2; exit 1\n");
    tests("third", {.passed = 2, .failed = 1});
    EXPECT_EQ(check({"--only", "tests", "--tests", "./other", "./tests", "./third"}).exit, 1);
    EXPECT_EQ(row("tests")["verdict"], "not met");
    EXPECT_EQ(row("tests")["measured"],
              "9 passed, 0 skipped, in 3 programs; other 1/1: other failed: no such library; Suite.Fails failed");
    // Programs run beside one another: which has which number is not known.
    std::string said;
    for (const auto& file : fs::directory_iterator(folder_ / "gpu-check/said")) {
        if (file.path().filename().string().ends_with("-other.out")) said = contentOf(file.path());
    }
    EXPECT_EQ(said, "a line\n") << "to be read when the machine is gone";
}

// A suite has tests that train nowhere: passed here as anywhere, they say nothing of a GPU.
TEST_F(GpuCheck, OfASuiteThoseCountThatTrainedOnTheDevice) {
    tests("suite", {.passed = 5, .onDevice = 1});
    ASSERT_EQ(check({"--only", "tests", "--tests", "./suite=Some*"}).exit, 0);
    EXPECT_EQ(row("tests")["measured"],
              "3 passed, 0 skipped, in 1 programs (15 more of them train nowhere and do not count)");
    EXPECT_THAT(row("tests")["runs"][0]["command"].get<std::string>(), HasSubstr("--gtest_filter=Some*"));
    std::istringstream written(contentOf(folder_ / "parts"));
    const std::vector<std::string> parts{std::istream_iterator<std::string>(written), {}};
    EXPECT_THAT(parts, testing::UnorderedElementsAre("0/3", "1/3", "2/3"));
    fs::remove_all(folder_ / "gpu-check");
    tests("suite", {.passed = 5});
    EXPECT_EQ(check({"--only", "tests", "--tests", "./suite=Some*"}).exit, 1);
    EXPECT_THAT(row("tests")["measured"].get<std::string>(), HasSubstr("no test ran on a GPU"));
}

TEST_F(GpuCheck, APeerThatFailsTakesNothingFromWhatWasMeasured) {
    program("python", "#!/bin/sh\n[ \"$1\" = -c ] && exit 0\necho one >> tries\necho 'NCCL is too old' >&2; exit 1\n");
    EXPECT_EQ(check({"--only", "overlap", "beside"}).exit, 1) << "DDP was to be reported";
    EXPECT_EQ(row("overlap")["verdict"], "met");
    EXPECT_EQ(contentOf(folder_ / "tries"), "one\n") << "one that hangs would take the time of every round";
    EXPECT_THAT(row("overlap")["measured"].get<std::string>(), HasSubstr("1.020, median of 3 rounds"));
    EXPECT_EQ(row("beside")["verdict"], "not measured");
    EXPECT_THAT(row("beside")["measured"].get<std::string>(),
                AllOf(HasSubstr("sync_sgd ÷ `independent` 3.000"),
                      HasSubstr("DDP not measured: PyTorch ddp resnet50 failed: NCCL is too old")));
}

TEST_F(GpuCheck, TestsThatHangLeaveTimeForTheFigures) {
    tests("tests", {.passed = 4, .hangs = true});
    EXPECT_EQ(check({"--limit", "15", "--only", "tests", "merge"}).exit, 1);
    EXPECT_THAT(row("tests")["measured"].get<std::string>(),
                AllOf(HasSubstr("4 passed, 0 skipped"), HasSubstr("tests did not end within"),
                      HasSubstr(" s, in Suite.Hangs")));
    EXPECT_EQ(row("tests")["verdict"], "not met");
    EXPECT_EQ(row("merge")["verdict"], "met");
}

TEST_F(GpuCheck, TellsWhetherRanksThatShareAGpuRunAtOnce) {
    ASSERT_EQ(check({"--only", "merge"}).exit, 0);
    EXPECT_THAT(contentOf(folder_ / "gpu-check/report.md"), HasSubstr("by time slices, as nvidia-cuda-mps-control"));
    fs::remove_all(folder_ / "gpu-check");
    program("bin/nvidia-cuda-mps-control", "#!/bin/sh\necho \"$CUDA_MPS_PIPE_DIRECTORY $*\" >> mps\n");
    ASSERT_EQ(check({"--only", "merge"}).exit, 0);
    EXPECT_THAT(contentOf(folder_ / "gpu-check/report.md"), HasSubstr("by CUDA's multi-process service"));
    EXPECT_THAT(contentOf(folder_ / "mps"), HasSubstr("cuda_mps_pipe_directory -d"));
}

TEST_F(GpuCheck, AProgramWithoutTestsOnAGpuIsNoSuccess) {
    tests("tests", {});
    EXPECT_EQ(check({"--only", "tests"}).exit, 1);
    EXPECT_EQ(row("tests")["verdict"], "not measured");
}

TEST_F(GpuCheck, ARunThatFailsIsNamedAndTheOthersAreMeasured) {
    writeText(folder_ / "fail-resnet50-alone", "");
    EXPECT_EQ(check({}).exit, 1);
    EXPECT_EQ(row("resnet50")["verdict"], "not measured");
    EXPECT_THAT(row("resnet50")["measured"].get<std::string>(), HasSubstr("boom in resnet50-alone"));
    EXPECT_EQ(row("lenet")["verdict"], "met");
}

TEST_F(GpuCheck, AProgramThatPrintsNoResultIsNotMeasured) {
    program("merges", "#!/bin/sh\necho warming up\n");
    EXPECT_EQ(check({"--only", "merge"}).exit, 1);
    EXPECT_EQ(row("merge")["measured"], "merges printed no result");
}

// A rank says in its log that it did without.
TEST_F(GpuCheck, AGraphThatWasNotCapturedIsNoFigureOfGraphs) {
    writeText(folder_ / "gpu-check/workspace/runs/lenet-alone-1/logs/rank-0.log",
              "warning: cuda_graph has no effect: the step cannot be captured\n");
    EXPECT_EQ(check({"--only", "lenet", "merge"}).exit, 1);
    EXPECT_EQ(row("lenet")["verdict"], "not measured");
    EXPECT_THAT(row("lenet")["measured"].get<std::string>(), HasSubstr("cuda_graph has no effect"));
    EXPECT_EQ(row("merge")["verdict"], "met");
}

TEST_F(GpuCheck, ARunThatIsBegunInTimeEndsWithTheLimit) {
    program("merges", "#!/bin/sh\nexec sleep 60\n");
    const auto from = std::chrono::steady_clock::now();
    EXPECT_EQ(check({"--limit", "3", "--only", "merge"}).exit, 1);
    EXPECT_LT(std::chrono::steady_clock::now() - from, std::chrono::seconds(30)) << "not the 240 s of a run";
    EXPECT_THAT(row("merge")["measured"].get<std::string>(), HasSubstr("did not end within"));
}

TEST_F(GpuCheck, NothingIsBegunAfterTheLimit) {
    EXPECT_EQ(check({"--limit", "0"}).exit, 1);
    EXPECT_FALSE(fs::exists(folder_ / "runs"));
    EXPECT_THAT(row("trace")["measured"].get<std::string>(), HasSubstr("the time limit was reached"));
}

TEST_F(GpuCheck, AReportIsNotWrittenOver) {
    ASSERT_EQ(check({"--only", "merge"}).exit, 0);
    const Ended again = check({"--only", "merge"});
    EXPECT_EQ(again.exit, 2);
    EXPECT_THAT(again.err, HasSubstr("--out"));
}

}  // namespace
}  // namespace dasgd::test
