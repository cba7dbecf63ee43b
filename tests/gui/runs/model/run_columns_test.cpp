#include "gui/runs/model/run_columns.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

const RunColumn kDelay{.key = QStringLiteral("algorithm.delay")};
const RunColumn kLoss{.field = RunTableModel::FinalLoss};

TEST(RunColumns, ComeBackAsTheyWereKept) {
    const RunColumns columns{{.field = RunTableModel::Hidden, .width = 90},
                             {.key = QStringLiteral("algorithm.delay"), .width = 70},
                             kLoss,
                             {.key = QStringLiteral("name")}};
    EXPECT_EQ(columnsFromTexts(columnsToTexts(columns)), columns);
    EXPECT_EQ(columnsFromTexts(columnsToTexts(defaultColumns())), defaultColumns());
    EXPECT_EQ(defaultColumns().size(), 15U);
}

TEST(RunColumns, WhatIsUnknownOrThereTwiceIsLeftOut) {
    EXPECT_EQ(columnsFromTexts({"colour", "final loss", "config:", "final loss=80", "=", "=90"}), RunColumns{kLoss});
    EXPECT_EQ(columnsFromTexts({"blocked ms=70"}), (RunColumns{{.field = RunTableModel::Blocked}}))
        << "kept by its former name, which needed less room";
    EXPECT_EQ(columnsFromTexts({"accuracy=70"}), (RunColumns{{.field = RunTableModel::BestAccuracy}}));
    EXPECT_EQ(columnsFromTexts({"colour"}), defaultColumns());
    EXPECT_EQ(columnsFromTexts({}), defaultColumns());
    EXPECT_EQ(columnsFromTexts({"final loss=-5"}).front().width, 0);
    EXPECT_EQ(columnsFromTexts({"final loss=99999999"}).front().width, 2000);
}

TEST(RunColumns, AreAddedAndTakenAwayButNeverAll) {
    RunColumns columns{kLoss};
    toggleColumn(columns, kDelay);
    EXPECT_EQ(columns, (RunColumns{kLoss, kDelay}));
    EXPECT_TRUE(hasColumn(columns, {.key = kDelay.key, .width = 55})) << "whatever its width";
    toggleColumn(columns, kLoss);
    EXPECT_EQ(columns, RunColumns{kDelay});
    toggleColumn(columns, kDelay);
    EXPECT_EQ(columns, RunColumns{kDelay});
}

}  // namespace
}  // namespace dasgd::gui
