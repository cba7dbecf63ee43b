#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QMenu>
#include <QMouseEvent>
#include <QPushButton>
#include <QSettings>
#include <QToolButton>

#include "gui/data/curves/instants.h"
#include "gui/data/curves/span_windows.h"
#include "gui/figures/bundle/figure_bundle.h"
#include "gui/run/chart/chart_card.h"
#include "gui/run/log_card.h"
#include "gui/timeline/view/timeline_widget.h"
#include "storage/queue/queue.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class RunPageTest : public WindowBench {
protected:
    void SetUp() override {
        QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("dasgd-lab"), QStringLiteral("dasgd-lab"))
            .clear();
    }
    QString figure(const QString& name) {
        for (KeyFigure* one : window_->findChildren<KeyFigure*>()) {
            if (one->accessibleName() == name) return one->text();
        }
        return {};
    }
    ChartCard* chartOf(const std::string& metric) {
        for (ChartCard* one : window_->findChildren<ChartCard*>()) {
            if (one->picker().metric() == metric) return one;
        }
        return nullptr;
    }
};

TEST_F(RunPageTest, WithoutARunItSaysWhatToDo) {
    open();
    window_->open("Run");
    EXPECT_NE(label(QStringLiteral("No run yet")), nullptr);
    EXPECT_NE(label(QStringLiteral("Set one up on the Experiment page")), nullptr);
    EXPECT_EQ(figure(QStringLiteral("training loss")), kAbsent) << "each figure has its name";
}

TEST_F(RunPageTest, SaysInWordsWhatOneLooksAt) {
    workspace_.record({.seed = 2, .steps = 150});
    open();
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("link emulated 200\u00a0Mbps, 1\u00a0ms")) != nullptr; }));
    EXPECT_NE(label(QStringLiteral("delay-sweep  /  dasgd  τ\u00a04  d\u00a03  ξ\u00a00.25  ·  seed 2")), nullptr);
    EXPECT_NE(label(QStringLiteral("4 ranks · gloo")), nullptr);
    EXPECT_NE(label(QStringLiteral("epoch 1.5 of 1.5")), nullptr);
    EXPECT_NE(label(QStringLiteral("hidden")), nullptr);
}

TEST_F(RunPageTest, SaysHowManyConfigurationsAreNotDrawn) {
    for (int delay = 1; delay <= 10; ++delay) workspace_.record({.ranks = 1, .period = 16, .delay = delay, .steps = 4});
    open();
    EXPECT_TRUE(eventually([&] { return label(QStringLiteral("8 of 10 configurations drawn")) != nullptr; }));
}

TEST_F(RunPageTest, ARunThatWasTakenOutOfTheQueueIsNotCalledStopped) {
    storage::RunInfo info{.runId = "later", .experiment = "e", .algorithm = "dasgd", .backend = "gloo"};
    info.queueEntry = {.cores = 1, .gpus = 0, .restarts = 0, .replaces = {}};
    ASSERT_TRUE(workspace_.store().addRun(info));
    ASSERT_TRUE(storage::QueueStore::open(workspace_.path())->cancel("later"));
    open();
    window_->open("Run");
    window_->session().choose(QStringLiteral("later"));
    EXPECT_TRUE(eventually([&] {
        const auto pills = window_->findChildren<StatePill*>();
        return std::ranges::any_of(
            pills, [](StatePill* pill) { return pill->accessibleName() == QStringLiteral("taken out"); });
    }));
}

// A long title is cut in its middle.
TEST_F(RunPageTest, TheWholeTitleIsInItsToolTipWhileThereIsARun) {
    const QString id = workspace_.record({.steps = 8});
    open();
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("delay-sweep  /  dasgd")) != nullptr; }));
    QLabel* title = label(QStringLiteral("delay-sweep  /  dasgd"));
    EXPECT_TRUE(title->toolTip().contains(QStringLiteral("ξ\u00a00.25"))) << title->toolTip().toStdString();
    EXPECT_TRUE(title->toolTip().contains(id));
    window_->session().choose(QStringLiteral("no-such-run"));
    ASSERT_TRUE(eventually([&] { return title->text().contains(QStringLiteral("is not in this workspace")); }));
    EXPECT_EQ(title->toolTip(), QString());
}

