#include "gui/kit/words/csv.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dasgd::gui {
namespace {

TEST(Csv, ANumberReadsBackAsItself) {
    EXPECT_EQ(csvNumber(0.1), QStringLiteral("0.1"));
    for (const double value : {1.0 / 3, 1e-300, 123456789.123456789}) EXPECT_EQ(csvNumber(value).toDouble(), value);
    EXPECT_EQ(csvNumber(std::nullopt), QString());
    EXPECT_EQ(csvNumber(std::nan("")), QStringLiteral("nan"));
    EXPECT_EQ(csvField(QStringLiteral("=a\"b")), QStringLiteral("\"'=a\"\"b\""));
}

}  // namespace
}  // namespace dasgd::gui
