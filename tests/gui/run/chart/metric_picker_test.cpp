#include "gui/run/chart/metric_picker.h"

#include <gtest/gtest.h>

#include <QMenu>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

QAction* entry(const QMenu& menu, const QString& part) {
    for (QAction* action : menu.actions()) {
        if (action->text().contains(part)) return action;
    }
    return nullptr;
}

TEST(MetricPicker, OffersWhatIsRecordedInWordsAndHowManyRunsHaveIt) {
    MetricNamesQuery names;
    MetricPicker picker(names, "train/loss");
    QSignalSpy changes(&picker, &MetricPicker::changed);
    RecordedMetrics recorded{.runs = {{"train/loss", 4}, {"eval/accuracy", 3}}, .drawn = 4};
    for (int weight = 0; weight < 200; ++weight) recorded.runs["weight/" + std::to_string(weight)] = 4;
    emit names.arrived(recorded);
    picker.fill();
    EXPECT_TRUE(picker.menu()->actions().front()->text().startsWith(QStringLiteral("Test accuracy  [%]")));
    EXPECT_TRUE(picker.menu()->actions().front()->text().endsWith(QStringLiteral("(3 of 4 runs)")));
    QAction* weights = entry(*picker.menu(), QStringLiteral("weight"));
    ASSERT_TRUE(weights && weights->menu()) << "two hundred weights are a menu of their own";
    EXPECT_EQ(weights->menu()->actions().size(), 60);
    EXPECT_TRUE(weights->text().contains(QStringLiteral("first 60 of 200"))) << "what is not offered is said";
    picker.menu()->actions().front()->trigger();
    EXPECT_EQ(picker.metric(), "eval/accuracy");
    EXPECT_EQ(changes.count(), 1);
    EXPECT_EQ(picker.text(), QStringLiteral("Test accuracy ▾"));
    picker.fill();
    EXPECT_FALSE(entry(*picker.menu(), QStringLiteral("Each rank"))->isEnabled()) << "an accuracy is of the whole run";
}

TEST(MetricPicker, RanksAreChosenWhereEachHasItsOwn) {
    MetricNamesQuery names;
    MetricPicker picker(names, "train/loss");
    picker.fill();
    entry(*picker.menu(), QStringLiteral("Each rank"))->trigger();
    EXPECT_TRUE(picker.byRank());
    EXPECT_EQ(picker.text(), QStringLiteral("Training loss, each rank ▾"));
    picker.choose("host/cpu_cores", true);
    EXPECT_EQ(picker.text(), QStringLiteral("CPU of the host, each host ▾"));
    picker.fill();
    EXPECT_TRUE(entry(*picker.menu(), QStringLiteral("Each host of this run"))->isEnabled());
    picker.choose("eval/loss", false);
    EXPECT_FALSE(picker.byRank());
    picker.fill();
    QAction* hidden = entry(*picker.menu(), QStringLiteral("Hidden, from spans"));
    ASSERT_NE(hidden, nullptr) << "recorded or not";
    EXPECT_FALSE(hidden->text().contains(QStringLiteral("runs")));
    hidden->trigger();
    EXPECT_EQ(picker.metric(), "spans/hidden");
    picker.fill();
    EXPECT_TRUE(entry(*picker.menu(), QStringLiteral("Each rank"))->isEnabled());
}

}  // namespace
}  // namespace dasgd::gui