TEST_F(RunPageTest, TheKeyFiguresAreThoseOfTheStore) {
    const QString id = workspace_.record({.steps = 100});
    open();
    ASSERT_TRUE(eventually([&] {
        return figure(QStringLiteral("test accuracy")) != kAbsent && figure(QStringLiteral("final loss")) != kAbsent;
    }));
    const storage::RunRow row = storage::RunReader::open(workspace_.path())->detail(id.toStdString())->row;
    EXPECT_EQ(figure(QStringLiteral("hidden")), percent(row.hidden) + QStringLiteral("\u00a0%"));
    EXPECT_EQ(figure(QStringLiteral("sent per rank")), bytesInWords(static_cast<double>(row.bytesSent) / 4).text());
    EXPECT_EQ(figure(QStringLiteral("blocked")), shortNumber(*row.blockedS * 10, 2) + QStringLiteral("\u00a0ms/step"));
    EXPECT_EQ(figure(QStringLiteral("samples/s")), grouped(std::llround(*row.samplesPerS)));
    EXPECT_EQ(figure(QStringLiteral("test accuracy")), percent(*row.bestAccuracy) + QStringLiteral("\u00a0%"));
}

// The number has the name that it has on the Runs page.
TEST_F(RunPageTest, TheLossOfAnEndedRunIsThatOfTheTableAndSaysOfWhat) {
    const QString id = workspace_.record({.steps = 100, .testLoss = true});
    const QString other = workspace_.record({.experiment = "not evaluated", .steps = 60});
    open();
    const auto shows = [&](const QString& run, const QString& of) {
        window_->session().choose(run);
        const storage::RunRow row = storage::RunReader::open(workspace_.path())->detail(run.toStdString())->row;
        const QString words = shortNumber(row.finalLoss.value_or(0)) + QStringLiteral("\u00a0") + of;
        const QString name = RunTableModel::headerOf(RunTableModel::FinalLoss, Qt::DisplayRole).toString();
        return eventually([&] { return figure(name) == words; });
    };
    EXPECT_TRUE(shows(id, QStringLiteral("test"))) << figure(QStringLiteral("final loss")).toStdString();
    EXPECT_TRUE(shows(other, QStringLiteral("training"))) << figure(QStringLiteral("final loss")).toStdString();
    EXPECT_EQ(figure(QStringLiteral("training loss")), QString());
}

TEST_F(RunPageTest, TheLossOfATestIsNotCalledThatOfTrainingWhileItIsRead) {
    const QString id = workspace_.record({.steps = 100, .testLoss = true});
    workspace_.record({.experiment = "shown first", .steps = 60});
    open();
    ASSERT_TRUE(eventually([&] { return figure(QStringLiteral("final loss")).endsWith(QStringLiteral("training")); }));
    const storage::RunRow row = storage::RunReader::open(workspace_.path())->detail(id.toStdString())->row;
    const QString own = shortNumber(row.finalLoss.value_or(0)) + QStringLiteral("\u00a0");
    window_->session().choose(id);
    EXPECT_TRUE(eventually([&] {
        const QString loss = figure(QStringLiteral("final loss"));
        EXPECT_NE(loss, own + QStringLiteral("training"));
        return loss == own + QStringLiteral("test");
    }));
}

TEST_F(RunPageTest, TheLossOfALiveRunIsThatOfItsMinibatchesSmoothed) {
    test::SyntheticRun run(workspace_.store(), {.steps = 100, .testLoss = true});
    run.train(40);
    open();
    const QString id = QString::fromStdString(run.id());
    ASSERT_TRUE(eventually([&] { return window_->session().series(id, "train/loss").points().size() == 40; }));
    const double smooth = newestSmoothed(window_->session().series(id, "train/loss"), 0.9).value();
    EXPECT_TRUE(eventually([&] { return figure(QStringLiteral("training loss")) == shortNumber(smooth); }));
    run.train(100);
    run.finish();
    EXPECT_TRUE(eventually([&] { return figure(QStringLiteral("final loss")).endsWith(QStringLiteral("test")); }));
}

