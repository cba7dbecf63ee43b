#include "gui/forms/experiment_header.h"

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
    ASSERT_TRUE(draft.problem());
    header.showDraft();
    header.showCheck();
    EXPECT_TRUE(shows(QStringLiteral("train.steps, line 3")));
    auto* pill = header.findChild<QToolButton*>(QStringLiteral("errorpill"));
    ASSERT_TRUE(pill->isVisible());
    QSignalSpy wanted(&header, &ExperimentHeader::problemWanted);
    pill->click();
    EXPECT_EQ(wanted.size(), 1);
}

}  // namespace
}  // namespace dasgd::gui
