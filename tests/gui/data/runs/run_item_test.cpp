#include "gui/data/runs/run_item.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(RunItem, KnowsWhetherTheRunKeepsSpans) {
    const auto keeps = [](const char* config) { return makeRunItem({.runId = "r", .config = config})->keepsSpans; };
    EXPECT_TRUE(keeps("[record]\ntrace = \"full\"\n"));
    EXPECT_FALSE(keeps("[record]\ntrace = \"summary\"\n"));
    EXPECT_FALSE(keeps("[record]\ntrace = \"off\"\n"));
    EXPECT_TRUE(keeps("")) << "the default";
}

TEST(RunItem, AFilterFindsWhatTheRowShows) {
    const RunItemPtr run = makeRunItem({.runId = "20261121-dasgd",
                                        .experiment = "Delay Sweep",
                                        .algorithm = "dasgd",
                                        .seed = 7,
                                        .backend = "gloo",
                                        .status = "finished",
                                        .config = "[algorithm]\ndelay = 3\n",
                                        .schema = std::make_shared<const std::string>(test::kDasgdSchema)});
    for (const char* word : {"20261121", "delay sweep", "gloo", "finished", "seed 7", "d\u00a03"}) {
        EXPECT_TRUE(run->haystack.contains(QString::fromUtf8(word))) << word;
    }
}

TEST(RunItem, SamplesOfAStepAreTheMeanUnlessNotEveryRankTrains) {
    storage::RunRow row;
    row.workers = 4;
    row.config = "[train]\nbatch_size = 32\n";
    EXPECT_EQ(samplesOfStep(*makeRunItem(row)), 32) << "before the first step";
    row.steps = 100;
    row.samples = 12'400;
    EXPECT_EQ(samplesOfStep(*makeRunItem(row)), 31) << "the last of an epoch has fewer";
    row.samples = 9'600;
    EXPECT_EQ(samplesOfStep(*makeRunItem(row)), 32) << "one of four is a server";
    row.config += "accumulate = 4\n";
    row.samples = 51'200;
    EXPECT_EQ(samplesOfStep(*makeRunItem(row)), 128) << "several batches make a step";
    row.config.clear();
    EXPECT_EQ(samplesOfStep(*makeRunItem(row)), 0) << "a trace says nothing of samples";
}

}  // namespace
}  // namespace dasgd::gui
