#include "gui/data/runs/run_config.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

constexpr const char* kToml =
    "name = \"s\"\n[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 3\nlocal_weight = 0.25\n"
    "correction = 0.0\n[train]\nseed = 7\nbatch_size = 32\n[cluster]\nlink = { bandwidth = \"1Gbps\" }\n";

TEST(RunConfig, SaysTheSettingsInTheSymbolsOfTheRecord) {
    const RunSchema dasgd = schemaOf(makeRun("r", "dasgd")->row);
    EXPECT_EQ(settingsInWords(settingsOf(std::string(kToml)), dasgd),
              QStringLiteral("τ\u00a04  d\u00a03  ξ\u00a00.25"));
    EXPECT_EQ(settingsInWords({{"algorithm.correction", "1.0"}}, dasgd), QStringLiteral("c\u00a01"));
    EXPECT_EQ(settingsInWords({{"algorithm.name", "sync_sgd"}}, dasgd), QString());
    EXPECT_EQ(settingText("train.batch_size", "64", dasgd), QStringLiteral("batch\u00a064"));
    EXPECT_EQ(settingText("algorithm.delay", "3", dasgd), QStringLiteral("d\u00a03"));
    EXPECT_EQ(settingText("algorithm.delay", "3", {}), QStringLiteral("delay\u00a03")) << "an older record";
    const RunSchema own{{.key = "algorithm.decay", .symbol = QStringLiteral("κ"), .defaultText = QStringLiteral("1")}};
    EXPECT_EQ(settingsInWords({{"algorithm.decay", "0.5"}}, own), QStringLiteral("κ\u00a00.5"))
        << "an algorithm that the window has never heard of";
}

TEST(RunConfig, SaysWhatDiffersFromItsDefault) {
    const RunSchema schema{
        {.key = "algorithm.bucket_mb", .symbol = {}, .defaultText = QStringLiteral("25.0")},
        {.key = "optimizer.learning_rate", .symbol = QStringLiteral("η"), .defaultText = QStringLiteral("0.05")},
        {.key = "cluster.workers", .symbol = QStringLiteral("P"), .defaultText = QStringLiteral("2")},
        {.key = "data.prefetch", .symbol = {}, .defaultText = QStringLiteral("4")}};
    const auto words = [&](const char* bucket, const char* rate) {
        return settingsInWords({{"algorithm.bucket_mb", bucket},
                                {"optimizer.learning_rate", rate},
                                {"cluster.workers", "8"},
                                {"compute.step_time", "5ms"},
                                {"data.prefetch", "9"}},
                               schema);
    };
    EXPECT_EQ(words("25", "0.05"), QString());
    EXPECT_EQ(words("5", "0.02"), QStringLiteral("bucket_mb\u00a05  η\u00a00.02"));
}

TEST(RunConfig, TitleNamesExperimentAlgorithmAndSeed) {
    EXPECT_EQ(runTitle(makeRun("r", "dasgd", kToml, 7)->row),
              QStringLiteral("sweep  /  dasgd  τ\u00a04  d\u00a03  ξ\u00a00.25  ·  seed 7"));
}

TEST(RunConfig, DifferentNumbersNeverReadAlike) {
    EXPECT_EQ(settingValue("1048576"), QStringLiteral("1048576"));
    EXPECT_EQ(settingValue("4.0"), QStringLiteral("4"));
    EXPECT_EQ(settingValue("0.250000"), QStringLiteral("0.25"));
    EXPECT_EQ(settingValue("0.0001"), QStringLiteral("0.0001"));
    EXPECT_EQ(settingValue("0.1234567"), QStringLiteral("0.1234567"));
    EXPECT_EQ(settingValue("0.1234568"), QStringLiteral("0.1234568"));
    EXPECT_EQ(settingValue("0.12345678900"), QStringLiteral("0.123456789"));
    EXPECT_EQ(settingValue("0.3333333333333333"), QStringLiteral("0.3333333333333333"));
    EXPECT_NE(settingValue("9007199254740992"), settingValue("9007199254740993")) << "no double tells them apart";
    const RunSchema dasgd = schemaOf(makeRun("r", "dasgd")->row);
    EXPECT_NE(settingsInWords({{"algorithm.local_weight", "0.1234567"}}, dasgd),
              settingsInWords({{"algorithm.local_weight", "0.1234568"}}, dasgd));
    const auto shown = settingValues({"4", "4.0", "0.050000", "adam"});
    EXPECT_EQ(shown.at("4"), QStringLiteral("4"));
    EXPECT_EQ(shown.at("4.0"), QStringLiteral("4.0"));
    EXPECT_EQ(shown.at("0.050000"), QStringLiteral("0.05"));
    EXPECT_EQ(shown.at("adam"), QStringLiteral("adam"));
}

TEST(RunConfig, LinksHaveAirBetweenNumberAndUnit) {
    EXPECT_EQ(linkInWords("200Mbps, 1ms"), QStringLiteral("200\u00a0Mbps, 1\u00a0ms"));
    EXPECT_EQ(linkInWords(""), QString());
}

}  // namespace
}  // namespace dasgd::gui
