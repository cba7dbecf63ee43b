#include "gui/experiment/experiment_header.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(ExperimentHeader, SaysWhatIsSetUpAndWhereTheErrorIs) {
    const QTemporaryDir folder;
    Engine engine(folder.path().toStdString(), QStringLiteral("/nowhere/dasgd"));
    ExperimentDraft draft(engine, folder.path().toStdString());
    ExperimentHeader header(draft);
    header.show();
    const auto shows = [&](const QString& words) {
        for (const auto* one : header.findChildren<QLabel*>()) {
            if (one->text() == words) return true;
        }
        return false;
    };
    header.showDraft();
    header.showCheck();
    EXPECT_TRUE(shows(QStringLiteral("New experiment")));
    EXPECT_TRUE(shows(QStringLiteral("nothing chosen yet")));
    draft.setText(QStringLiteral("name = \"mine\"\n"));
    header.showDraft();
    EXPECT_TRUE(shows(QStringLiteral("not saved")));
    EXPECT_TRUE(shows(QStringLiteral("mine")));
    draft.setText(QStringLiteral("name = \"mine\"\n[train]\nsteps = = 3\n"));
    ASSERT_TRUE(draft.check().problem());
    header.showDraft();
    header.showCheck();
    EXPECT_TRUE(shows(QStringLiteral("train.steps, line 3")));
    auto* pill = header.findChild<QToolButton*>(QStringLiteral("errorpill"));
    ASSERT_TRUE(pill->isVisible());
    QSignalSpy wanted(&header, &ExperimentHeader::problemWanted);
    pill->click();
    EXPECT_EQ(wanted.size(), 1);
}

TEST(ExperimentHeader, HasThreeButtonsAndKeysForEachAction) {
    const QTemporaryDir folder;
    Engine engine(folder.path().toStdString(), QStringLiteral("/nowhere/dasgd"));
    ExperimentDraft draft(engine, folder.path().toStdString());
    ExperimentHeader header(draft);
    header.show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&header));
    EXPECT_EQ(header.findChildren<QPushButton*>().size(), 3);
    QSignalSpy run(&header, &ExperimentHeader::runWanted), queue(&header, &ExperimentHeader::queueWanted);
    QSignalSpy save(&header, &ExperimentHeader::saveWanted), duplicate(&header, &ExperimentHeader::duplicateWanted);
    QTest::keyClick(&header, Qt::Key_Return, Qt::ControlModifier);
    QTest::keyClick(&header, Qt::Key_Return, Qt::ControlModifier | Qt::ShiftModifier);
    QTest::keyClick(&header, Qt::Key_S, Qt::ControlModifier);
    QTest::keyClick(&header, Qt::Key_D, Qt::ControlModifier);
    for (const QSignalSpy* spy : {&run, &queue, &save, &duplicate}) EXPECT_EQ(spy->size(), 1);
    QSignalSpy saveAs(&header, &ExperimentHeader::saveAsWanted);
    QTest::keyClick(&header, Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(saveAs.size(), 1);
    EXPECT_EQ(save.size(), 1);
    for (QToolButton* button : header.findChildren<QToolButton*>()) {
        if (button->text() == QStringLiteral("queue") || button->text() == QStringLiteral("duplicate")) button->click();
    }
    EXPECT_EQ(queue.size(), 2);
    EXPECT_EQ(duplicate.size(), 2);
}

}  // namespace
}  // namespace dasgd::gui
