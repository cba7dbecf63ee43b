// A whole run of `dasgd run` whose ranks look into some of their steps (core/train/timing/step_profiler.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>
#include <string>

#include "storage/read/span_reader.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

// Operators of two steps: on the run's time line, with their step, and in no figure.
TEST(ProfiledRun, HasItsOperatorsOnItsTimeLine) {
    const test::DasgdFolder folder;
    folder.write("e.toml",
                 "[algorithm]\nname = \"sync_sgd\"\n[model]\nname = \"lenet\"\n[train]\nsteps = 20\neval_every = 20\n"
                 "batch_size = 8\n[cluster]\nworkers = 2\n[record]\nprofile = { first = 12, steps = 2 }\n");
    const test::Ended ended = folder.run({"run", "e.toml", "-w", "w", "-q"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    auto reader = storage::SpanReader::open(folder.workspace()).value();
    const std::string runId = folder.firstRun();
    const auto spans = reader.named(runId, {0, std::numeric_limits<Ns>::max()}).value();
    std::map<std::pair<int, std::int64_t>, TimeRange> passes;  // of each rank's steps
    for (const auto& [row, name] : spans) {
        if (row.span.kind != SpanKind::Forward && row.span.kind != SpanKind::Backward) continue;
        auto& range =
            passes.try_emplace({row.rank, row.span.step}, TimeRange{row.span.start, row.span.end}).first->second;
        range = {std::min(range.start, row.span.start), std::max(range.end, row.span.end)};
    }
    std::map<std::pair<int, std::int64_t>, int> inPasses;
    std::set<std::string> names;
    for (const auto& [row, name] : spans) {
        if (row.span.kind == SpanKind::Window) {
            EXPECT_TRUE(row.span.step < 12 || row.span.step - row.span.bytes >= 13) << row.span.step;
        }
        if (row.span.kind != SpanKind::Compute) continue;
        EXPECT_EQ(row.span.lane, Lane::Io);
        EXPECT_THAT(row.span.step, ::testing::AnyOf(12, 13));
        names.insert(name);
        const TimeRange& pass = passes.at({row.rank, row.span.step});
        inPasses[{row.rank, row.span.step}] += row.span.start >= pass.start && row.span.end <= pass.end ? 1 : 0;
    }
    EXPECT_THAT(names, ::testing::Contains("aten::conv2d"));
    EXPECT_THAT(names, ::testing::Contains(::testing::HasSubstr("ConvolutionBackward")));
    EXPECT_EQ(inPasses.size(), 4U);
    for (const auto& [step, operators] : inPasses) EXPECT_GT(operators, 10) << step.first << ", " << step.second;
    const auto artefacts = folder.workspace() / "runs" / runId / "artefacts";
    const test::Ended imported = folder.run({"import", artefacts / "profile-rank-0000.json",
                                             artefacts / "profile-rank-0001.json", "-w", "imported", "--json"});
    EXPECT_EQ(imported.exit, 0) << imported.err;
}

}  // namespace
}  // namespace dasgd::experiments
