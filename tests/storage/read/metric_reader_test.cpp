#include "storage/read/metric_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "storage/read/workspace_reader.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::ElementsAre;

TEST(MetricReaderTest, NumbersComeBackAsTheyWere) {
    OneRun run;
    const std::vector<double> values{NAN, INFINITY, -INFINITY, 1e308, 1e-320, -0.0, 0.1, 5e-324};
    for (std::size_t i = 0; i < values.size(); ++i) {
        run.rank(0).metric({.name = "x",
                            .step = static_cast<std::int64_t>(i),
                            .epoch = 0.25,
                            .wall = 1'500'000'000,
                            .samples = std::int64_t{1} << 60,
                            .bytesSent = 3,
                            .value = values[i]});
    }
    run.finish();
    const auto answer = orDie(run.reader().metrics().samples({.runId = run.runId, .name = "x"}));
    ASSERT_EQ(answer.samples.size(), values.size());
    EXPECT_TRUE(std::isnan(answer.samples[0].value));
    for (std::size_t i = 1; i < values.size(); ++i) EXPECT_EQ(answer.samples[i].value, values[i]);
    EXPECT_EQ(answer.samples[1].epoch, 0.25);
    EXPECT_EQ(answer.samples[1].wallS, 1.5);
    EXPECT_EQ(answer.samples[1].samples, std::int64_t{1} << 60);
    EXPECT_EQ(answer.samples[1].bytesSent, 3);
}

TEST(MetricReaderTest, TailingGivesWhatIsNew) {
    OneRun run(2);
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0, 1}));
    MetricReader reader = run.reader().metrics();
    const auto write = [&](std::int64_t step) {
        const auto before = recorder->recordsStored();
        for (int rank = 0; rank < 2; ++rank) run.rank(rank).metric({.name = "train/loss", .step = step});
        ASSERT_TRUE(eventually([&] { return recorder->recordsStored() == before + 2; }));
    };
    write(1);
    MetricQuery query{.runId = run.runId, .name = "train/loss", .rank = 1};
    const auto first = orDie(reader.samples(query));
    ASSERT_EQ(first.samples.size(), 1U);
    EXPECT_EQ(first.samples[0].rank, 1);
    query.afterRowid = first.lastRowid;
    EXPECT_TRUE(orDie(reader.samples(query)).samples.empty());
    EXPECT_EQ(orDie(reader.samples(query)).lastRowid, first.lastRowid);
    write(2);
    const auto second = orDie(reader.samples(query));
    ASSERT_EQ(second.samples.size(), 1U);
    EXPECT_EQ(second.samples[0].step, 2);
}

TEST(MetricReaderTest, NamesComeInTheOrderOfTheirFirstSample) {
    OneRun run;
    EXPECT_TRUE(orDie(run.reader().metrics().names(run.runId)).empty()) << "a young run";
    for (std::int64_t step = 0; step < 100; ++step) {
        run.rank(0).metric({.name = step % 2 ? "odd" : "even", .step = step});
    }
    run.finish();
    EXPECT_THAT(orDie(run.reader().metrics().names(run.runId)), ElementsAre("even", "odd"));
}

}  // namespace
}  // namespace dasgd::storage
