// `dasgd import` of what `dasgd export` wrote: the same spans come back, in either format.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/experiments/commands/finished_run.h"
#include "tests/experiments/tools/traces/trace_files.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class ImportCommand : public FinishedRun {
protected:
    nlohmann::json imported(const std::string& file) {
        const test::Ended ended = folder_.run({"import", file, "-w", "w", "--json"});
        EXPECT_EQ(ended.exit, 0) << ended.err;
        EXPECT_THAT(ended.out, HasSubstr("{\"progress\":100}\n"));
        const auto last = ended.out.rfind("\n{");
        return nlohmann::json::parse(ended.out.substr(last == std::string::npos ? 0 : last + 1), nullptr, false);
    }
};

TEST_F(ImportCommand, BringsOurOwnTracesBackSpanBySpan) {
    const std::string run = folder_.firstRun();
    const auto original = test::spanLines(folder_.workspace(), run);
    ASSERT_GT(original.size(), 100U);
    for (const std::string file : {"t.json", "t.json.gz", "t.pftrace", "t.perfetto-trace.gz"}) {
        ASSERT_EQ(folder_.run({"export", run, "-w", "w", "--trace", file}).exit, 0);
        const auto outcome = imported(file);
        ASSERT_TRUE(outcome.is_object()) << file;
        EXPECT_EQ(outcome["dropped_count"], 0) << file;
        EXPECT_EQ(test::spanLines(folder_.workspace(), outcome["run"]), original) << file;
        auto reader = test::orDie(storage::RunReader::open(folder_.workspace()));
        const auto before = test::orDie(reader.row(run)), after = test::orDie(reader.row(outcome["run"]));
        EXPECT_EQ(after.algorithm, "dasgd") << file;
        EXPECT_EQ(after.workers, 2);
        EXPECT_EQ(after.hidden, before.hidden);
        EXPECT_EQ(after.blockedS, before.blockedS);
        EXPECT_FALSE(after.stepMs || after.samplesPerS) << "not measured by this run";
        EXPECT_THAT(after.config, HasSubstr("run = \"" + run + "\""));
    }
}

// Arrows go from the launch of an average to its merge, as any viewer of traces draws them.
TEST_F(ImportCommand, KeepsTheArrowsOfOurOwnTraces) {
    const auto arrowsOf = [&](const std::string& run) {
        EXPECT_EQ(folder_.run({"export", run, "-w", "w", "--trace", "arrows.json", "--replace"}).exit, 0);
        const auto trace = nlohmann::json::parse(test::contentOf(folder_.path() / "arrows.json"), nullptr, false);
        std::vector<std::string> arrows;
        for (const auto& event : trace["traceEvents"]) {
            if (event["name"] == "average") arrows.push_back(event.dump());
        }
        // Arrows of one instant may come in any order.
        std::ranges::sort(arrows);
        return arrows;
    };
    const auto original = arrowsOf(folder_.firstRun());
    ASSERT_GT(original.size(), 10U);
    for (const std::string file : {"t.json", "t.pftrace"}) {
        ASSERT_EQ(folder_.run({"export", folder_.firstRun(), "-w", "w", "--trace", file}).exit, 0);
        const auto outcome = imported(file);
        EXPECT_EQ(arrowsOf(outcome["run"]), original) << file;
        EXPECT_FALSE(outcome["left_out"].contains("arrows")) << file << ": " << outcome["left_out"];
    }
}

TEST_F(ImportCommand, KeepsForeignNamesOverAnExport) {
    folder_.write("py.json", test::pytorchTrace(0, 1, {test::slice("gemm \\\"x\\\"", "kernel", "7", "1010.5", "40")}));
    const std::string run = imported("py.json")["run"];
    const auto lines = test::spanLines(folder_.workspace(), run);
    EXPECT_THAT(lines, ::testing::Contains("0 compute compute 11 10500..50500 gemm \"x\""));
    for (const std::string file : {"a.json", "a.pftrace"}) {
        ASSERT_EQ(folder_.run({"export", run, "-w", "w", "--trace", file}).exit, 0);
        EXPECT_EQ(test::spanLines(folder_.workspace(), imported(file)["run"]), lines);
    }
}

TEST_F(ImportCommand, SaysWhatItDidAndRefusesWhatItCannot) {
    folder_.write("py.json", test::pytorchTrace(0, 1, {test::slice("k", "kernel", "7", "1010.5", "40")}));
    const test::Ended ended = folder_.run({"import", "py.json", "-w", "w", "--name", "theirs"});
    EXPECT_THAT(ended.out, HasSubstr("3 spans of 1 rank, 2 steps, from a trace of PyTorch profiler"));
    EXPECT_EQ(folder_.run({"import", "absent.json", "-w", "w"}).exit, 2);
    folder_.write("no.json", "not a trace");
    const test::Ended refused = folder_.run({"import", "no.json", "-w", "w"});
    EXPECT_EQ(refused.exit, 2);
    EXPECT_THAT(refused.err, HasSubstr("no.json: no slice of time can be read"));
}

TEST_F(ImportCommand, NeverReplacesAFileUnasked) {
    folder_.write("t.json", "mine");
    const std::string run = folder_.firstRun();
    EXPECT_EQ(folder_.run({"export", run, "-w", "w", "--trace", "t.json"}).exit, 2);
    EXPECT_EQ(test::contentOf(folder_.path() / "t.json"), "mine");
    EXPECT_EQ(folder_.run({"export", run, "-w", "w", "--trace", "t.json", "--replace"}).exit, 0);
    EXPECT_NE(test::contentOf(folder_.path() / "t.json"), "mine");
}

}  // namespace
}  // namespace dasgd::experiments
