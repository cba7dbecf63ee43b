#include "gui/models/runs/run_config.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

constexpr const char* kToml =
    "name = \"s\"\n[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 3\nlocal_weight = 0.25\n"
    "correction = 0.0\n[train]\nseed = 7\nbatch_size = 32\n[cluster]\nlink = { bandwidth = \"1Gbps\" }\n";

TEST(RunConfig, FlattensTablesToDottedKeys) {
    const FlatConfig flat = flattenToml(kToml);
    EXPECT_EQ(flat.at("algorithm.delay"), "3");
    EXPECT_EQ(flat.at("algorithm.name"), "dasgd");
    EXPECT_EQ(flat.at("cluster.link.bandwidth"), "1Gbps");
    EXPECT_TRUE(flattenToml("= not toml").empty());
}

TEST(RunConfig, SaysTheSettingsInThePapersSigns) {
    EXPECT_EQ(settingsInWords(flattenToml(kToml)), QStringLiteral("τ\u00a04  d\u00a03  ξ\u00a00.25"));
    EXPECT_EQ(settingsInWords({{"algorithm.correction", "1.0"}}), QStringLiteral("c\u00a01"));
    EXPECT_EQ(settingsInWords({{"algorithm.name", "sync_sgd"}}), QString());
    EXPECT_EQ(settingText("train.batch_size", "64"), QStringLiteral("batch\u00a064"));
}

TEST(RunConfig, TitleNamesExperimentAlgorithmAndSeed) {
    EXPECT_EQ(runTitle(makeRun("r", "dasgd", kToml, 7)->row),
              QStringLiteral("sweep  /  dasgd  τ\u00a04  d\u00a03  ξ\u00a00.25  ·  seed 7"));
}

TEST(RunConfig, LinksHaveAirBetweenNumberAndUnit) {
    EXPECT_EQ(linkInWords("200Mbps, 1ms"), QStringLiteral("200\u00a0Mbps, 1\u00a0ms"));
    EXPECT_EQ(linkInWords(""), QString());
}

TEST(RunConfig, TheGroupIgnoresTheSeedAlone) {
    const std::string other = std::string(kToml).replace(std::string(kToml).find("seed = 7"), 8, "seed = 8");
    EXPECT_EQ(groupKey(makeRun("a", "dasgd", kToml, 7)->row), groupKey(makeRun("b", "dasgd", other, 8)->row));
    const std::string slower = std::string(kToml).replace(std::string(kToml).find("delay = 3"), 9, "delay = 2");
    EXPECT_NE(groupKey(makeRun("a", "dasgd", kToml)->row), groupKey(makeRun("b", "dasgd", slower)->row));
}

}  // namespace
}  // namespace dasgd::gui