TEST_F(RunPageTest, ARunThatCommunicatesNothingHasNoHiddenPart) {
    workspace_.record({.algorithm = "independent", .steps = 20, .emulated = false});
    open();
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("nothing was transferred")) != nullptr; }));
    EXPECT_EQ(figure(QStringLiteral("hidden")), kAbsent);
    EXPECT_EQ(label(QStringLiteral("emulated")), nullptr);
}

TEST_F(RunPageTest, TheTimelineMovesTheBandOfTheCurves) {
    workspace_.record({.steps = 100});
    open();
    auto* timeline = window_->findChild<TimelineWidget*>();
    ASSERT_TRUE(eventually([&] { return timeline->frame()->spans > 0; }));
    QTest::keyClick(timeline, Qt::Key_0);
    const TimeRange all = window_->session().selection().window();
    EXPECT_EQ(all.end, window_->session().pulse().extent.end);
    ASSERT_TRUE(eventually([&] { return timeline->frame()->range.end >= all.end && timeline->frame()->spans > 1000; }));
    const PlotView& plot = chartOf("train/loss")->plot();
    ASSERT_TRUE(eventually([&] { return plot.band() && plot.band()->high == 100; }));
    const auto whole = *plot.band();
    EXPECT_EQ(whole.low, 1);
    for (int i = 0; i < 3; ++i) QTest::keyClick(timeline, Qt::Key_W);
    ASSERT_TRUE(plot.band());
    const auto part = *plot.band();
    EXPECT_GT(part.low, whole.low);
    EXPECT_LT(part.high, whole.high);
    EXPECT_LT(part.low, part.high);
    QTest::keyClick(timeline, Qt::Key_D);
    EXPECT_GT(plot.band()->low, part.low);
}

TEST_F(RunPageTest, ThePointerInTheTimelineIsALineInTheCurvesAndTheOtherWayRound) {
    workspace_.record({.steps = 100});
    open();
    auto* timeline = window_->findChild<TimelineWidget*>();
    PlotView& plot = chartOf("train/loss")->plot();
    const auto drawn = [&] { return plot.curves().size() == 1 && plot.curves()[0].line.x.size() == 100; };
    ASSERT_TRUE(eventually([&] { return timeline->frame()->spans > 0 && drawn(); }));
    const QPoint place(timeline->width() / 2, timeline->height() / 2);
    QMouseEvent move(QEvent::MouseMove, place, timeline->mapToGlobal(place), Qt::NoButton, Qt::NoButton,
                     Qt::NoModifier);
    QApplication::sendEvent(timeline, &move);
    const TimeSelection& selection = window_->session().selection();
    ASSERT_TRUE(selection.cursor());
    EXPECT_EQ(*selection.cursor(), timeline->scale().timeAt(place.x()));
    const auto& points = window_->session().series(window_->session().currentId(), "train/loss").points();
    ASSERT_TRUE(eventually([&] { return plot.cursor().has_value(); }));
    const auto step = static_cast<std::size_t>(*plot.cursor());
    ASSERT_TRUE(step > 1 && step <= points.size());
    EXPECT_LE(static_cast<double>(*selection.cursor()) / 1e9, points[step - 1].wallS + 1e-9);
    EXPECT_GT(static_cast<double>(*selection.cursor()) / 1e9, points[step - 2].wallS - 1e-9);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(timeline, &leave);
    ASSERT_TRUE(eventually([&] { return !plot.cursor(); }));
    QTest::keyClick(&plot, Qt::Key_Right, Qt::ShiftModifier);
    ASSERT_TRUE(plot.cursor());
    EXPECT_EQ(selection.cursor(), instantAtX(points, *plot.cursor(), XAxis::Step));
}

