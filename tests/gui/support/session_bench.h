// A session on a workspace of its own that has shown a run.
#pragma once

#include <QLabel>
#include <QTableView>
#include <memory>

#include "gui/window/main_window.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {

class SessionBench : public ::testing::Test {
protected:
    SessionBench() { session_.wantMetric("train/loss"); }
    // Records `spec` after a synchronous run of the same experiment, and waits until its curves and spans are there.
    void look(const test::SyntheticSpec& spec = {.steps = 60}) {
        other_ = workspace_.record({.algorithm = "sync_sgd", .steps = 40});
        id_ = workspace_.record(spec);
        ASSERT_TRUE(eventually([&] {
            return session_.currentId() == id_ && session_.pulse().spans > 0 && session_.detail() &&
                   !session_.series(id_, "train/loss").empty() && !session_.series(other_, "train/loss").empty();
        }));
    }
    Workspace workspace_;
    QString id_, other_;
    Feed feed_{workspace_.path()};
    Session session_{feed_};
};

class WindowBench : public ::testing::Test {
protected:
    // Opens the window at its full size and waits for what is already recorded.
    void open(const QString& engine = {}) {
        window_ = std::make_unique<MainWindow>(workspace_.path(), testLook(), engine);
        window_->resize(1600, 1000);
        window_->show();
        ASSERT_TRUE(eventually([&] { return window_->session().loaded(); }));
    }
    // The label, or null, whose text holds `part`, among those that are visible.
    QLabel* label(const QString& part) {
        for (QLabel* one : window_->findChildren<QLabel*>()) {
            if (one->isVisible() && one->text().contains(part)) return one;
        }
        return nullptr;
    }
    template <class Widget>
    Widget* button(const QString& part) {
        for (Widget* one : window_->findChildren<Widget*>()) {
            if (one->isVisible() && one->text().contains(part)) return one;
        }
        return nullptr;
    }
    // The list of runs, null until its page was opened; other pages have tables too.
    QTableView* runsTable() {
        for (auto* one : window_->findChildren<QTableView*>()) {
            if (one->accessibleName() == QStringLiteral("Runs")) return one;
        }
        return nullptr;
    }
    Workspace workspace_;
    std::unique_ptr<MainWindow> window_;
};

}  // namespace dasgd::gui
