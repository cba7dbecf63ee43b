#include "gui/data/runs/run_schema.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(RunSchema, IsWhatTheRecordHolds) {
    const RunSchema schema = schemaOf(makeRun("r", "dasgd")->row);
    ASSERT_EQ(schema.size(), 5U);
    const Setting* delay = findSetting(schema, "algorithm.delay");
    ASSERT_NE(delay, nullptr);
    EXPECT_EQ(delay->symbol, QStringLiteral("d"));
    EXPECT_EQ(delay->unit, QStringLiteral("steps"));
    EXPECT_EQ(delay->defaultText, QStringLiteral("1"));
    EXPECT_EQ(findSetting(schema, "algorithm.decay"), nullptr);
}

TEST(RunSchema, IsEmptyWhereNothingOrNonsenseWasRecorded) {
    EXPECT_TRUE(schemaOf({.runId = "r"}).empty());
    EXPECT_TRUE(schemaOf({.runId = "r", .schema = std::make_shared<const std::string>("{ no json")}).empty());
}

}  // namespace
}  // namespace dasgd::gui
