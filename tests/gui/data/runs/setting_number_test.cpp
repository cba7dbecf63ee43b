#include "gui/data/runs/setting_number.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

TEST(SettingNumber, ReadsEveryUnitOfASetting) {
    const auto is = [](const char* text, double value, Dimension dimension) {
        const auto number = settingNumber(text);
        return number && number->dimension == dimension && std::abs(number->value - value) <= 1e-9 * std::abs(value);
    };
    EXPECT_TRUE(is("8", 8, Dimension::Plain));
    EXPECT_TRUE(is("-1e-3", -1e-3, Dimension::Plain));
    EXPECT_TRUE(is("1.5ms", 1.5e-3, Dimension::Time));
    EXPECT_TRUE(is("2h", 7200, Dimension::Time));
    EXPECT_TRUE(is("64MB", 64e6, Dimension::Bytes));
    EXPECT_TRUE(is("200Mbps", 25e6, Dimension::Rate));
    EXPECT_TRUE(is("1GB/s", 1e9, Dimension::Rate));
}

TEST(SettingNumber, TextIsNone) {
    for (const char* text : {"", "auto", "infinite", "nanobot", "3 apples", "full", "1.5ms extra"}) {
        EXPECT_FALSE(settingNumber(text)) << text;
    }
}

}  // namespace
}  // namespace dasgd::gui
