#include "gui/scaling/reports/report_view.h"

#include <gtest/gtest.h>

#include <QProgressBar>
#include <QSignalSpy>
#include <QTableWidget>

#include "gui/kit/plots/plot_view.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class ReportViewTest : public ::testing::Test {
protected:
    ReportViewTest() {
        view_.resize(900, 700);
        view_.show();
    }
    void show(Report report, const QByteArray& output = {}, const QByteArray& errors = {}, int status = 0) {
        if (!output.isEmpty() || status != 0) conclude(report, output, errors, status);
        view_.show(
            report, [](const QString&) { return std::string(); }, false);
    }
    [[nodiscard]] bool shows(const QString& words) const {
        for (const auto* one : view_.findChildren<QLabel*>()) {
            if (one->isVisible() && one->text().contains(words)) return true;
        }
        return false;
    }
    QPushButton* button(const QString& text) {
        for (auto* one : view_.findChildren<QPushButton*>()) {
            if (one->text() == text && one->isVisible()) return one;
        }
        return nullptr;
    }
    [[nodiscard]] static Report report(JobKind kind) {
        return {.name = QStringLiteral("n"),
                .asked = {.kind = kind, .title = QStringLiteral("mine")},
                .started = QDateTime::currentDateTimeUtc()};
    }
    ReportView view_{testLook()};
};

const QByteArray kAdvice =
    R"({"facts":{},"advice":{"period":2,"delay":1},"forecast":[{"algorithm":"dasgd","advised":false,)"
    R"("settings":"{ name = \"dasgd\", delay = 1 }","step_ms":8,"run_id":"a"},{"algorithm":"dasgd","advised":true,)"
    R"("settings":"{ name = \"dasgd\", delay = 2 }","step_ms":7,"run_id":"b"}]})";

// Style sheet and parent give a window its font only when it is shown.
TEST_F(ReportViewTest, ColumnsThatWereFilledBeforeItWasShownAreNotCut) {
    ReportView early(testLook());
    Report advised = report(JobKind::Advise);
    conclude(advised, kAdvice, {}, 0);
    early.show(
        advised, [](const QString&) { return std::string(); }, false);
    QFont large = early.font();
    large.setPointSize(3 * large.pointSize());
    early.table().setFont(large);
    early.show();
    const QAbstractItemView& table = early.table();
    ASSERT_GT(early.table().columnCount(), 2);
    for (int column = 0; column + 1 < early.table().columnCount(); ++column) {
        EXPECT_GE(early.table().columnWidth(column), table.sizeHintForColumn(column)) << column;
    }
}

TEST_F(ReportViewTest, WhileItRunsThereIsProgressAndAWayToStop) {
    Report running = report(JobKind::Advise);
    running.progress = {.title = QStringLiteral("2/9 forecast"), .completed = 5, .total = 10};
    show(running);
    EXPECT_TRUE(shows(QStringLiteral("2/9 forecast · 5 of 10 steps")));
    EXPECT_TRUE(shows(QStringLiteral("goes on when this window is closed")));
    EXPECT_EQ(view_.findChild<QProgressBar*>()->value(), 166) << "over the whole job";
    QSignalSpy stopped(&view_, &ReportView::stopWanted);
    ASSERT_NE(button(QStringLiteral("Cancel")), nullptr);
    button(QStringLiteral("Cancel"))->click();
    EXPECT_EQ(stopped.size(), 1);
    running.stopping = true;
    show(running);
    EXPECT_NE(button(QStringLiteral("End at once")), nullptr) << "the second time is not polite";
}

TEST_F(ReportViewTest, ADoubleClickOnCancelIsPolite) {
    Report running = report(JobKind::Advise);
    show(running);
    QSignalSpy stopped(&view_, &ReportView::stopWanted);
    QPushButton* cancel = button(QStringLiteral("Cancel"));
    QTest::mouseClick(cancel, Qt::LeftButton);
    running.stopping = true;
    show(running);
    QTest::mouseDClick(cancel, Qt::LeftButton);
    EXPECT_EQ(stopped.size(), 1);
}

TEST_F(ReportViewTest, TheAdvisedRowIsChosenAndCanBeTakenOver) {
    show(report(JobKind::Advise), kAdvice);
    EXPECT_EQ(view_.table().rowCount(), 2);
    EXPECT_EQ(view_.table().currentRow(), 1);
    QSignalSpy taken(&view_, &ReportView::settingsWanted);
    ASSERT_NE(button(QStringLiteral("Set in experiment")), nullptr);
    button(QStringLiteral("Set in experiment"))->click();
    EXPECT_EQ(taken.value(0).value(0).toString(), QStringLiteral("{ name = \"dasgd\", delay = 2 }"));
    view_.table().setCurrentCell(0, 0);
    button(QStringLiteral("Set in experiment"))->click();
    EXPECT_EQ(taken.value(1).value(0).toString(), QStringLiteral("{ name = \"dasgd\", delay = 1 }"));
    EXPECT_TRUE(shows(QStringLiteral("time simulated")));
}

