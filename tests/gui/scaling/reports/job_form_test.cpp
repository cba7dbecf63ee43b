#include "gui/scaling/reports/job_form.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class JobFormTest : public ::testing::Test {
protected:
    void open(const JobRequest& request) {
        form_.show();
        form_.show(request, {{QStringLiteral("mine"), QStringLiteral("/w/c.toml")}});
    }
    QPushButton* start() { return form_.findChild<QPushButton*>(); }
    JobForm form_;
};

TEST_F(JobFormTest, AsksOnlyWhatTheJobNeeds) {
    open({.kind = JobKind::Replay, .title = QStringLiteral("r1"), .run = QStringLiteral("r1")});
    EXPECT_FALSE(form_.workers().isVisible());
    form_.changes().setText(QStringLiteral("network.bandwidth=10Mbps  cluster.workers=8"));
    EXPECT_EQ(form_.request().set, (QStringList{"network.bandwidth=10Mbps", "cluster.workers=8"}));
    open({.kind = JobKind::Scale, .text = QStringLiteral("x"), .workers = QStringLiteral("1..4"), .strong = true});
    EXPECT_TRUE(form_.workers().isVisible());
    EXPECT_FALSE(form_.changes().isVisible());
    const JobRequest wanted = form_.request();
    EXPECT_EQ(wanted.workers, QStringLiteral("1..4"));
    EXPECT_TRUE(wanted.strong);
    EXPECT_TRUE(wanted.set.isEmpty()) << "nothing stays of the form before";
}

TEST_F(JobFormTest, AChosenCalibrationIsItsFile) {
    open({.kind = JobKind::Advise, .text = QStringLiteral("x")});
    EXPECT_TRUE(form_.request().calibration.isEmpty());
    for (auto* one : form_.findChildren<QComboBox*>()) {
        if (one->isVisible()) one->setCurrentIndex(1);
    }
    EXPECT_EQ(form_.request().calibration, QStringLiteral("/w/c.toml"));
}

TEST_F(JobFormTest, ACalibrationThatIsGoneIsNotReplacedByAnother) {
    open({.kind = JobKind::Advise, .text = QStringLiteral("x"), .calibration = QStringLiteral("/w/old.toml")});
    EXPECT_EQ(form_.request().calibration, QStringLiteral("/w/old.toml"));
    bool said = false;
    for (const auto* one : form_.findChildren<QComboBox*>())
        said = said || one->currentText() == QStringLiteral("old.toml, of no report here");
    EXPECT_TRUE(said);
}

TEST_F(JobFormTest, EnterStartsEscapeClosesAndWhatIsMissingIsSaid) {
    open({.kind = JobKind::Scale, .text = QStringLiteral("x")});
    QSignalSpy started(&form_, &JobForm::startWanted), closed(&form_, &JobForm::closeWanted);
    form_.workers().clear();
    QTest::keyClick(&form_.workers(), Qt::Key_Return);
    EXPECT_EQ(started.size(), 0);
    bool said = false;
    for (const auto* one : form_.findChildren<QLabel*>())
        said = said || (one->isVisible() && one->text().contains("1..8"));
    EXPECT_TRUE(said);
    form_.workers().setText(QStringLiteral("1,2"));
    QTest::keyClick(&form_.workers(), Qt::Key_Return);
    EXPECT_EQ(started.size(), 1);
    QTest::keyClick(&form_.workers(), Qt::Key_Escape);
    EXPECT_EQ(closed.size(), 1);
}

}  // namespace
}  // namespace dasgd::gui