// The first clean window ends with the first evaluation; until then the hidden share is shown as that of now.
TEST_F(RunPageTest, ALiveRunShowsWhatIsHiddenBeforeItIsTimed) {
    test::SyntheticRun run(workspace_.store(), {.steps = 100});
    run.train(40);
    open();
    ASSERT_TRUE(eventually([&] { return figure(QStringLiteral("hidden")).endsWith(QStringLiteral("% now")); }));
    ASSERT_TRUE(eventually([&] { return figure(QStringLiteral("blocked")).contains(QStringLiteral("now")); }));
    EXPECT_TRUE(figure(QStringLiteral("samples/s")).contains(QStringLiteral("now, ")))
        << figure(QStringLiteral("samples/s")).toStdString();
    run.train(100);
    run.finish();
    ASSERT_TRUE(eventually([&] { return figure(QStringLiteral("hidden")).endsWith(QStringLiteral("\u00a0%")); }));
}

TEST_F(RunPageTest, TheChartsBeginWithTestAccuracyAndFoldWhereItIsNarrow) {
    workspace_.record({.steps = 100});
    open();
    const auto charts = window_->findChildren<ChartCard*>();
    ASSERT_EQ(charts.size(), 3);
    EXPECT_EQ(charts[0]->picker().metric(), "eval/accuracy");
    ASSERT_TRUE(eventually([&] { return charts[0]->plot().curves().size() == 1; }));
    EXPECT_LE(charts[0]->plot().curves()[0].line.y.back(), 100);
    EXPECT_GT(charts[0]->plot().curves()[0].line.y.back(), 1) << "in percent";
    EXPECT_EQ(charts[0]->y(), charts[2]->y());
    charts[1]->axis().choose(static_cast<int>(XAxis::Training));
    EXPECT_TRUE(eventually([&] { return std::abs(charts[0]->width() - charts[1]->width()) <= 1; }))
        << "whatever is chosen there";
    window_->resize(1280, 720);
    ASSERT_TRUE(eventually([&] { return charts[2]->y() > charts[0]->y(); }));
    EXPECT_EQ(charts[0]->y(), charts[1]->y());
}

TEST_F(RunPageTest, AFigureOfRanksIsOfThisRunAndOneOfRunsFollowsTheExperiment) {
    workspace_.record({.steps = 100});
    open();
    ChartCard* chart = window_->findChildren<ChartCard*>().front();
    ASSERT_TRUE(eventually([&] { return chart->plot().curves().size() == 1; }));
    EXPECT_EQ(chart->drawnRuns(), QStringList{window_->session().currentId()});
    chart->picker().choose("train/loss", true);
    auto* make = button<QToolButton>(QStringLiteral("Make figure"));
    ASSERT_NE(make, nullptr);
    QString name;
    QObject::connect(&window_->figures(), &FigureLibrary::added, [&](const QString& added) { name = added; });
    const auto made = [&] {
        name.clear();
        make->click();
        const SavedFigure* figure = window_->figures().find(name);
        return figure ? figure->spec : FigureSpec{};
    };
    const FigureSpec ranks = made();
    EXPECT_EQ(ranks.lines, FigureLines::Ranks);
    EXPECT_EQ(ranks.runs, QStringList{window_->session().currentId()});
    window_->open("Run");
    chart->picker().choose("train/loss", false);
    const FigureSpec runs = made();
    EXPECT_EQ(runs.lines, FigureLines::Seeds);
    EXPECT_EQ(runs.members, FigureMembers::AsFarAsAll);
    EXPECT_TRUE(runs.runs.isEmpty());
    EXPECT_TRUE(runs.filter.startsWith(QStringLiteral("experiment = "))) << runs.filter.toStdString();
}

