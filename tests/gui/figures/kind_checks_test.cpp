#include "gui/figures/kind_checks.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QSignalSpy>
#include <QTest>

namespace dasgd::gui {
namespace {

TEST(KindChecksTest, ACheckStandsForWhatIsDrawnInItsColour) {
    KindChecks checks;
    checks.show();
    QSignalSpy changed(&checks, &KindChecks::changed);
    checks.setHidden({QStringLiteral("transfer"), QStringLiteral("reduce"), QStringLiteral("checkpoint")});
    EXPECT_EQ(changed.count(), 0);
    for (QCheckBox* one : checks.findChildren<QCheckBox*>()) {
        EXPECT_EQ(one->isChecked(), one->text() != QStringLiteral("transfer")) << one->text().toStdString();
        EXPECT_EQ(one->accessibleName(), QStringLiteral("Draw ") + one->text());
        if (one->text() == QStringLiteral("merge") || one->text() == QStringLiteral("transfer")) {
            QTest::keyClick(one, Qt::Key_Space);
        }
    }
    EXPECT_EQ(changed.count(), 2);
    EXPECT_EQ(checks.hidden(),
              (QStringList{QStringLiteral("merge"), QStringLiteral("snapshot"), QStringLiteral("checkpoint")}))
        << "a kind without a check stays as it was set";
}

}  // namespace
}  // namespace dasgd::gui
