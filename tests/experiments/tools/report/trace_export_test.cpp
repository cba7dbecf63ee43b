// The whole way: TOML → run → a trace that a JSON parser takes.
#include "experiments/tools/report/trace_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class TraceExport : public ::testing::Test {
protected:
    nlohmann::json traceOf(const std::string& experiment, int exit = 0) {
        folder_.write("e.toml", experiment);
        EXPECT_EQ(folder_.run({"run", "e.toml", "-w", "w", "-q"}).exit, exit);
        const test::Ended ended = folder_.run({"export", folder_.firstRun(), "-w", "w", "--trace", "t.json"});
        EXPECT_EQ(ended.exit, 0) << ended.err;
        return nlohmann::json::parse(test::contentOf(folder_.path() / "t.json"), nullptr, false);
    }
    test::DasgdFolder folder_;
};

TEST_F(TraceExport, HasEverySpanAndAnArrowForEveryAverage) {
    const auto trace = traceOf(test::quickExperiment());
    ASSERT_TRUE(trace.is_object());
    std::map<std::string, int> phases;
    std::map<std::pair<int, std::uint64_t>, int> starts, finishes;
    std::set<std::string> lanes;
    for (const auto& event : trace["traceEvents"]) {
        const std::string phase = event["ph"];
        ++phases[phase];
        if (phase == "s") ++starts[{event["pid"], event["id"]}];
        if (phase == "f") ++finishes[{event["pid"], event["id"]}];
        if (phase == "M" && event["name"] == "thread_name") lanes.insert(event["args"]["name"]);
    }
    auto reader = storage::SpanReader::open(folder_.workspace());
    EXPECT_EQ(phases["X"], *reader->count(folder_.firstRun()));
    EXPECT_TRUE(lanes.contains("compute") && lanes.contains("comm"));
    EXPECT_GE(finishes.size(), 2u * 6u);  // merges of 30 steps at a period of 4, two ranks
    for (const auto& [key, count] : finishes) EXPECT_EQ(starts[key], count);
}

TEST_F(TraceExport, NeverOverlapsSlicesOfOneTrack) {
    const auto trace = traceOf(test::quickExperiment() + "link = { bandwidth = \"1Mbps\", latency = \"2ms\" }\n");
    std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> tracks;
    for (const auto& event : trace["traceEvents"]) {
        if (event["ph"] != "X") continue;
        const double start = event["ts"];
        tracks[{event["pid"], event["tid"]}].emplace_back(start, start + event["dur"].get<double>());
    }
    EXPECT_GE(tracks.size(), 4u);
    for (auto& [track, slices] : tracks) {
        std::sort(slices.begin(), slices.end());
        for (std::size_t i = 1; i < slices.size(); ++i) EXPECT_GE(slices[i].first, slices[i - 1].second - 1e-3);
    }
}

TEST_F(TraceExport, IsValidJsonWhereTheLossIsNot) {
    std::string diverging = test::quickExperiment("gloo", 500);
    diverging.replace(diverging.find("learning_rate = 0.1"), 19, "learning_rate = 50.0");
    const auto trace = traceOf(diverging, 1);
    ASSERT_TRUE(trace.is_object());
    int marks = 0;
    for (const auto& event : trace["traceEvents"]) marks += event["ph"] == "i";
    EXPECT_GT(marks, 0);
}

TEST_F(TraceExport, CompressesAndNamesWhatItCannotWrite) {
    folder_.write("e.toml", test::quickExperiment());
    ASSERT_EQ(folder_.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    ASSERT_EQ(folder_.run({"export", "2", "-w", "w", "--trace", "t.json.gz"}).exit, 0);
    EXPECT_EQ(test::contentOf(folder_.path() / "t.json.gz").substr(0, 2), "\x1f\x8b");
    const test::Ended ended = folder_.run({"export", "2", "-w", "w", "--trace", "none/t.json"});
    EXPECT_EQ(ended.exit, 2);
    EXPECT_THAT(ended.err, HasSubstr("none/t.json: cannot be written"));
}

}  // namespace
}  // namespace dasgd::experiments