// The program that draws is this test's own, which keeps its input (gui_main.cpp).
TEST_F(RunPageTest, CtrlEWritesTheChartsAndTheTimelineAsTheyAreSeen) {
    workspace_.record({.ranks = 2, .steps = 300});
    open();
    const auto charts = window_->findChildren<ChartCard*>();
    ASSERT_GE(charts.size(), 2);
    ASSERT_TRUE(eventually([&] { return charts[0]->plot().curves().size() == 1; }));
    charts[0]->picker().choose("train/loss", false);
    charts[0]->scale().choose(1);
    charts[1]->picker().choose(kSpansHidden, true);
    ASSERT_TRUE(eventually([&] { return charts[1]->plot().curves().size() == 2; }));
    const QString run = window_->session().currentId();
    QTest::keyClick(&charts[0]->plot(), Qt::Key_E, Qt::ControlModifier);
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("Figures are in ")) != nullptr; }));
    QFile file(QString::fromStdString((workspace_.path() / "figures").string()) + u'/' + run +
               QStringLiteral("/figures"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly)) << file.fileName().toStdString();
    const auto written = figuresOf(file.readAll(), QStringLiteral("figures"));
    ASSERT_TRUE(written.has_value()) << written.error().message;
    std::map<QString, FigureSpec> specs;
    for (const NamedFigure& one : *written)
        specs[one.spec.kind == FigureKind::Timeline ? "timeline" : one.spec.metric] = one.spec;
    ASSERT_TRUE(specs.contains(QStringLiteral("train/loss")) && specs.contains(QString::fromLatin1(kSpansHidden)));
    EXPECT_TRUE(specs.at(QStringLiteral("train/loss")).logY);
    const FigureSpec& hidden = specs.at(QString::fromLatin1(kSpansHidden));
    EXPECT_EQ(hidden.lines, FigureLines::Ranks);
    EXPECT_EQ(hidden.runs, QStringList{run}) << "it is of this run alone";
    ASSERT_TRUE(specs.contains(QStringLiteral("timeline")));
    const TimeRange seen = window_->session().selection().window();
    EXPECT_NEAR(specs.at(QStringLiteral("timeline")).windowS->low, static_cast<double>(seen.start) / 1e9, 1e-6);
    EXPECT_NEAR(specs.at(QStringLiteral("timeline")).windowS->high, static_cast<double>(seen.end) / 1e9, 1e-6);
}

TEST_F(RunPageTest, TheFirstEntryOfExportWritesTheFigures) {
    workspace_.record({.ranks = 2, .steps = 300});
    open();
    auto* exports = button<QToolButton>(QStringLiteral("Export ▾"));
    ASSERT_NE(exports, nullptr);
    ASSERT_TRUE(eventually([&] { return exports->isEnabled(); }));
    exports->menu()->actions().front()->trigger();
    EXPECT_TRUE(eventually([&] { return label(QStringLiteral("Figures are in ")) != nullptr; }));
}

TEST_F(RunPageTest, TheDrawnMetricsBecomeACsvFileWithEveryPoint) {
    const QString id = workspace_.record({.steps = 900});
    open();
    for (ChartCard* chart : window_->findChildren<ChartCard*>()) chart->picker().choose("train/loss", false);
    ASSERT_TRUE(eventually([&] { return window_->session().series(id, "train/loss").points().size() == 900; }));
    auto* exports = button<QToolButton>(QStringLiteral("Export ▾"));
    ASSERT_NE(exports, nullptr);
    ASSERT_EQ(exports->menu()->actions().size(), 2) << "figures, then the numbers";
    exports->menu()->actions().back()->trigger();
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("Written: ")) != nullptr; }));
    const QDir tables(QString::fromStdString((workspace_.path() / "tables").string()));
    const QStringList files = tables.entryList({QStringLiteral("*.csv")});
    ASSERT_EQ(files.size(), 1);
    QFile file(tables.filePath(files.front()));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    EXPECT_EQ(text.count('\n'), 1 + 900) << "a metric that several charts draw is there once";
    EXPECT_TRUE(text.contains(id.toUtf8()));
}

