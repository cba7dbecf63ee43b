#include <gtest/gtest.h>

#include <QListView>
#include <QListWidget>
#include <QToolButton>

#include "gui/scaling/model/reports/report_library.h"
#include "gui/scaling/reports/job_form.h"
#include "tests/gui/support/scaling_bench.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class WhatIfPageTest : public WindowBench {
protected:
    template <class Widget>
    Widget* named(const char* name) {
        for (Widget* one : window_->findChildren<Widget*>()) {
            if (one->accessibleName() == QLatin1String(name)) return one;
        }
        return nullptr;
    }
    [[nodiscard]] bool showsReports() { return named<QListWidget>("Reports")->isVisible(); }
};

TEST_F(WhatIfPageTest, HasScalingAndReports) {
    recordTwoLines(workspace_.store());
    open();
    window_->open("What if");
    ASSERT_TRUE(eventually([&] { return named<QListView>("Configurations")->isVisible(); }));
    EXPECT_FALSE(showsReports());
    button<QToolButton>(QStringLiteral("Reports"))->click();
    EXPECT_TRUE(showsReports());
    EXPECT_FALSE(named<QListView>("Configurations")->isVisible());
    button<QToolButton>(QStringLiteral("Scaling"))->click();
    EXPECT_FALSE(showsReports());
}

TEST_F(WhatIfPageTest, TurnsToTheReportsWhereOneIsAskedFor) {
    open();
    window_->open("What if");
    ASSERT_FALSE(showsReports());
    window_->reports().ask({.kind = JobKind::Replay, .title = QStringLiteral("r1"), .run = QStringLiteral("r1")});
    EXPECT_TRUE(showsReports());
    EXPECT_TRUE(window_->findChild<JobForm*>()->isVisible());
    button<QToolButton>(QStringLiteral("Scaling"))->click();
    window_->reports().start({.kind = JobKind::Calibrate});
    EXPECT_TRUE(showsReports()) << "why it did not start stands there";
}

}  // namespace
}  // namespace dasgd::gui
