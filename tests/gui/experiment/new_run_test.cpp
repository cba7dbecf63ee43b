// The window and the `dasgd` program that it starts: a shipped experiment is run, watched and stopped.
#include <gtest/gtest.h>
#include <signal.h>

#include <QDir>
#include <QFile>
#include <QListView>
#include <QProcess>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <functional>
#include <map>

#include "gui/data/feed/run_marks.h"
#include "gui/experiment/model/document/field_problems.h"
#include "gui/kit/parts/parts.h"
#include "gui/timeline/view/timeline_widget.h"
#include "tests/gui/support/session_bench.h"
#include "tests/support/paths.h"
#include "tests/support/processes.h"

namespace dasgd::gui {
namespace {

// Arguments of the processes that name `folder`, by their ids.
std::map<pid_t, QByteArrayList> processesOn(const QByteArray& folder) {
    std::map<pid_t, QByteArrayList> found;
    for (const QString& entry : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        QFile file(QStringLiteral("/proc/%1/cmdline").arg(entry));
        if (entry.toInt() <= 0 || !file.open(QIODevice::ReadOnly)) continue;
        const QByteArray arguments = file.readAll();
        if (arguments.contains(folder)) found[entry.toInt()] = arguments.split('\0');
    }
    return found;
}

class NewRunTest : public WindowBench {
protected:
    // A folder that nothing was run in.
    void SetUp() override { openWindow(); }
    void openWindow() {
        window_ =
            std::make_unique<MainWindow>(folder_.path().toStdString(), testLook(), QString::fromUtf8(test::kProgram));
        window_->resize(1600, 1000);
        window_->show();
        window_->open("Runs");
        ASSERT_TRUE(eventually([&] { return window_->session().loaded(); }));
    }
    // The launcher goes on with the sweep; its ranks must end with it.
    void TearDown() override {
        const QByteArray workspace = folder_.path().toUtf8();
        for (const auto& [id, arguments] : processesOn(workspace)) {
            if (arguments.value(0) == QString::fromUtf8(test::kProgram) &&
                (arguments.value(1) == "run" || arguments.value(1) == "queue"))
                ::kill(id, SIGTERM);
        }
        EXPECT_TRUE(soon([&] { return processesOn(workspace).empty(); })) << "a rank outlived its launcher";
    }
    // Programs are started and digits learnt here, beside other tests.
    static bool soon(const std::function<bool()>& done) { return QTest::qWaitFor(done, 90'000); }

    void startPreset(const QString& title) {
        QTest::mouseClick(button<QPushButton>(QStringLiteral("New run")), Qt::LeftButton);
        auto* list = window_->findChild<QListView*>(QStringLiteral("starts"));
        ASSERT_NE(list, nullptr);
        ASSERT_TRUE(list->isVisible()) << "New run goes to the Experiment page";
        const auto found = list->model()->match(list->model()->index(0, 0), Qt::DisplayRole, title);
        ASSERT_EQ(found.size(), 1);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(found[0]).center());
        EXPECT_TRUE(processesOn(folder_.path().toUtf8()).empty()) << "a preset only fills the page";
        QTest::mouseClick(button<QPushButton>(QStringLiteral("▸  Run")), Qt::LeftButton);
    }
    [[nodiscard]] RunItemPtr run() { return window_->session().current(); }

    QTemporaryDir folder_;
};

// The form judges by the schema alone. It must blame nothing in experiments that the program takes.
TEST(ShippedExperiments, HaveNoFieldThatTheFormBlames) {
    QProcess describe;
    describe.start(QString::fromUtf8(test::kProgram), {QStringLiteral("describe"), QStringLiteral("--json")});
    ASSERT_TRUE(describe.waitForFinished());
    const auto schema = readSchema(describe.readAllStandardOutput().toStdString());
    ASSERT_TRUE(schema) << schema.error().message;
    const QDir suites(QString::fromUtf8(test::kSourceDir) + QStringLiteral("/experiments/suites"));
    const QStringList names = suites.entryList({QStringLiteral("*.toml")});
    ASSERT_GT(names.size(), 5);
    for (const QString& name : names) {
        QFile file(suites.filePath(name));
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        for (const Problem& problem : fieldProblems(ExperimentDocument(QString::fromUtf8(file.readAll())), *schema))
            ADD_FAILURE() << name.toStdString() << ':' << problem.inWords().toStdString();
    }
}

TEST_F(NewRunTest, IsSeenLiveAndStopsOnAClick) {
    EXPECT_NE(label(QStringLiteral("No runs yet")), nullptr);
    EXPECT_EQ(window_->session().error(), QString()) << "an unused folder is no error";
    startPreset(QStringLiteral("first-light"));
    ASSERT_TRUE(soon([&] { return run() && run()->row.status == "running" && run()->row.steps > 0; }));
    EXPECT_EQ(runsTable()->model()->rowCount(), 5) << "the group and its four runs, three of which wait";
    EXPECT_TRUE(QFile::exists(folder_.filePath(QStringLiteral("experiments/first-light.toml"))));
    const QString id = run()->id;
    auto* timeline = window_->findChild<TimelineWidget*>();
    ASSERT_TRUE(soon([&] {
        return window_->session().series(id, "train/loss").points().size() > 20 && timeline->frame()->spans > 100 &&
               window_->session().detail() && window_->statusText().contains(QLatin1String("ms behind"));
    }));
    EXPECT_EQ(timeline->frame()->rows.size(), 4U) << "two ranks of two lanes";
    EXPECT_NE(label(QStringLiteral("2 ranks · gloo · link emulated 400\u00a0Mbps")), nullptr);

    auto* stop = button<QPushButton>(QStringLiteral("Stop"));
    ASSERT_NE(stop, nullptr);
    QTest::mouseClick(stop, Qt::LeftButton);
    EXPECT_EQ(stop->text(), QStringLiteral("Stopping …"));
    EXPECT_FALSE(stop->isEnabled());
    ASSERT_TRUE(soon([&] { return window_->session().runs().find(id)->row.status != "running"; }));
    ASSERT_EQ(run()->id, id) << "what was stopped is what one looks at";
    EXPECT_EQ(run()->row.status, "stopped") << run()->row.error;
    EXPECT_LT(run()->row.steps, window_->session().detail()->plannedSteps);
    EXPECT_TRUE(soon([&] { return !stop->isVisible(); }));
    const auto pills = window_->findChildren<StatePill*>();
    EXPECT_TRUE(std::any_of(pills.begin(), pills.end(), [](const StatePill* pill) {
        return pill->isVisible() && pill->accessibleName() == QLatin1String("stopped");
    }));
    for (const MessageBar* bar : window_->findChildren<MessageBar*>()) {
        EXPECT_FALSE(bar->isVisible()) << bar->text().toStdString();
    }
    ASSERT_TRUE(soon([&] { return run()->id != id && run()->row.steps > 0; })) << "the sweep goes on, and is followed";
}

TEST_F(NewRunTest, ARunOutlivesItsWindowAndIsFoundByTheNext) {
    startPreset(QStringLiteral("first-light"));
    ASSERT_TRUE(soon([&] { return run() && run()->row.status == "running" && run()->row.steps > 0; }));
    const QString id = run()->id;
    const std::int64_t before = run()->row.steps;
    const auto launchers = [this] {
        std::map<pid_t, QByteArrayList> found = processesOn(folder_.path().toUtf8());
        std::erase_if(found, [](const auto& process) { return process.second.value(1) != "run"; });
        return found;
    };
    const auto started = launchers();
    ASSERT_FALSE(started.empty());
    ASSERT_TRUE(window_->close());
    window_.reset();
    const auto left = launchers();
    for (const auto& one : started) EXPECT_TRUE(left.contains(one.first)) << "it is no part of the window";
    openWindow();
    const auto found = [&] { return window_->session().runs().find(id); };
    ASSERT_TRUE(soon([&] { return found() && found()->row.steps > before; })) << "it is trained on";
    EXPECT_EQ(found()->row.status, "running");
    window_->session().choose(id);
    ASSERT_TRUE(soon([&] { return window_->statusText().contains(QLatin1String("ms behind")); }));
    window_->open("Run");
    auto* stop = button<QPushButton>(QStringLiteral("Stop"));
    ASSERT_NE(stop, nullptr);
    QTest::mouseClick(stop, Qt::LeftButton);
    ASSERT_TRUE(soon([&] { return found()->row.status == "stopped"; })) << "the window that did not start it stops it";
}

TEST_F(NewRunTest, WhatWaitsIsHeldAndMovedByKeys) {
    startPreset(QStringLiteral("first-light"));
    const RunTableModel& runs = window_->session().runs();
    const auto waiting = [&] {
        std::vector<RunItemPtr> found;
        std::ranges::copy_if(runs.items(), std::back_inserter(found),
                             [](const auto& one) { return one->row.queueTurn.has_value(); });
        std::ranges::sort(found, {}, [](const RunItemPtr& one) { return *one->row.queueTurn; });
        return found;
    };
    ASSERT_TRUE(soon([&] { return run() && run()->row.status == "running" && waiting().size() == 3; }));
    window_->open("Runs");
    QTableView* table = runsTable();
    const auto cellOf = [&](const QString& id, RunTableModel::Column column) {
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            const QModelIndex cell = table->model()->index(row, column);
            if (cell.data(RunTableModel::IdRole).toString() == id) return cell;
        }
        return QModelIndex();
    };
    const QString last = waiting().back()->id;
    EXPECT_EQ(cellOf(last, RunTableModel::Started).data().toString(), QStringLiteral("run 4 of 4"));
    const auto press = [&](const QString& id, Qt::Key key, Qt::KeyboardModifiers with) {
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(cellOf(id, RunTableModel::Seed)).center());
        QTest::keyClick(table, key, with);
    };
    press(last, Qt::Key_Home, Qt::AltModifier);
    ASSERT_TRUE(soon([&] { return waiting().front()->id == last; }));
    EXPECT_EQ(cellOf(last, RunTableModel::Started).data().toString(), QStringLiteral("run 2 of 4"));
    press(last, Qt::Key_H, Qt::ControlModifier);
    ASSERT_TRUE(soon([&] { return runs.find(last)->row.held; }));
    EXPECT_EQ(cellOf(last, RunTableModel::Status).data().toString(), QStringLiteral("held"));
    press(last, Qt::Key_H, Qt::ControlModifier);
    ASSERT_TRUE(soon([&] { return !runs.find(last)->row.held; })) << "the same key lets it start";
}

TEST_F(NewRunTest, WhatIsQueuedStartsWhenTheOthersHaveEnded) {
    startPreset(QStringLiteral("first-light"));
    ASSERT_TRUE(soon([&] { return run() && run()->row.status == "running"; }));
    const RunTableModel& runs = window_->session().runs();
    const auto of = [&](const char* experiment) { return runs.ofExperiment(experiment); };
    const auto running = [](const RunItemPtr& one) { return one->row.status == "running"; };
    const auto live = [](const RunItemPtr& one) { return isLive(one->row); };

    window_->open("Experiment");
    QTest::mouseClick(button<QToolButton>(QStringLiteral("duplicate")), Qt::LeftButton);
    QTest::mouseClick(button<QToolButton>(QStringLiteral("queue")), Qt::LeftButton);
    ASSERT_TRUE(soon([&] { return label(QStringLiteral("Queued first-light-2")) != nullptr; }));
    ASSERT_TRUE(soon([&] {
        const auto waiting = of("first-light-2");
        return waiting.size() == 4 &&
               std::ranges::all_of(waiting, [](const auto& one) { return one->row.queueTurn.has_value(); });
    }));
    ASSERT_TRUE(std::ranges::any_of(of("first-light"), live));
    EXPECT_TRUE(std::ranges::none_of(of("first-light-2"), running));
    window_->open("Runs");
    const QAbstractItemModel* table = runsTable()->model();
    QStringList started;
    for (int row = 0; row < table->rowCount(); ++row) {
        started << table->index(row, RunTableModel::Started).data().toString();
    }
    EXPECT_TRUE(started.contains(QStringLiteral("turn 1"))) << started.join(u',').toStdString();

    std::vector<RunItemPtr> before = of("first-light");
    std::erase_if(before, [](const RunItemPtr& one) { return !isLive(one->row); });
    Engine engine(folder_.path().toStdString(), QString::fromUtf8(test::kProgram));
    engine.stop(idsOf(before));
    ASSERT_TRUE(soon([&] { return std::ranges::any_of(of("first-light-2"), running); }));
    EXPECT_TRUE(std::ranges::none_of(of("first-light"), live)) << "one command after the other";
}

}  // namespace
}  // namespace dasgd::gui
