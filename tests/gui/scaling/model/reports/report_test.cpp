#include "gui/scaling/model/reports/report.h"

#include <gtest/gtest.h>

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
    conclude(finished, "{\"run_id\":\"r1\"}\n{\"run_id\":\"r2\"}\n", progress, 0);
    EXPECT_EQ(finished.state, ReportState::Finished);
    EXPECT_EQ(finished.result.size(), 2);
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
    conclude(empty, "no JSON\n", "", 0);
    EXPECT_EQ(empty.state, ReportState::Failed) << "nothing is no result";
}

TEST(Report, NamesEveryRunThatItsResultNames) {
    Report report;
    conclude(report,
             R"({"facts":{"probe_run":"p"},"forecast":[{"run_id":"a","target_run_id":"b"},{"run_id":"a"}],)"
             R"("configurations":[{"points":[{"runs":["c","d"]}]}],"replay_of":"e"})",
             "", 0);
    QStringList runs = report.runs();
    runs.sort();
    EXPECT_EQ(runs, (QStringList{"a", "b", "c", "d", "e", "p"}));
}

TEST(Report, ComesBackFromItsFile) {
    Report report{.name = QStringLiteral("n"),
                  .asked = {.kind = JobKind::Advise, .title = QStringLiteral("mine"), .text = QStringLiteral("x")},
                  .started = QDateTime::fromString(QStringLiteral("2026-11-22T12:00:00.250Z"), Qt::ISODateWithMs),
                  .program = QStringLiteral("/bin/dasgd"),
                  .version = QStringLiteral("0.1.0"),
                  .process = 7};
    conclude(report, "{\"run_id\":\"r1\"}\n", "", 0);
    const auto back = reportOf(QStringLiteral("n"), jsonOf(report));
    ASSERT_TRUE(back);
    EXPECT_EQ(jsonOf(*back), jsonOf(report));
    EXPECT_EQ(back->started, report.started);
    EXPECT_FALSE(reportOf(QStringLiteral("n"), {{"state", "finished"}}));
}

}  // namespace
}  // namespace dasgd::gui
