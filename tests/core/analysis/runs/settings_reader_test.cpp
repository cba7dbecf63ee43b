// Reading tables apart gives what reading the whole document gives, and reads what documents share once.
#include "core/analysis/runs/settings_reader.h"

#include <gtest/gtest.h>

namespace dasgd {
namespace {

constexpr const char* kRun = R"(name = "x"
[algorithm]
name = "dasgd"
delay = 3
[cluster.link]
bandwidth = "200Mbps"
[train]
seed = )";

std::string run(int seed) { return kRun + std::to_string(seed) + "\n"; }

TEST(SettingsReaderTest, ReadsTablesThatRunsShareOnce) {
    SettingsReader reader;
    EXPECT_EQ(reader.read(run(1)), settingsOf(run(1)));
    EXPECT_EQ(reader.tablesRead(), 4U);
    const Settings second = reader.read(run(2));
    EXPECT_EQ(second, settingsOf(run(2)));
    EXPECT_EQ(second.at("train.seed"), "2");
    EXPECT_EQ(second.at("cluster.link.bandwidth"), "200Mbps");
    EXPECT_EQ(reader.tablesRead(), 5U);
}

// A line that begins with a bracket need not be a header.
TEST(SettingsReaderTest, ReadsWholeWhatCannotBeTakenApart) {
    for (const char* toml : {"[network]\nmatrix = [\n[1, 2],\n[3, 4]\n]\n[train]\nseed = 1\n",
                             "[model]\ntext = \"\"\"\n[train]\nseed = 7\n\"\"\"\n[train]\nseed = 1\n",
                             "name = \"x\"\n[[case]]\nname = \"a\"\n[[case]]\nname = \"b\"\n", "", "\n[a]\nb = 1"}) {
        SettingsReader reader;
        EXPECT_EQ(reader.read(toml), settingsOf(std::string(toml))) << toml;
        EXPECT_EQ(reader.read(toml), settingsOf(std::string(toml))) << "again: " << toml;
    }
}

TEST(SettingsReaderTest, WhatIsNoTomlHasNoSettings) {
    SettingsReader reader;
    EXPECT_TRUE(reader.read("[train]\nseed = 1\n[train]\nseed = 2\n").empty());
    EXPECT_TRUE(reader.read("[train]\nseed = 1\n[model]\nname = \n").empty());
}

TEST(SettingsReaderTest, ForgetsTablesBeforeTheyAreTooMany) {
    SettingsReader reader;
    for (int seed = 0; seed < 10'000; ++seed) ASSERT_EQ(reader.read(run(seed)).at("train.seed"), std::to_string(seed));
}

}  // namespace
}  // namespace dasgd
