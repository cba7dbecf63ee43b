#include "gui/compare/model/compare_view.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

TEST(CompareView, RowsAreFoundWhereConfigurationsWereAddedSince) {
    const std::vector<CompareGroup> groups{{.key = "new"}, {.key = "a"}, {.key = "b"}};
    Compared compared{.keys = {"a", "b"}};
    compared.comparison.groups = {{.label = "first"}, {.label = "second"}};
    compared.comparison.baseline = "second";
    const CompareView view(groups, &compared);
    EXPECT_EQ(view.row(0), nullptr);
    ASSERT_NE(view.row(1), nullptr);
    EXPECT_EQ(view.row(1)->label, "first");
    EXPECT_EQ(view.row(2)->label, "second");
    EXPECT_EQ(view.row(9), nullptr);
    EXPECT_EQ(view.baseline(), 2U);
}

// Hidden groups are compared with nothing.
TEST(CompareView, SaysInWhatTheSetUpsOfTheShownGroupsDiffer) {
    const std::vector<CompareGroup> groups{{.key = "a"}, {.key = "b"}, {.key = "c"}};
    Compared compared{.keys = {"a", "b", "c"}};
    compared.comparison.groups = {{.label = "a"}, {.label = "b"}, {.label = "c"}};
    for (std::size_t i = 0; i < 3; ++i) compared.comparison.groups[i].setups = {{{"workers", i < 2 ? "2" : "4", {}}}};
    CompareView view(groups, &compared);
    view.shown = {0, 1};
    EXPECT_EQ(view.cautionsInWords(), QString());
    view.shown = {0, 2};
    EXPECT_EQ(view.cautionsInWords(), QStringLiteral("set-ups differ: workers 2 / 4"));
    compared.comparison.groups[1].runIds = {"r", "s"};
    compared.comparison.groups[1].disturbed = 2;
    EXPECT_EQ(view.cautionsInWords(), QStringLiteral("set-ups differ: workers 2 / 4")) << "it is hidden";
    view.shown = {0, 1};
    EXPECT_EQ(view.cautionsInWords(), QStringLiteral("other programs took cores beside 2 of 2 runs of b: these times "
                                                     "are not of the machine alone"));
}

TEST(CompareView, NothingIsReadBeforeItArrives) {
    const std::vector<CompareGroup> groups{{.key = "a"}};
    CompareView view(groups, nullptr);
    EXPECT_EQ(view.row(0), nullptr);
    EXPECT_FALSE(view.baseline());
    EXPECT_FALSE(view.isTargetRead());
    const Compared compared{.target = *parseTarget("loss=0.5")};
    CompareView read(groups, &compared);
    EXPECT_FALSE(read.isTargetRead()) << "another target is set";
    read.target = *parseTarget("loss=0.5");
    EXPECT_TRUE(read.isTargetRead());
}

TEST(CompareView, ARatioToTheBaselineHasTheSpreadOfBoth) {
    const std::vector<CompareGroup> groups{{.key = "a", .name = QStringLiteral("sync")}, {.key = "b"}};
    Compared compared{.keys = {"a", "b"}};
    compared.comparison.groups = {{.label = "a"}, {.label = "b"}};
    compared.comparison.groups[0].stepMs = summarise({40, 42});
    compared.comparison.groups[1].stepMs = summarise({10, 10.5});
    compared.comparison.baseline = "a";
    CompareView view(groups, &compared);
    view.shown = {0, 1};
    const Sample ratio = ratioToBaseline(view, 1, CompareNumber::StepMs);
    EXPECT_DOUBLE_EQ(ratio.mean, 0.25);
    EXPECT_TRUE(ratio.confidence);
    EXPECT_FALSE(ratioToBaseline(view, 0, CompareNumber::StepMs).confidence) << "it is 1 whatever was measured";
    EXPECT_EQ(ratioToBaseline(view, 1, CompareNumber::FinalLoss).n, 0U);
    EXPECT_EQ(ratiosInWords(view, CompareNumber::StepMs), QStringLiteral("×: ratio to the mean of sync"));
    EXPECT_EQ(ratiosInWords(view, CompareNumber::FinalLoss), QString());
}

}  // namespace
}  // namespace dasgd::gui
