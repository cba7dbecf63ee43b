#include "gui/scaling/model/reports/report_content.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gui/data/runs/run_config.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {
namespace {

Report finished(JobKind kind, const QByteArray& output) {
    Report report{.name = QStringLiteral("n"), .asked = {.kind = kind, .title = QStringLiteral("mine")}};
    report.started = QDateTime::fromString(QStringLiteral("2026-11-22T12:00:00Z"), Qt::ISODate);
    conclude(report, output, "", 0);
    return report;
}

std::string configOf(const QString& run) {
    return run == QStringLiteral("r1") ? "[model]\nname = \"lenet\"\n[cluster]\nbackend = \"gloo\"\n[cluster.link]\n"
                                         "bandwidth = \"400Mbps\"\nlatency = \"0.1ms\"\n"
                                       : std::string();
}

QString figure(const ReportContent& content, const char* label) {
    const auto found = std::ranges::find_if(
        content.figures, [&](const ReportFigure& one) { return one.label.startsWith(QString::fromUtf8(label)); });
    return found == content.figures.end() ? QString() : found->number + u' ' + found->unit;
}

const QByteArray kCalibration =
    R"({"run_id":"r1","workers":2,"model":"lenet","batch_size":32,"step_s":0.0062,"backward_share":0.45,)"
    R"("jitter_deviation":0.35,"contention":0.18,"steps_alone":43,"steps_overlapped":28,"bytes":250000,)"
    R"("latency_s":0.001,"seconds_per_byte":8e-8,"reduce_seconds_per_byte":0.0,"longest_deviation":0.015,)"
    R"("worst_deviation":0.4,"timed":[{"collective":"all-reduce","bytes":250000,"seconds":0.023},)"
    R"({"collective":"all-gather","bytes":1000,"seconds":0.002}]})";

TEST(ReportContent, ACalibrationNamesItsNumbersTheirUnitsAndTheirN) {
    const ReportContent content = contentOf(finished(JobKind::Calibrate, kCalibration), configOf);
    EXPECT_EQ(content.heading, QStringLiteral("Calibration of mine"));
    EXPECT_EQ(content.basis, QStringLiteral("measured, the link emulated: ") + linkInWords("400Mbps, 0.1ms"));
    EXPECT_EQ(figure(content, "T_c"), QStringLiteral("6.200 ms"));
    EXPECT_TRUE(content.figures.front().help.contains(QStringLiteral("mean of 43 steps")));
    EXPECT_EQ(figure(content, "κ"), QStringLiteral("0.180 "));
    EXPECT_EQ(figure(content, "1/β"), QStringLiteral("100.0 Mbit/s"));
    EXPECT_EQ(figure(content, "T_m"), QStringLiteral("22.00 ms"));
    EXPECT_EQ(figure(content, "1/ρ"), kAbsent + QStringLiteral(" GB/s")) << "0 is no rate";
    ASSERT_EQ(content.fit.size(), 2U);
    EXPECT_NEAR(content.fit[0].fitted, 0.022, 1e-9);
    EXPECT_NEAR(content.fit[1].fitted, 0.00108, 1e-9);
    EXPECT_TRUE(content.notes.join(u' ').contains(QStringLiteral("1.5 % off")));
    EXPECT_FALSE(content.warning.contains(u'κ'));
    const auto with = [](const QByteArray& contention) {
        const QByteArray result = QByteArray(kCalibration).replace("0.18", contention);
        return contentOf(finished(JobKind::Calibrate, result), configOf);
    };
    EXPECT_TRUE(with("100.0").warning.contains(QStringLiteral("κ is this or more")));
    EXPECT_EQ(figure(with("null"), "κ"), kAbsent + u' ');
    EXPECT_TRUE(with("null").warning.contains(QStringLiteral("was not seen")));
}

TEST(ReportContent, WithoutALinkAndWithoutOverlapItSaysSo) {
    const ReportContent content = contentOf(
        finished(
            JobKind::Calibrate,
            R"({"run_id":"r2","workers":1,"step_s":0.005,"steps_overlapped":0,"contention":0.0,"latency_s":null})"),
        configOf);
    EXPECT_TRUE(content.basis.startsWith(QStringLiteral("its run is not known here"))) << "measured is a claim";
    EXPECT_EQ(figure(content, "κ"), kAbsent + u' ') << "0 would claim that nothing slows down";
    EXPECT_TRUE(content.fit.empty());
    EXPECT_TRUE(content.notes.join(u' ').contains(QStringLiteral("did not communicate")));
}

TEST(ReportContent, AdviceMarksWhatIsRecommendedAndSaysThatItsTimeIsSimulated) {
    const ReportContent content = contentOf(
        finished(
            JobKind::Advise,
            R"({"facts":{"probe_run":"p","by_formula":false,"step_s":0.007,"reduce_s":0.0056},)"
            R"("advice":{"period":2,"delay":1,"step_s":0.0074,"why":["because"]},"target":null,"target_steps":1250,)"
            R"("forecast":[{"algorithm":"dasgd","settings":"{ name = \"dasgd\", period = 2, delay = 1 }","step_ms":8,)"
            R"("hidden":0.87,"effective_steps":1.0,"target_s":10,"run_id":"a","advised":true},)"
            R"({"algorithm":"independent","settings":"{ name = \"independent\" }","step_ms":4,"hidden":null,)"
            R"("effective_steps":1.0,"target_s":5,"run_id":"b","advised":false}]})"),
        configOf);
    EXPECT_TRUE(content.basis.startsWith(QStringLiteral("time simulated")));
    ASSERT_EQ(content.table.rows.size(), 2U);
    const ReportRow& advised = content.table.rows[0];
    EXPECT_TRUE(advised.marked);
    EXPECT_EQ(advised.settings, QStringLiteral("{ name = \"dasgd\", period = 2, delay = 1 }"));
    EXPECT_EQ(advised.cells.mid(0, 4),
              (QStringList{"dasgd, period = 2, delay = 1  ★ advised", "8.000", "2.00", "87.0 %"}));
    EXPECT_EQ(content.table.headers[5], QStringLiteral("to 1250 of them")) << "no target was given";
    EXPECT_EQ(content.table.rows[1].cells[3], kAbsent);
    EXPECT_EQ(content.table.rows[1].cells[5], kAbsent) << "independent trains towards nothing";
    EXPECT_EQ(content.notes.front(), QStringLiteral("because"));
}

TEST(ReportContent, AdviceShowsWhatEveryAlgorithmTakesByFormulaAndWhyOneHasNone) {
    const ReportContent content = contentOf(
        finished(
            JobKind::Advise,
            R"({"facts":{},"advice":{},"forecast":[{"algorithm":"any","settings":"{ name = \"any\" }","step_ms":4,)"
            R"("hidden":0.5,"alone":true,"run_id":"a"},{"algorithm":"other","settings":"{ name = \"other\" }",)"
            R"("step_ms":8,"hidden":null,"alone":false,"run_id":"b"}],"formulas":[)"
            R"({"algorithm":"dga","settings":"{ name = \"dga\", period = 2 }","step_ms":7.5,"hidden":0.8,"why_not":"",)"
            R"("assumes":["Ranks are equal.","No loss."]},)"
            R"({"algorithm":"ssp","settings":"{ name = \"ssp\" }","step_ms":null,"hidden":null,"why_not":"it waits",)"
            R"("assumes":[]}]})"),
        configOf);
    ASSERT_EQ(content.formulas.rows.size(), 2U);
    EXPECT_EQ(content.formulas.rows[0].cells,
              (QStringList{"dga, period = 2", "7.500", "80.0 %", "Ranks are equal. No loss."}));
    EXPECT_EQ(content.formulas.headers[2], QStringLiteral("covered"));
    EXPECT_EQ(content.table.headers[3], QStringLiteral("hidden"));
    EXPECT_TRUE(content.notes.join(u' ').contains(QStringLiteral("So the two differ"))) << "and why";
    EXPECT_EQ(content.formulas.rows[1].cells, (QStringList{"ssp", kAbsent, kAbsent, "it waits"}));
    EXPECT_EQ(content.table.rows.size(), 2U) << "apart from what ran, if in simulated time";
    EXPECT_EQ(content.table.rows[1].cells[2], QStringLiteral("2.00")) << "over what the program says computes alone";
}

TEST(ReportContent, OnlyWhatWasTrainedCanMissItsTarget) {
    const ReportContent content =
        contentOf(finished(JobKind::Advise,
                           R"({"facts":{},"advice":{},"target":"accuracy=0.97","forecast":[)"
                           R"({"algorithm":"dasgd","settings":"{}","run_id":"a","target_run_id":"t","target_s":null},)"
                           R"({"algorithm":"dasgd","settings":"{}","run_id":"b","target_s":null}]})"),
                  configOf);
    EXPECT_EQ(content.table.headers[5], QStringLiteral("to target"));
    ASSERT_EQ(content.table.rows.size(), 2U);
    EXPECT_EQ(content.table.rows[0].cells[5], QStringLiteral("not reached"));
    EXPECT_EQ(content.table.rows[1].cells[5], kAbsent);
}

TEST(ReportContent, ScalingShowsMeansWithTheirNAndWhatWasLeftOut) {
    const ReportContent content = contentOf(
        finished(JobKind::Scale,
                 R"({"scaling":"strong","target":{"metric":"accuracy","value":0.97},"configurations":[)"
                 R"({"configuration":"dasgd","time":"simulated","emulated_link":"","unfinished":1,"points":[)"
                 R"({"workers":4,"step_ms":{"mean":5,"std":0.5,"n":3},"samples_per_s":{"mean":100,"std":null,"n":1},)"
                 R"("speed_up":{"mean":3.5,"n":1},"efficiency":{"mean":0.9,"n":1},"hidden":{"mean":null,"n":0},)"
                 R"("s_to_target":{"mean":12,"std":1,"n":2},"runs":["a","b"]}]}]})"),
        configOf);
    ASSERT_EQ(content.table.rows.size(), 1U);
    EXPECT_EQ(content.table.rows[0].cells,
              (QStringList{"dasgd", "simulated", "4", "5.000 ± 0.50  (n = 3)", "100.0  (n = 1)", "3.500  (n = 1)",
                           "0.9000  (n = 1)", kAbsent, "12.00 ± 1.0  (n = 2)"}));
    EXPECT_TRUE(content.table.headers.back().contains(QStringLiteral("accuracy=0.97")));
    EXPECT_TRUE(content.notes.join(u' ').contains(QStringLiteral("1 runs did not finish")));
    EXPECT_EQ(content.basis, QStringLiteral("simulated"));
}

TEST(ReportContent, AMeanOverThoseThatReachedTheTargetSaysOfHowMany) {
    const ReportContent content =
        contentOf(finished(JobKind::Scale,
                           R"({"scaling":"weak","target":{"metric":"accuracy","value":0.97},"configurations":[)"
                           R"({"configuration":"dasgd","time":"measured","emulated_link":"","unfinished":0,"points":[)"
                           R"({"workers":2,"s_to_target":{"mean":12,"std":1,"n":2},"runs":["a","b","c"]},)"
                           R"({"workers":4,"s_to_target":{"mean":null,"std":null,"n":0},"runs":["d"]}]}]})"),
                  configOf);
    ASSERT_EQ(content.table.rows.size(), 2U);
    EXPECT_EQ(content.table.rows[0].cells.back(), QStringLiteral("reached by 2 of 3 finished: 12.00 ± 1.0 s"));
    EXPECT_EQ(content.table.rows[1].cells.back(), QStringLiteral("not reached"));
}

TEST(ReportContent, AReplayStandsBesideWhatWasRecorded) {
    const ReportContent content = contentOf(
        finished(
            JobKind::Replay,
            "{\"run_id\":\"v\",\"replay_of\":\"r1\",\"recorded_step_ms\":5,\"recorded_hidden\":0.75,\"step_ms\":50,"
            "\"hidden\":0.05}\n"),
        configOf);
    ASSERT_EQ(content.table.rows.size(), 2U);
    EXPECT_EQ(content.table.rows[0].cells[0],
              QStringLiteral("recorded, measured, the link emulated: ") + linkInWords("400Mbps, 0.1ms"));
    EXPECT_EQ(content.table.rows[1].cells[2], QStringLiteral("10.0"));
    EXPECT_TRUE(content.table.rows[1].cells[0].contains(QStringLiteral("simulated")));
}

TEST(ReportContent, AFitThatIsFarOffIsAWarningWithWhatItMeansForForecasts) {
    const ReportContent good = contentOf(finished(JobKind::Calibrate, kCalibration), configOf);
    EXPECT_TRUE(good.warning.isEmpty()) << good.warning.toStdString();
    QByteArray far = kCalibration;
    far.replace("\"longest_deviation\":0.015", "\"longest_deviation\":0.652").replace("0.023", "0.063");
    const ReportContent content = contentOf(finished(JobKind::Calibrate, far), configOf);
    EXPECT_TRUE(content.warning.contains(QStringLiteral("65.2 % off the longest"))) << content.warning.toStdString();
    EXPECT_TRUE(content.warning.contains(QStringLiteral("long transfers take longer than forecast")));
    EXPECT_FALSE(content.notes.join(u' ').contains(QStringLiteral("65.2 %"))) << "not once more in a plain tone";
}

}  // namespace
}  // namespace dasgd::gui
