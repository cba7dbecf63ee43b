#include "gui/scaling/reports/report_view.h"

#include <gtest/gtest.h>

#include <QProgressBar>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTextBrowser>
#include <QTextTable>

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
        view_.show(report, false);
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
    "Advised for 2 workers:\n\n```toml\n[algorithm]\nname = \"dasgd\"\ndelay = 2\n```\n\n| | ms/step | run |\n"
    "| :--- | ---: | :--- |\n| dasgd | 7.00 | 20261126-223052-dasgd-58d9 |\n| local\\_sgd | 8.00 | – |\n";

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

TEST_F(ReportViewTest, TheTextIsShownWithItsTablesAndCode) {
    show(report(JobKind::Advise), kAdvice);
    EXPECT_TRUE(shows(QStringLiteral("Advice for mine")));
    const QTextDocument& text = *view_.text().document();
    const auto frames = text.rootFrame()->childFrames();
    ASSERT_EQ(frames.size(), 1);
    auto* table = qobject_cast<QTextTable*>(frames[0]);
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->rows(), 3);
    EXPECT_EQ(table->columns(), 3);
    EXPECT_TRUE(table->format().borderCollapse());
    const QTextBlockFormat head = table->cellAt(0, 1).firstCursorPosition().blockFormat();
    EXPECT_TRUE(head.alignment() & Qt::AlignRight) << "as the numbers below it";
    EXPECT_EQ(table->cellAt(2, 0).firstCursorPosition().block().text(), QStringLiteral("local_sgd"));
    EXPECT_TRUE(text.toPlainText().contains(QStringLiteral("delay = 2")));
}

TEST_F(ReportViewTest, NamesInTheTextAreNoMarkup) {
    show(report(JobKind::Replay), "plain <img src=\"x\"> \\[a\\](b)\n");
    EXPECT_TRUE(view_.text().toPlainText().contains(QStringLiteral("<img src=\"x\"> [a](b)")))
        << view_.text().toPlainText().toStdString();
}

TEST_F(ReportViewTest, TheAdvisedSettingCanBeTakenOver) {
    show(report(JobKind::Advise), kAdvice);
    QSignalSpy taken(&view_, &ReportView::settingsWanted);
    ASSERT_NE(button(QStringLiteral("Set in experiment")), nullptr);
    button(QStringLiteral("Set in experiment"))->click();
    EXPECT_EQ(taken.value(0).value(0).toString(), QStringLiteral("{ name = \"dasgd\", delay = 2 }"));
    Report other = report(JobKind::Calibrate);
    other.name = QStringLiteral("other");
    show(other, "measured\n");
    EXPECT_EQ(button(QStringLiteral("Set in experiment")), nullptr);
    EXPECT_NE(button(QStringLiteral("Use for forecast")), nullptr);
}

TEST_F(ReportViewTest, ARunIsALinkInTheColourOfTheTheme) {
    show(report(JobKind::Advise), kAdvice);
    QSignalSpy opened(&view_, &ReportView::runWanted);
    emit view_.text().anchorClicked(QUrl(QStringLiteral("20261126-223052-dasgd-58d9")));
    EXPECT_EQ(opened.value(0).value(0).toString(), QStringLiteral("20261126-223052-dasgd-58d9"));
    for (int i = 0; i < 2; ++i) {
        testLook().toggle();
        EXPECT_TRUE(view_.text().document()->toHtml().contains(testLook().theme().accent.name()))
            << view_.text().document()->toHtml().toStdString();
    }
}

TEST_F(ReportViewTest, ATextThatIsReadStaysWhereItIs) {
    Report long_ = report(JobKind::Scale);
    show(long_, QByteArray("line\n\n").repeated(200));
    auto* bar = view_.text().verticalScrollBar();
    ASSERT_TRUE(eventually([&] { return bar->maximum() > 0; }));
    bar->setValue(bar->maximum() / 2);
    const int before = bar->value();
    conclude(long_, QByteArray("line\n\n").repeated(200), {}, 0);
    view_.show(long_, true);
    EXPECT_EQ(bar->value(), before);
}

TEST_F(ReportViewTest, AFailureIsTheWordsOfTheProgram) {
    show(report(JobKind::Scale), "", "dasgd: --workers 0: at least 1\n", 2);
    auto* message = view_.findChild<MessageBar*>();
    EXPECT_TRUE(message->isVisible());
    EXPECT_EQ(message->text(), QStringLiteral("--workers 0: at least 1"));
    EXPECT_NE(button(QStringLiteral("Again …")), nullptr);
    EXPECT_EQ(button(QStringLiteral("Draw scaling")), nullptr);
}

}  // namespace
}  // namespace dasgd::gui