TEST_F(RunPageTest, TheLogOfARankIsShown) {
    const QString id = workspace_.record({.steps = 10});
    const QDir folder(QString::fromStdString((workspace_.path() / "runs" / id.toStdString() / "logs").string()));
    ASSERT_TRUE(folder.mkpath(QStringLiteral(".")));
    QFile log(folder.filePath(QStringLiteral("rank-0.log")));
    ASSERT_TRUE(log.open(QIODevice::WriteOnly));
    log.write("rank 0: ready\n");
    log.close();
    open();
    auto* card = window_->findChild<LogCard*>();
    ASSERT_TRUE(eventually([&] { return card->text().contains(QStringLiteral("rank 0: ready")); }));
}

TEST_F(RunPageTest, OnlyALiveRunCanBeStopped) {
    test::SyntheticRun run(workspace_.store(), {.steps = 10});
    run.train(5);
    open();
    ASSERT_TRUE(eventually([&] { return button<QPushButton>(QStringLiteral("Stop")) != nullptr; }));
    run.finish();
    ASSERT_TRUE(eventually([&] { return button<QPushButton>(QStringLiteral("Stop")) == nullptr; }));
    EXPECT_NE(button<QPushButton>(QStringLiteral("Compare")), nullptr);
}

TEST_F(RunPageTest, WhatEndedEarlyIsResumedOrRunAgainFromHere) {
    const std::filesystem::path engine = workspace_.path() / "engine", words = workspace_.path() / "words";
    std::ofstream(engine) << "#!/bin/sh\necho \"$1 $2\" >> " << words.string() << "\n";
    std::filesystem::permissions(engine, std::filesystem::perms::owner_all);
    test::SyntheticRun run(workspace_.store(), {.steps = 10, .status = "stopped"});
    run.train(5);
    std::filesystem::create_directories(workspace_.store().paths().run(run.id()) / "checkpoints" / "step-5");
    run.finish();
    open(QString::fromStdString(engine.string()));
    window_->open("Run");
    ASSERT_TRUE(eventually([&] { return button<QPushButton>(QStringLiteral("Resume")) != nullptr; }));
    const auto said = [&](const std::string& line) {
        return eventually([&] {
            std::ifstream in(words);
            return std::string(std::istreambuf_iterator<char>(in), {}).find(line) != std::string::npos;
        });
    };
    button<QPushButton>(QStringLiteral("Resume"))->click();
    EXPECT_TRUE(said("resume " + run.id()));
    button<QPushButton>(QStringLiteral("Run again"))->click();
    EXPECT_TRUE(said("run "));
}

TEST_F(RunPageTest, CompareDrawsTheRunsOfTheExperiment) {
    const QString first = workspace_.record({.seed = 1, .steps = 20}),
                  second = workspace_.record({.seed = 2, .steps = 20});
    open();
    window_->open("Run");
    ASSERT_TRUE(eventually([&] { return window_->session().current() != nullptr; }));
    button<QPushButton>(QStringLiteral("Compare"))->click();
    EXPECT_THAT(window_->session().comparison(), ::testing::UnorderedElementsAre(first, second));
    EXPECT_EQ(button<QPushButton>(QStringLiteral("Run again")), nullptr) << "another page is shown";
}

TEST_F(RunPageTest, AfterRunItSaysThatTheRunStarts) {
    open();
    window_->open("Run");
    ASSERT_NE(label(QStringLiteral("No run yet")), nullptr);
    window_->session().followStart();
    EXPECT_NE(label(QStringLiteral("Starting …")), nullptr);
    EXPECT_EQ(label(QStringLiteral("No run yet")), nullptr);
    workspace_.record({.steps = 8});
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("Starting …")) == nullptr; }));
    EXPECT_EQ(label(QStringLiteral("No run yet")), nullptr);
}

