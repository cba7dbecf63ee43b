#include "gui/runs/queue_bar.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QLabel>
#include <QTemporaryDir>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class QueueBarTest : public ::testing::Test {
protected:
    QueueBarTest() {
        QFile file(folder_.filePath(QStringLiteral("dasgd")));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\necho \"$2 $3\" >> " + seen().toUtf8() + "\n");
        file.setPermissions(file.permissions() | QFile::ExeOwner);
    }
    [[nodiscard]] QString seen() const { return folder_.filePath(QStringLiteral("seen")); }
    [[nodiscard]] bool hasBeenAsked(const QByteArray& words) const {
        return eventually([&] {
            QFile file(seen());
            return file.open(QIODevice::ReadOnly) && file.readAll().contains(words);
        });
    }
    void tell(const QueueState& state) { emit query_.changed(state); }
    [[nodiscard]] QString words() { return bar_.findChild<QLabel*>()->text(); }

    QTemporaryDir folder_;
    QueueQuery query_;
    Engine engine_{folder_.filePath(QStringLiteral("ws")).toStdString(), folder_.filePath(QStringLiteral("dasgd"))};
    QueueBar bar_{query_, engine_, testLook()};
};

TEST_F(QueueBarTest, SaysWhetherWhatWaitsWillStart) {
    EXPECT_TRUE(bar_.isHidden()) << "nothing waits";
    tell({.waiting = 2, .worked = true});
    EXPECT_FALSE(bar_.isHidden());
    EXPECT_EQ(words(), QStringLiteral("2 runs are queued."));
    EXPECT_EQ(bar_.button().text(), QStringLiteral("Pause the queue"));
    bar_.button().click();
    EXPECT_TRUE(hasBeenAsked("pause --workspace"));

    tell({.waiting = 1, .paused = true, .worked = true});
    EXPECT_TRUE(words().contains(QStringLiteral("The queue is paused: 1 run is queued, and none starts.")));
    bar_.button().click();
    EXPECT_TRUE(hasBeenAsked("resume --work"));
    tell({});
    EXPECT_TRUE(bar_.isHidden());
}

// Nobody works the queue after a reboot.
TEST_F(QueueBarTest, WhereNobodyWorksTheQueueItCanBeWorked) {
    tell({.waiting = 3});
    EXPECT_TRUE(words().contains(QStringLiteral("Nobody works the queue: 3 runs are queued, and none starts.")));
    EXPECT_EQ(bar_.accessibleName(), QStringLiteral("Nobody works the queue: 3 runs are queued, and none starts."));
    EXPECT_EQ(bar_.button().text(), QStringLiteral("Work the queue"));
    bar_.button().click();
    EXPECT_TRUE(hasBeenAsked("resume --work"));
}

}  // namespace
}  // namespace dasgd::gui
