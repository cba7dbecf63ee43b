#include "gui/scaling/model/reports/report.h"

#include <gtest/gtest.h>

#include <QJsonArray>

namespace dasgd::gui {
namespace {

TEST(Report, ProgressIsTheLastWholeLineOfIt) {
    const QByteArray errors =
        "6,\"total\":9}}\n{\"progress\":{\"title\":\"1/2 a\",\"completed\":3,\"total\":10,\"remark\":\"\"}}\nplain "
        "words\n"
        "{\"progress\":{\"title\":\"2/2 b\",\"completed\":4,\"total\":8,\"remark\":\"stopping\"}}\n{\"progress\":{\"ti";
    const auto progress = lastProgress(errors);
    ASSERT_TRUE(progress);
    EXPECT_EQ(progress->inWords(), QStringLiteral("2/2 b · 4 of 8 steps · stopping"));
    EXPECT_EQ(progress->place(), QStringLiteral("2/2"));
    EXPECT_DOUBLE_EQ(progress->share(), 0.75) << "of the whole job: one run is done, half of the other";
    EXPECT_DOUBLE_EQ((JobProgress{.title = QStringLiteral("probe 1/2"), .completed = 1, .total = 4}.share()), 0.25);
    EXPECT_DOUBLE_EQ((JobProgress{.title = QStringLiteral("3/0 x"), .completed = 1, .total = 4}.share()), 0.25);
    EXPECT_FALSE(lastProgress("plain words\n"));
    EXPECT_EQ(JobProgress().share(), 0);
}

TEST(Report, TheExitStatusDecidesWhatBecameOfIt) {
    const QByteArray progress = "{\"progress\":{\"title\":\"x\",\"completed\":3,\"total\":10,\"remark\":\"\"}}\n";
    Report finished;
    conclude(finished, "| a |\n| - |\n", progress, 0);
    EXPECT_EQ(finished.state, ReportState::Finished);
    EXPECT_EQ(finished.markdown, QStringLiteral("| a |\n| - |\n"));
    Report failed;
    conclude(failed, "", progress + "dasgd: f.toml:3:1: unknown key 'x'\n", 2);
    EXPECT_EQ(failed.state, ReportState::Failed);
    EXPECT_EQ(failed.error, QStringLiteral("f.toml:3:1: unknown key 'x'")) << "without the lines for programs";
    Report stopped;
    conclude(stopped, "", "", 130);
    EXPECT_EQ(stopped.state, ReportState::Stopped);
    Report silent;
    conclude(silent, "", "", 3);
    EXPECT_TRUE(silent.error.contains(QStringLiteral("exit status 3")));
    Report empty;
    conclude(empty, " \n", "", 0);
    EXPECT_EQ(empty.state, ReportState::Failed) << "nothing is no result";
}

constexpr const char* kAdvice =
    "Advised for 2 workers:\n\n```toml\n[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 2\n```\n\n"
    "| | run |\n| :--- | :--- |\n| dasgd | 20261130-142522-dasgd-66a2, 20261130-142530-async_sgd-0b1c |\n"
    "| again | 20261130-142522-dasgd-66a2 |\n\n```\n# of 20261130-142522-dasgd-66a2\n```\n";

TEST(Report, NamesEveryRunThatItsResultNamesAndLinksThem) {
    Report report;
    conclude(report, kAdvice, "", 0);
    EXPECT_EQ(report.runs, (QStringList{"20261130-142522-dasgd-66a2", "20261130-142530-async_sgd-0b1c"}));
    const QString linked = withRunLinks(report.markdown);
    EXPECT_EQ(linked.count(QStringLiteral("[20261130-142522-dasgd-66a2](20261130-142522-dasgd-66a2)")), 2);
    EXPECT_TRUE(linked.contains(QStringLiteral("# of 20261130-142522-dasgd-66a2\n"))) << "code stays as it is";
}

TEST(Report, AnAdviceHasASettingToTakeOver) {
    EXPECT_EQ(advisedSetting(QString::fromUtf8(kAdvice)),
              QStringLiteral("{ name = \"dasgd\", period = 4, delay = 2 }"));
    EXPECT_EQ(advisedSetting(QStringLiteral("```toml\n[cluster]\nworkers = 2\n```\n")), QString());
}

TEST(Report, IsNamedAfterWhatWasAsked) {
    EXPECT_EQ(headingOf({.asked = {.kind = JobKind::Calibrate, .title = QStringLiteral("mine")}}),
              QStringLiteral("Calibration of mine"));
    EXPECT_EQ(headingOf({.asked = {.kind = JobKind::Advise, .title = QStringLiteral("mine")}}),
              QStringLiteral("Advice for mine"));
}

TEST(Report, OneOfAnEarlierWindowSaysSo) {
    QJsonObject json = jsonOf(Report{.asked = {.title = QStringLiteral("x"), .text = QStringLiteral("y")}});
    json.remove(QStringLiteral("markdown"));
    json[QStringLiteral("result")] = QJsonArray();
    json[QStringLiteral("runs")] = QJsonArray{QStringLiteral("r1")};
    const auto old = reportOf(QStringLiteral("n"), json);
    ASSERT_TRUE(old);
    EXPECT_TRUE(old->markdown.contains(QStringLiteral("earlier version")));
    EXPECT_EQ(old->runs, QStringList{"r1"}) << "the forecast still knows its calibration";
}

TEST(Report, ComesBackFromItsFile) {
    Report report{.name = QStringLiteral("n"),
                  .asked = {.kind = JobKind::Advise, .title = QStringLiteral("mine"), .text = QStringLiteral("x")},
                  .started = QDateTime::fromString(QStringLiteral("2026-11-22T12:00:00.250Z"), Qt::ISODateWithMs),
                  .program = QStringLiteral("/bin/dasgd"),
                  .version = QStringLiteral("0.1.0"),
                  .process = 7};
    conclude(report, kAdvice, "", 0);
    const auto back = reportOf(QStringLiteral("n"), jsonOf(report));
    ASSERT_TRUE(back);
    EXPECT_EQ(jsonOf(*back), jsonOf(report));
    EXPECT_EQ(back->started, report.started);
    EXPECT_FALSE(reportOf(QStringLiteral("n"), {{"state", "finished"}}));
}

}  // namespace
}  // namespace dasgd::gui
