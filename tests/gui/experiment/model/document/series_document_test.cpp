#include "gui/experiment/model/document/series_document.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/schema/toml_reader.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

RunItemPtr runAt(int place, const std::string& config) {
    storage::RunRow row = makeRun(runNumber(place), "dasgd", config)->row;
    row.series = "r0";
    row.seriesPlace = place;
    return makeRunItem(std::move(row));
}

std::string plain(int period, int delay, int seed, const std::string& link = "1Gbps") {
    return "name = \"sweep\"\n\n[algorithm]\nname = \"dasgd\"\nperiod = " + std::to_string(period) +
           "\ndelay = " + std::to_string(delay) + "\n\n[train]\nseed = " + std::to_string(seed) +
           "\n\n[cluster]\nworkers = 4\n\n[cluster.link]\nbandwidth = \"" + link + "\"\n";
}

std::vector<RunItemPtr> runsOf(const std::vector<std::string>& configs) {
    std::vector<RunItemPtr> runs;
    for (const std::string& config : configs) runs.push_back(runAt(static_cast<int>(runs.size()), config));
    return runs;
}

// Text behind the settings of the first run; "" where there is no document.
std::string sweepOf(const std::vector<RunItemPtr>& runs, const std::string& first) {
    const auto document = seriesDocument(runs);
    if (!document) return "";
    const std::string text = document->text.toStdString();
    EXPECT_TRUE(parseToml(text, "text")) << text;
    EXPECT_TRUE(text.starts_with(first)) << text;
    return text.substr(std::min(text.size(), first.size()));
}

TEST(SeriesDocument, KeysThatDifferBecomeListsInTheOrderOfTheRuns) {
    std::vector<std::string> configs;
    for (const int delay : {3, 1}) {
        for (const char* link : {"1Gbps", "10\\\"Gbps"}) {
            for (const int seed : {1, 2, 3}) configs.push_back(plain(4, delay, seed, link));
        }
    }
    std::vector<RunItemPtr> runs = runsOf(configs);
    std::ranges::reverse(runs);
    EXPECT_EQ(sweepOf(runs, configs.front()),
              "\n[sweep]\n\"algorithm.delay\" = [3, 1]\n\"cluster.link.bandwidth\" = [\"1Gbps\", \"10\\\"Gbps\"]\n"
              "\"train.seed\" = [1, 2, 3]\n");
    const auto document = seriesDocument(runs);
    ASSERT_TRUE(document);
    EXPECT_EQ(document->base->id, QStringLiteral("r0"));
    EXPECT_EQ(document->runs, 12);
}

TEST(SeriesDocument, ARunThatWasMadeTwiceCountsOnce) {
    const std::vector<std::string> configs{plain(4, 1, 1), plain(4, 1, 2), plain(4, 1, 1)};
    EXPECT_EQ(sweepOf(runsOf(configs), configs.front()), "\n[sweep]\n\"train.seed\" = [1, 2]\n");
}

TEST(SeriesDocument, WhatIsNoProductIsNoSweep) {
    EXPECT_FALSE(seriesDocument({}));
    EXPECT_FALSE(seriesDocument(runsOf({plain(4, 1, 1)})));
    EXPECT_FALSE(seriesDocument(runsOf({plain(4, 1, 1), plain(4, 1, 1)}))) << "the same run twice";
    EXPECT_FALSE(seriesDocument(runsOf({plain(4, 1, 1), plain(4, 2, 2)}))) << "cases";
    EXPECT_FALSE(seriesDocument(runsOf({plain(4, 1, 1), plain(4, 1, 2), plain(4, 2, 1)}))) << "one is missing";
    EXPECT_FALSE(seriesDocument(runsOf({plain(4, 1, 1), plain(4, 1, 1) + "[faults]\nseed = 1\n"})))
        << "a sweep cannot leave a section out";
    EXPECT_FALSE(seriesDocument(runsOf({"", ""}))) << "of runs whose settings were not recorded";
}

TEST(SeriesDocument, OtherAlgorithmsAreSweptAsTheWholeSection) {
    const auto config = [](const std::string& algorithm, int seed) {
        return "name = \"sweep\"\n\n[algorithm]\n" + algorithm + "\n[train]\nseed = " + std::to_string(seed) + "\n";
    };
    const std::string dasgd = "name = \"dasgd\"\nperiod = 4\ndelay = 1\n", local = "name = \"local_sgd\"\nperiod = 4\n";
    EXPECT_EQ(
        sweepOf(runsOf({config(dasgd, 1), config(dasgd, 2), config(local, 1), config(local, 2)}), config(dasgd, 1)),
        "\n[sweep]\n\"algorithm\" = [{ name = \"dasgd\", period = 4, delay = 1 }, "
        "{ name = \"local_sgd\", period = 4 }]\n\"train.seed\" = [1, 2]\n");
}

TEST(SeriesDocument, KeysOfASectionThatGoTogetherAreSweptAsTheWholeSection) {
    const std::vector<std::string> configs{plain(4, 1, 1), plain(8, 2, 1)};
    EXPECT_EQ(sweepOf(runsOf(configs), configs.front()),
              "\n[sweep]\n\"algorithm\" = [{ name = \"dasgd\", period = 4, delay = 1 }, "
              "{ name = \"dasgd\", period = 8, delay = 2 }]\n");
}

TEST(SeriesDocument, FilesThatLieBesideOneRunEachAreNotSweptOver) {
    const auto config = [](const std::string& file) {
        return "name = \"sweep\"\n\n[network]\nfile = \"artefacts/" + file + "\"\n";
    };
    EXPECT_FALSE(seriesDocument(runsOf({config("a.xml"), config("b.xml")})));
}

}  // namespace
}  // namespace dasgd::gui
