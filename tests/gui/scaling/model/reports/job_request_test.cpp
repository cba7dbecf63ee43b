#include "gui/scaling/model/reports/job_request.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

JobRequest scale() {
    return {.kind = JobKind::Scale,
            .title = QStringLiteral("mine"),
            .text = QStringLiteral("name = \"mine\"\n"),
            .workers = QStringLiteral("1,2"),
            .strong = true,
            .target = QStringLiteral("accuracy=0.97"),
            .calibration = QStringLiteral("/w/reports/c.calibration.toml")};
}

QString lineOf(const JobRequest& request) {
    return argumentsOf(request, QStringLiteral("f.toml"), QStringLiteral("out.toml")).join(u' ');
}

TEST(JobRequest, IsTheCommandLineThatAPersonWouldWrite) {
    EXPECT_EQ(
        lineOf(scale()),
        QStringLiteral("scale f.toml --markdown --progress --calibration /w/reports/c.calibration.toml --workers 1,2 "
                       "--strong --target accuracy=0.97"));
    EXPECT_EQ(lineOf({.kind = JobKind::Calibrate, .text = "x", .target = "loss=1", .calibration = "c"}),
              QStringLiteral("calibrate f.toml --markdown --progress --out out.toml"));
    EXPECT_EQ(lineOf({.kind = JobKind::Replay, .run = "r1", .set = {"network.bandwidth=10Mbps", "cluster.workers=8"}}),
              QStringLiteral("replay r1 --markdown --progress --set network.bandwidth=10Mbps --set cluster.workers=8"));
    EXPECT_EQ(lineOf({.kind = JobKind::Advise, .text = "x"}), QStringLiteral("advise f.toml --markdown --progress"));
}

TEST(JobRequest, SaysWhatIsMissing) {
    EXPECT_TRUE(problemOf(scale()).isEmpty());
    JobRequest request = scale();
    request.workers = QStringLiteral(" ");
    EXPECT_TRUE(problemOf(request).contains(QStringLiteral("1..8")));
    request.text.clear();
    EXPECT_TRUE(problemOf(request).contains(QStringLiteral("no experiment yet")));
    EXPECT_FALSE(problemOf({.kind = JobKind::Replay}).isEmpty());
}

TEST(JobRequest, ComesBackFromItsJson) {
    EXPECT_EQ(jobRequestOf(jsonOf(scale())), scale());
    EXPECT_FALSE(jobRequestOf({{"command", "format"}}));
    EXPECT_EQ(optionsInWords(scale()),
              QStringLiteral("1,2 workers, strong · target accuracy=0.97 · on the cluster of c.calibration.toml"));
}

TEST(JobRequest, OneWorkerIsNoWorkers) {
    JobRequest one = scale();
    one.workers = QStringLiteral("1");
    EXPECT_TRUE(optionsInWords(one).startsWith(QStringLiteral("1 worker, strong")));
}

TEST(JobRequest, SettingsArePartedWhereTheirValuesEnd) {
    EXPECT_EQ(settingsIn(QStringLiteral(" network.bandwidth=10Mbps   cluster.workers=8 ")),
              (QStringList{"network.bandwidth=10Mbps", "cluster.workers=8"}));
    EXPECT_EQ(settingsIn(QStringLiteral(R"(network={name="two level", load=[0.1, 0.2]} data.path='a b' x=1)")),
              (QStringList{R"(network={name="two level", load=[0.1, 0.2]})", "data.path='a b'", "x=1"}));
    EXPECT_TRUE(settingsIn(QStringLiteral("  ")).isEmpty());
}

}  // namespace
}  // namespace dasgd::gui
