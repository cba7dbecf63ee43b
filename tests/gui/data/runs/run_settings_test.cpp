#include "gui/data/runs/run_settings.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

TEST(RunSettings, FindsEveryValueByItsKey) {
    SettingsPool pool;
    const Settings all{{"algorithm.delay", "3"}, {"algorithm.name", "dasgd"}, {"train.seed", "7"}};
    const RunSettings packed = pool.pack(all);
    EXPECT_EQ(packed.unpacked(), all);
    EXPECT_TRUE(RunSettings().unpacked().empty());
    for (const auto& [key, value] : all) {
        ASSERT_NE(packed.find(key), nullptr) << key;
        EXPECT_EQ(*packed.find(key), value);
        EXPECT_EQ(packed.at(packed.placeOf(key).value()), value);
    }
    for (const char* absent : {"", "algorithm", "algorithm.delays", "zzz"}) {
        EXPECT_EQ(packed.find(absent), nullptr) << absent;
    }
}

TEST(RunSettings, RunsWithTheSameKeysShareThem) {
    SettingsPool pool;
    const RunSettings one = pool.pack({{"a", "1"}, {"b", "2"}}), same = pool.pack({{"a", "3"}, {"b", "4"}});
    const RunSettings other = pool.pack({{"a", "1"}});
    EXPECT_EQ(one.keys(), same.keys());
    EXPECT_NE(one.keys(), other.keys());
    EXPECT_EQ(*same.find("b"), "4");
}

TEST(RunSettings, WithoutSettingsNothingIsFound) {
    EXPECT_EQ(RunSettings().keys(), nullptr);
    EXPECT_EQ(RunSettings().find("a"), nullptr);
}

}  // namespace
}  // namespace dasgd::gui
