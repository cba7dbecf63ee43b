#include "gui/figures/content/parallel_figure.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <cmath>

#include "gui/figures/bundle/figure_command.h"
#include "gui/figures/content/figure_curves.h"
#include "gui/figures/content/figure_panels.h"
#include "tests/gui/support/compare_bench.h"
#include "tests/gui/support/edges.h"

namespace dasgd::gui {
namespace {

class ParallelFigureTest : public ::testing::Test {
protected:
    ParallelFigureTest() {
        stopped_ = recordCompared(workspace_);
        spec_.kind = FigureKind::Parallel;
    }
    FigureContent content() {
        auto reader = storage::RunReader::open(workspace_.path());
        auto read = readFigure(*reader, spec_, allRuns(*reader).value());
        EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().message);
        return read ? *read : FigureContent{};
    }
    // Makes the bundle by `dasgd-lab figure`; answers the names of its files.
    QStringList bundleOf(const QString& file, const QString& folder) {
        const auto options =
            parseFigureOptions({file, QStringLiteral("--workspace"), QString::fromStdString(workspace_.path().string()),
                                QStringLiteral("--out"), out_.filePath(folder)});
        EXPECT_TRUE(options.has_value());
        const auto written = writeFigures(*options);
        EXPECT_TRUE(written.has_value()) << (written ? "" : written.error().message);
        return written ? *written : QStringList();
    }
    QString asked() {
        QFile file(out_.filePath(QStringLiteral("asked.json")));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(QJsonDocument(jsonOf(spec_)).toJson());
        return file.fileName();
    }
    QString textOf(const char* name) {
        QFile file(out_.filePath(QLatin1String(name)));
        EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name;
        return QString::fromUtf8(file.readAll());
    }
    Workspace workspace_;
    QString stopped_;
    QTemporaryDir out_;
    FigureSpec spec_;
};

// A finished run whose last loss is no number.
void recordNaN(Workspace& workspace) {
    storage::Store& store = workspace.store();
    storage::RunInfo info{.runId = store.newRunId("local_sgd"),
                          .experiment = "delay-sweep",
                          .algorithm = "local_sgd",
                          .backend = "gloo",
                          .config = "name = \"delay-sweep\"\n[algorithm]\nname = \"local_sgd\"\n[train]\nseed = 1\n"};
    info.seed = 1;
    info.workers = 1;
    info.plannedSteps = 1;
    info.versions = "{}";
    ASSERT_TRUE(store.addRun(info).has_value());
    auto journal = JournalWriter::create(store.paths().journal(info.runId, 0));
    auto recorder = storage::Recorder::start(store, info.runId, {0});
    ASSERT_TRUE(journal.has_value() && recorder.has_value());
    (*journal)->metric({.name = "train/loss", .step = 1, .value = std::nan("")});
    (*journal)->state(RankState::Finished, 1, "");
    ASSERT_TRUE((*recorder)->finish("finished", "").has_value());
}

const ParallelLine* lineOf(const FigureContent& content, const char* part) {
    for (const ParallelLine& line : content.parallel->plot.lines) {
        QString name = line.name;
        if (name.replace(QChar(0x00a0), QLatin1Char(' ')).contains(QLatin1String(part))) return &line;
    }
    ADD_FAILURE() << "no line " << part;
    return nullptr;
}

TEST_F(ParallelFigureTest, AxesAreThoseOfThePageWhereNoneAreNamed) {
    const FigureContent made = content();
    ASSERT_TRUE(made.parallel) << made.nothing.toStdString();
    std::vector<std::string> keys;
    for (const ParallelAxis& axis : made.parallel->plot.axes) keys.push_back(axis.key);
    EXPECT_EQ(keys.front(), "algorithm.name");
    EXPECT_TRUE(std::ranges::count(keys, "algorithm.delay") && std::ranges::count(keys, "step-ms"));
    EXPECT_EQ(made.inWords(), QStringLiteral("3 lines, 8 of 9 runs"));
}

TEST_F(ParallelFigureTest, ALineIsTheMeanOfItsSeedsAndWhatItLacksOrLeavesOutIsNamed) {
    spec_.axes = QStringList{QStringLiteral("step-ms"), QStringLiteral("algorithm.delay")};
    const FigureContent made = content();
    ASSERT_EQ(made.parallel->plot.axes.size(), 2U);
    EXPECT_EQ(made.parallel->plot.axes[0].key, "step-ms");
    const ParallelLine* sync = lineOf(made, "sync");
    ASSERT_TRUE(sync);
    EXPECT_FALSE(sync->values[1]);
    const QString notes = made.allNotes().join(u'\n');
    EXPECT_TRUE(notes.contains(QStringLiteral("n = 2 to 3"))) << notes.toStdString();
    EXPECT_TRUE(notes.contains(QStringLiteral("below an axis, no value: d of sync_sgd"))) << notes.toStdString();
    EXPECT_TRUE(notes.contains(QStringLiteral("seed 3 was stopped at step 60")));
    // Each number of the table is a mean over what the CSV file says run by run.
    const QStringList rows = made.csv.trimmed().split(u'\n');
    ASSERT_EQ(rows.size(), 1 + 9) << "a row a run, the stopped one too";
    EXPECT_EQ(rows[0], QStringLiteral(
                           "configuration,time,seed,status,in_mean,\"time per step [ms]\",\"algorithm.delay\",run_id"));
    double sum = 0;
    int taken = 0;
    for (const QString& row : rows.mid(1)) {
        const QStringList cells = row.split(u',');
        if (row.contains(stopped_)) {
            EXPECT_TRUE(row.contains(QStringLiteral("\"stopped\",false,,"))) << row.toStdString();
        }
        if (!cells[0].contains(QStringLiteral("sync"))) continue;
        sum += cells[cells.size() - 3].toDouble();
        ++taken;
    }
    ASSERT_EQ(taken, 3);
    EXPECT_NEAR(sum / taken, *sync->values[0], 1e-6 * *sync->values[0]);
}

TEST_F(ParallelFigureTest, WhyAFinishedConfigurationHasNoValueIsSaid) {
    recordNaN(workspace_);
    spec_.axes =
        QStringList{QStringLiteral("algorithm.name"), QStringLiteral("final-loss"), QStringLiteral("time-to-target")};
    spec_.target = QStringLiteral("loss=0.0000001");
    const FigureContent made = content();
    ASSERT_TRUE(made.parallel) << made.nothing.toStdString();
    const QString notes = made.allNotes().join(u'\n');
    EXPECT_TRUE(notes.contains(QStringLiteral("1 of 1 finished runs ended with a loss that is NaN")))
        << notes.toStdString();
    EXPECT_TRUE(notes.contains(QStringLiteral("3 of 3 finished runs did not reach the target"))) << notes.toStdString();
}

TEST_F(ParallelFigureTest, ASettingGivesTheLooksAndKeepsThatOfItsFirstConfiguration) {
    const FigureContent each = content();
    EXPECT_EQ(each.parallel->legend.size(), 3U);
    spec_.colorBy = QStringLiteral("algorithm.name");
    const FigureContent two = content();
    ASSERT_EQ(two.parallel->legend.size(), 2U);
    EXPECT_EQ(lineOf(two, "d 1")->style, lineOf(two, "d 3")->style);
    EXPECT_NE(lineOf(two, "d 1")->style, lineOf(two, "sync")->style);
    EXPECT_EQ(lineOf(two, "sync")->style, lineOf(each, "sync")->style) << "one look in all figures";
    spec_.colorBy = QStringLiteral("no.such");
    EXPECT_EQ(content().nothing, QStringLiteral("None of these runs has the setting no.such."));
}

TEST(ParallelFigure, SettingsAreRecordedTextInTheCsvAndNeverReadAlike) {
    std::vector<RunItemPtr> runs;
    for (const char* rate : {"0.1000001", "0.1000002"}) {
        const std::string config = std::string("[algorithm]\nname = \"dasgd\"\n[optimizer]\nlearning_rate = ") + rate +
                                   "\n[train]\nbatch_size = 1048576\nseed = 1\n";
        runs.push_back(makeRun(rate, "dasgd", config));
    }
    const std::vector<CompareGroup> groups = compareGroups(runs, [](const RunItem& run) {
        return run.id.endsWith(u'1') ? CurveStyle{0, 0, 0} : CurveStyle{1, 1, 1};
    });
    ASSERT_EQ(groups.size(), 2U);
    CompareView view(groups, nullptr);
    view.shown = {0, 1};
    FigureSpec spec;
    spec.kind = FigureKind::Parallel;
    spec.axes = QStringList{QStringLiteral("optimizer.learning_rate"), QStringLiteral("train.batch_size")};
    spec.colorBy = spec.axes[0];
    FigureContent made;
    takeParallel(view, spec, made);
    ASSERT_TRUE(made.parallel) << made.nothing.toStdString();
    const QStringList rows = made.csv.trimmed().split(u'\n');
    ASSERT_EQ(rows.size(), 3);
    EXPECT_TRUE(rows[1].contains(QStringLiteral("0.1000001"))) << rows[1].toStdString();
    EXPECT_TRUE(rows[2].contains(QStringLiteral("0.1000002"))) << rows[2].toStdString();
    EXPECT_TRUE(rows[1].contains(QStringLiteral("1048576"))) << rows[1].toStdString();
    ASSERT_EQ(made.table.rows.size(), 2U);
    EXPECT_EQ(made.table.rows[0].mid(3), (QStringList{QStringLiteral("0.1000001"), QStringLiteral("1048576")}));
    EXPECT_EQ(made.table.rows[1].mid(3), (QStringList{QStringLiteral("0.1000002"), QStringLiteral("1048576")}));
    const std::vector<ParallelLine>& legend = made.parallel->legend;
    ASSERT_EQ(legend.size(), 2U) << "two values are two looks";
    EXPECT_EQ(legend[0].name, QStringLiteral("0.1000001"));
    EXPECT_FALSE(legend[0].style == legend[1].style);
    EXPECT_NE(made.parallel->plot.lines[0].style, made.parallel->plot.lines[1].style);
}

TEST_F(ParallelFigureTest, ABrushMarksItsPartOrSaysWhatTheAxisHas) {
    spec_.axes =
        QStringList{QStringLiteral("algorithm.name"), QStringLiteral("algorithm.delay"), QStringLiteral("step-ms")};
    spec_.brushes[QStringLiteral("algorithm.delay")] = {.range = FigureRange{2, 3}};
    const FigureContent marked = content();
    ASSERT_TRUE(marked.parallel) << marked.nothing.toStdString();
    EXPECT_TRUE(marked.parallel->plot.passes(*lineOf(marked, "d 3")));
    EXPECT_FALSE(marked.parallel->plot.passes(*lineOf(marked, "d 1")));
    EXPECT_TRUE(
        marked.allNotes().join(u'\n').contains(QStringLiteral("grey: outside the marked ranges, 2 of 3 lines")));
    spec_.brushes.clear();
    spec_.brushes[QStringLiteral("algorithm.name")] = {.values = {QStringLiteral("sync_sgd")}};
    const FigureContent words = content();
    EXPECT_TRUE(words.parallel->plot.passes(*lineOf(words, "sync")));
    EXPECT_FALSE(words.parallel->plot.passes(*lineOf(words, "d 1")));
    spec_.brushes[QStringLiteral("algorithm.name")] = {.values = {QStringLiteral("gossip")}};
    EXPECT_EQ(content().nothing,
              QStringLiteral("\"brushes\", \"algorithm.name\": no run has gossip; there are dasgd, sync_sgd"));
    spec_.brushes[QStringLiteral("algorithm.name")] = {.range = FigureRange{1, 2}};
    EXPECT_TRUE(content().nothing.contains(QStringLiteral("the axis has words")));
    spec_.brushes = {{QStringLiteral("step-ms"), {.values = {QStringLiteral("fast")}}}};
    EXPECT_TRUE(content().nothing.contains(QStringLiteral("the axis has numbers")));
}

TEST_F(ParallelFigureTest, SimulatedTimeIsHollowAndAnAxisThatNoRunHasIsNamed) {
    workspace_.record({.experiment = "elsewhere", .ranks = 2, .steps = 200, .stepsPerEpoch = 50, .simulated = true});
    spec_.axes = QStringList{QStringLiteral("step-ms"), QStringLiteral("final-loss"), QStringLiteral("model.no_such")};
    const FigureContent made = content();
    ASSERT_TRUE(made.parallel) << made.nothing.toStdString();
    EXPECT_EQ(std::ranges::count_if(made.parallel->plot.lines, &ParallelLine::hollow), 1);
    EXPECT_EQ(made.parallel->plot.axes[0].full, QStringLiteral("time per step [ms], measured and simulated"));
    const QString notes = made.allNotes().join(u'\n');
    EXPECT_TRUE(notes.contains(QStringLiteral("hollow: time simulated")));
    EXPECT_TRUE(notes.contains(QStringLiteral("no axis for model.no_such")));
    spec_.axes = QStringList{QStringLiteral("step-ms"), QStringLiteral("model.no_such")};
    EXPECT_TRUE(content().nothing.contains(QStringLiteral("two axes")));
}

TEST_F(ParallelFigureTest, ABundleIsWholeAndItsRecordMakesItAgain) {
    spec_.venue = QStringLiteral("icml");
    spec_.width = FigureWidth::Column;
    const QStringList written = bundleOf(asked(), QStringLiteral("bundle"));
    EXPECT_EQ(written.size(), 8) << "no numbers beside the document";
    for (const QString& file : written) EXPECT_GT(QFileInfo(file).size(), 100) << file.toStdString();
    EXPECT_TRUE(textOf("bundle/asked-table.tex").contains(QStringLiteral("seed 3 was stopped at step 60")));
    EXPECT_TRUE(textOf("bundle/asked-plot.tex").contains(QStringLiteral("\\begin{tikzpicture}")));
    const QJsonDocument record = QJsonDocument::fromJson(textOf("bundle/figure.json").toUtf8());
    EXPECT_EQ(record[QLatin1String("figures")][0][QLatin1String("spec")][QLatin1String("kind")].toString(),
              QStringLiteral("parallel"));
    // Runs that come later are not in it.
    workspace_.record({.algorithm = "local_sgd", .ranks = 2, .steps = 200, .stepsPerEpoch = 50});
    bundleOf(out_.filePath(QStringLiteral("bundle/figure.json")), QStringLiteral("again"));
    for (const char* file : {"asked.csv", "asked.svg", "asked-plot.tex", "asked-table.tex"}) {
        EXPECT_EQ(textOf((std::string("again/") + file).c_str()), textOf((std::string("bundle/") + file).c_str()))
            << file;
    }
}

TEST_F(ParallelFigureTest, ItIsAPanelLikeOthers) {
    FigureSpec whole{.kind = FigureKind::Panels};
    FigureSpec loss;
    whole.panels = {loss, spec_};
    spec_ = whole;
    for (const int across : {1, 2}) {
        spec_.across = across;
        const FigureContent made = content();
        ASSERT_EQ(made.nothing, QString());
        EXPECT_EQ(inkAtEdges(imageOf(layOut(made, spec_), 300.0 / 72)), 0);
        EXPECT_TRUE(panelsTex(made, spec_, QStringLiteral("x")).contains(QStringLiteral("\\newcommand{\\drawpanelb}")));
    }
}

}  // namespace
}  // namespace dasgd::gui