// The run ended between the click and the program that it started.
TEST_F(RunPageTest, AStopThatComesTooLateIsNoErrorAnywhereAndFollowingGoesOn) {
    const std::filesystem::path engine = workspace_.path() / "engine", asked = workspace_.path() / "asked";
    std::ofstream(engine) << "#!/bin/sh\n[ \"$1\" = stop ] || exit 1\ntouch " << asked.string() << "\nwhile [ -e "
                          << asked.string()
                          << " ]; do sleep 0.05; done\necho \"$2 is finished, there is nothing to stop\" >&2\nexit 2\n";
    std::filesystem::permissions(engine, std::filesystem::perms::owner_all);
    test::SyntheticRun run(workspace_.store(), {.steps = 10});
    run.train(5);
    open(QString::fromStdString(engine.string()));
    for (const char* page : {"Runs", "Experiment", "Run"}) window_->open(page);
    ASSERT_TRUE(eventually([&] { return button<QPushButton>(QStringLiteral("Stop")) != nullptr; }));
    button<QPushButton>(QStringLiteral("Stop"))->click();
    EXPECT_TRUE(window_->session().followsNewest());
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(asked); }));
    run.finish();
    ASSERT_TRUE(eventually([&] { return !isLive(window_->session().current()->row); }));
    std::filesystem::remove(asked);
    const auto bars = [&] {
        QStringList texts;
        for (const MessageBar* bar : window_->findChildren<MessageBar*>()) {
            if (!bar->text().isEmpty()) texts << bar->text();
        }
        return texts;
    };
    ASSERT_TRUE(eventually([&] { return !bars().isEmpty(); }));
    EXPECT_EQ(bars().size(), 1) << "on the page of the click alone";
    QTest::qWait(5);
    const QString next = workspace_.record({.algorithm = "sync_sgd", .steps = 8});
    ASSERT_TRUE(eventually([&] { return window_->session().currentId() == next; }));
    EXPECT_TRUE(bars().isEmpty()) << "what it was about is not shown any more";
}

TEST_F(RunPageTest, AnEndThatWasDismissedStaysDismissed) {
    const QString id = QStringLiteral("a");
    ASSERT_TRUE(workspace_.store().addRun({.runId = "a", .experiment = "e", .algorithm = "dasgd", .backend = "gloo"}));
    ASSERT_TRUE(workspace_.store().abandonRun("a", "failed", "rank 1: out of memory"));
    open();
    window_->open("Run");
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("out of memory")) != nullptr; }));
    button<QToolButton>(QStringLiteral("dismiss"))->click();
    emit window_->session().shownChanged();
    EXPECT_EQ(label(QStringLiteral("out of memory")), nullptr);
    workspace_.record({.steps = 8});
    ASSERT_TRUE(eventually([&] { return window_->session().currentId() != id; }));
    window_->session().choose(id);
    EXPECT_NE(label(QStringLiteral("out of memory")), nullptr) << "who comes back is told";
}

TEST_F(RunPageTest, StopMeansTheRunThatWasThereWhenItWasPressed) {
    const std::filesystem::path engine = workspace_.path() / "engine", words = workspace_.path() / "words";
    std::ofstream(engine) << "#!/bin/sh\necho \"$1 $2\" > " << words.string() << "\n";
    std::filesystem::permissions(engine, std::filesystem::perms::owner_all);
    test::SyntheticRun first(workspace_.store(), {.steps = 10});
    first.train(5);
    open(QString::fromStdString(engine.string()));
    ASSERT_TRUE(eventually([&] { return button<QPushButton>(QStringLiteral("Stop")) != nullptr; }));
    const QString id = window_->session().currentId();
    auto* stop = button<QPushButton>(QStringLiteral("Stop"));
    QTest::mousePress(stop, Qt::LeftButton);
    QTest::qWait(5);
    test::SyntheticRun second(workspace_.store(), {.algorithm = "sync_sgd", .steps = 10});
    second.train(5);
    ASSERT_TRUE(eventually([&] { return window_->session().currentId() != id; }));
    QTest::mouseRelease(stop, Qt::LeftButton);
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(words) && std::filesystem::file_size(words) > 0; }));
    std::string command, run;
    std::ifstream(words) >> command >> run;
    EXPECT_EQ(command, "stop");
    EXPECT_EQ(QString::fromStdString(run), id);
    first.finish();
    second.finish();
}

}  // namespace
}  // namespace dasgd::gui