TEST_F(ReportViewTest, TimesByFormulaStandApartFromWhatRan) {
    show(report(JobKind::Advise), kAdvice);
    EXPECT_FALSE(view_.formulas().isVisible()) << "of a program that says none";
    Report other = report(JobKind::Advise);
    other.name = QStringLiteral("other");
    show(other, R"({"facts":{},"advice":{},"forecast":[],"formulas":[{"settings":"{ name = \"dga\" }","step_ms":7}]})");
    EXPECT_TRUE(view_.formulas().isVisible());
    EXPECT_EQ(view_.formulas().rowCount(), 1);
    EXPECT_FALSE(view_.table().isVisible());
    EXPECT_TRUE(shows(QStringLiteral("nothing was run")));
    EXPECT_EQ(button(QStringLiteral("Set in experiment")), nullptr);
}

TEST_F(ReportViewTest, ACalibrationShowsItsFitAndCanBeUsed) {
    show(
        report(JobKind::Calibrate),
        R"({"run_id":"r1","workers":2,"step_s":0.006,"contention":0.1,"latency_s":0.001,"seconds_per_byte":8e-8,)"
        R"("reduce_seconds_per_byte":0,"bytes":250000,"timed":[{"collective":"all-reduce","bytes":250000,"seconds":0.02}]})");
    auto* fit = view_.findChild<PlotView*>();
    ASSERT_TRUE(fit->isVisible());
    EXPECT_EQ(fit->curves().size(), 2U) << "timed and fitted";
    EXPECT_FALSE(shows(QStringLiteral("⚠")));
    EXPECT_NE(button(QStringLiteral("Use for forecast")), nullptr);
    EXPECT_TRUE(eventually([&] { return shows(QStringLiteral("T_c, a local step")); }));
    Report other = report(JobKind::Replay);
    other.name = QStringLiteral("other");
    show(other, R"({"run_id":"v","replay_of":"r1","recorded_step_ms":5,"step_ms":50})");
    EXPECT_FALSE(fit->isVisible());
    EXPECT_EQ(view_.table().rowCount(), 2);
}

TEST_F(ReportViewTest, WhatIsKnownOfTheRunIsSaidOnceItIsRead) {
    Report calibrated = report(JobKind::Calibrate);
    conclude(calibrated, R"({"run_id":"r1","workers":2,"step_s":0.006})", {}, 0);
    std::string config;
    const ConfigOf configOf = [&](const QString&) { return config; };
    view_.show(calibrated, configOf, false);
    EXPECT_TRUE(shows(QStringLiteral("its run is not known here")));
    config = "[cluster]\nbackend = \"virtual\"\n";
    view_.show(calibrated, configOf, false);
    EXPECT_TRUE(shows(QStringLiteral("time simulated")));
}

TEST_F(ReportViewTest, LinksHaveTheColourOfTheTheme) {
    show(report(JobKind::Calibrate), R"({"run_id":"r1","workers":2,"step_s":0.006})");
    QLabel* runs = nullptr;
    for (auto* one : view_.findChildren<QLabel*>()) {
        if (one->accessibleName() == QStringLiteral("Runs of the report")) runs = one;
    }
    ASSERT_NE(runs, nullptr);
    for (int i = 0; i < 2; ++i) {
        testLook().toggle();
        EXPECT_TRUE(runs->text().contains(testLook().theme().accent.name())) << runs->text().toStdString();
    }
}

TEST_F(ReportViewTest, AFailureIsTheWordsOfTheProgram) {
    show(report(JobKind::Scale), "", "dasgd: --workers 0: at least 1\n", 2);
    auto* message = view_.findChild<MessageBar*>();
    EXPECT_TRUE(message->isVisible());
    EXPECT_EQ(message->text(), QStringLiteral("--workers 0: at least 1"));
    EXPECT_NE(button(QStringLiteral("Again …")), nullptr);
    EXPECT_EQ(button(QStringLiteral("Scaling page")), nullptr);
}

TEST_F(ReportViewTest, AFitThatIsFarOffIsWarnedOf) {
    show(report(JobKind::Calibrate),
         R"({"run_id":"r1","workers":2,"step_s":0.006,"contention":0.1,"latency_s":0.001,"seconds_per_byte":8e-8,)"
         R"("reduce_seconds_per_byte":0,"bytes":250000,"longest_deviation":0.65,"worst_deviation":0.75,)"
         R"("timed":[{"collective":"all-reduce","bytes":250000,"seconds":0.06}]})");
    EXPECT_TRUE(shows(QStringLiteral("⚠ No link fits these transfers")));
}

TEST_F(ReportViewTest, ATitleStandsOverItsColumnAndIdsSayWhatTellsThemApart) {
    show(report(JobKind::Advise),
         R"({"facts":{},"advice":{},"forecast":[{"algorithm":"dasgd","settings":"{ name = \"dasgd\" }","step_ms":7,)"
         R"("run_id":"20261126-223052-dasgd-58d9"}]})");
    const QTableWidget& table = view_.table();
    const int last = table.columnCount() - 1;
    EXPECT_TRUE(table.horizontalHeaderItem(0)->textAlignment() & Qt::AlignLeft);
    EXPECT_TRUE(table.horizontalHeaderItem(1)->textAlignment() & Qt::AlignRight);
    EXPECT_TRUE(table.horizontalHeaderItem(last)->textAlignment() & Qt::AlignLeft);
    EXPECT_EQ(table.item(0, last)->text(), QStringLiteral("58d9"));
    EXPECT_TRUE(table.item(0, last)->toolTip().contains(QStringLiteral("20261126-223052-dasgd-58d9")));
}

}  // namespace
}  // namespace dasgd::gui
