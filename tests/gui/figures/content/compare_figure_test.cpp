#include "gui/figures/content/compare_figure.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <algorithm>
#include <chrono>
#include <thread>

#include "gui/figures/bundle/figure_command.h"
#include "gui/figures/content/figure_curves.h"
#include "gui/figures/export/figure_files.h"
#include "gui/kit/words/words.h"
#include "tests/gui/support/compare_bench.h"

namespace dasgd::gui {
namespace {

class CompareFigureTest : public ::testing::Test {
protected:
    CompareFigureTest() { stopped_ = recordCompared(workspace_); }
    FigureContent contentOf(const FigureSpec& spec) {
        auto reader = storage::WorkspaceReader::open(workspace_.path());
        const auto all = allRuns(reader->runs());
        auto content = readFigure(*reader, spec, *all);
        EXPECT_TRUE(content.has_value()) << (content ? "" : content.error().message);
        return content ? *content : FigureContent{};
    }
    // The bundle by `dasgd-lab figure`.
    QStringList bundleOf(const FigureSpec& spec) {
        QFile file(out_.filePath(QStringLiteral("asked.json")));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(QJsonDocument(jsonOf(spec)).toJson());
        file.close();
        const auto options = parseFigureOptions({file.fileName(), QStringLiteral("--workspace"),
                                                 QString::fromStdString(workspace_.path().string()),
                                                 QStringLiteral("--out"), out_.filePath(QStringLiteral("bundle"))});
        EXPECT_TRUE(options.has_value());
        const auto written = writeFigures(*options);
        EXPECT_TRUE(written.has_value()) << (written ? "" : written.error().message);
        return written ? *written : QStringList();
    }
    QByteArray fileOf(const char* name) {
        QFile file(out_.filePath(QLatin1String("bundle/") + QLatin1String(name)));
        EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name;
        return file.readAll();
    }
    Workspace workspace_;
    QString stopped_;
    QTemporaryDir out_;
};

FigureSpec specOf(FigureKind kind) {
    FigureSpec spec;
    spec.kind = kind;
    return spec;
}

TEST_F(CompareFigureTest, SpeedUpsSayOverWhat) {
    FigureSpec spec = specOf(FigureKind::Bars);
    spec.number = CompareNumber::SpeedUp;
    const FigureContent content = contentOf(spec);
    ASSERT_TRUE(content.bars);
    ASSERT_EQ(content.bars->bars.size(), 3U);
    EXPECT_TRUE(content.bars->axis.startsWith(QStringLiteral("speed-up over sync_sgd [×]")));
    for (const Bar& bar : content.bars->bars) EXPECT_TRUE(bar.value) << bar.label.toStdString();
    ASSERT_FALSE(content.notes.isEmpty());
    EXPECT_TRUE(content.notes.front().startsWith(QStringLiteral("ratio of the mean times per step")));
    int drawn = 0;
    for (const FigureSource& source : content.sources) drawn += source.drawnRuns();
    EXPECT_EQ(drawn, 8) << "all but the one that was stopped";
}

TEST_F(CompareFigureTest, EachBarSaysHowManyRunsItIsOf) {
    const FigureContent content = contentOf(specOf(FigureKind::Bars));
    ASSERT_TRUE(content.bars);
    ASSERT_EQ(content.bars->bars.size(), 3U);
    int short_ = 0;
    for (const Bar& bar : content.bars->bars) {
        EXPECT_TRUE(bar.value && bar.interval);
        EXPECT_TRUE(bar.ratio.startsWith(QStringLiteral("× "))) << bar.ratio.toStdString();
        short_ += bar.count == QStringLiteral("n = 2 of 3") ? 1 : 0;
    }
    EXPECT_EQ(short_, 1);
    EXPECT_LE(*content.bars->bars[0].value, *content.bars->bars[1].value);
    EXPECT_TRUE(content.allNotes().join(QLatin1Char('\n')).contains(QStringLiteral("seed 3 was stopped at step 60")))
        << content.allNotes().join(QLatin1Char('\n')).toStdString();
    EXPECT_EQ(content.inWords(), QStringLiteral("3 bars, 8 of 9 runs"));
}

// The ratio is said with what it is over: on the page, in the document, in the table and as a number in the CSV.
TEST_F(CompareFigureTest, RatiosAreOverTheBaselineThatIsAskedFor) {
    FigureSpec spec = specOf(FigureKind::Bars);
    const auto ratioOf = [](const FigureContent& content, const QString& name) {
        for (const Bar& bar : content.bars->bars) {
            if (bar.label == name) return bar.ratio;
        }
        return QStringLiteral("no such bar");
    };
    const FigureContent usual = contentOf(spec);
    ASSERT_TRUE(usual.bars);
    EXPECT_EQ(ratioOf(usual, QStringLiteral("sync_sgd")), QStringLiteral("× ") + shortNumber(1, 3));
    EXPECT_TRUE(usual.notes.front().endsWith(QStringLiteral("; ×: ratio to the mean of sync_sgd")))
        << usual.notes.front().toStdString();
    const auto other = std::ranges::find_if(
        usual.sources, [](const FigureSource& source) { return source.name != QStringLiteral("sync_sgd"); });
    ASSERT_NE(other, usual.sources.end());
    for (const QString& called : {other->name, other->key}) {
        spec.baseline = called;
        const FigureContent content = contentOf(spec);
        ASSERT_TRUE(content.bars) << content.nothing.toStdString();
        EXPECT_EQ(ratioOf(content, other->name), QStringLiteral("× ") + shortNumber(1, 3));
        EXPECT_TRUE(content.notes.front().contains(other->name));
        EXPECT_EQ(content.table.columns.back(), QStringLiteral("×")) << "as the note calls it";
        const QStringList lines = content.csv.trimmed().split(QLatin1Char('\n'));
        EXPECT_TRUE(lines.front().endsWith(
            QStringLiteral(",ratio_to_baseline,ratio_half_width_of_95_percent_interval,baseline")));
        EXPECT_EQ(
            std::ranges::count_if(lines, [&](const QString& line) { return line.endsWith(csvField(other->name)); }), 3);
    }
    spec.number = CompareNumber::SpeedUp;
    const FigureContent speedUps = contentOf(spec);
    ASSERT_TRUE(speedUps.bars);
    EXPECT_TRUE(speedUps.bars->axis.startsWith(QStringLiteral("speed-up over ") + other->name));
    EXPECT_FALSE(speedUps.csv.contains(QStringLiteral("ratio_to_baseline"))) << "a speed-up is a ratio itself";
    spec.baseline = QStringLiteral("adam");
    EXPECT_TRUE(contentOf(spec).nothing.contains(QStringLiteral("The baseline adam is none of")));
}

TEST_F(CompareFigureTest, TheWhiskerIsWhatIsAskedFor) {
    FigureSpec spec = specOf(FigureKind::Bars);
    const auto widest = [&](FigureBand band) {
        spec.band = band;
        double most = -1;
        const FigureContent content = contentOf(spec);
        for (const Bar& bar : content.bars->bars) most = std::max(most, bar.interval.value_or(-1));
        return most;
    };
    const double std = widest(FigureBand::Std), interval = widest(FigureBand::Interval95);
    EXPECT_GT(std, 0);
    EXPECT_GT(interval, std) << "with two or three runs Student's t is wide";
    EXPECT_EQ(widest(FigureBand::None), -1);
}

TEST_F(CompareFigureTest, ATargetThatWasNotReachedHasNoBar) {
    FigureSpec spec = specOf(FigureKind::Bars);
    spec.number = CompareNumber::SecondsToTarget;
    spec.target = QStringLiteral("loss=0.0000001");
    const FigureContent content = contentOf(spec);
    ASSERT_TRUE(content.bars);
    for (const Bar& bar : content.bars->bars) {
        EXPECT_FALSE(bar.value);
        EXPECT_EQ(bar.words, QStringLiteral("not reached"));
    }
    for (const FigureSource& source : content.sources) EXPECT_EQ(source.drawnRuns(), 0);
}

// The accuracy of these runs is a matter of their step: 0.81 at 100, 0.88 at 200.
TEST_F(CompareFigureTest, ATargetThatNotAllReachedHasItsWordsButNoValue) {
    FigureSpec spec = specOf(FigureKind::Bars);
    for (const int seed : {1, 2, 3}) {
        spec.runs << workspace_.record({.experiment = "partly",
                                        .algorithm = "local_sgd",
                                        .seed = seed,
                                        .ranks = 2,
                                        .steps = seed == 3 ? 100 : 200,
                                        .stepsPerEpoch = 50});
    }
    spec.number = CompareNumber::SecondsToTarget;
    spec.target = QStringLiteral("accuracy=0.85");
    const FigureContent content = contentOf(spec);
    ASSERT_TRUE(content.bars) << content.nothing.toStdString();
    ASSERT_EQ(content.bars->bars.size(), 1U);
    EXPECT_FALSE(content.bars->bars[0].value);
    EXPECT_TRUE(content.bars->bars[0].words.startsWith(QStringLiteral("reached by 2 of 3 finished: ")));
    ASSERT_EQ(content.table.rows.size(), 1U);
    EXPECT_TRUE(content.table.rows[0][3].startsWith(QStringLiteral("reached by 2 of 3 finished: ")));
    ASSERT_EQ(content.sources.size(), 1U);
    EXPECT_EQ(content.sources[0].drawnRuns(), 0);
    EXPECT_EQ(content.sources[0].countInWords(), QStringLiteral("2 of 3")) << "as beside its words in the picture";
    EXPECT_TRUE(content.allNotes().join(u'\n').contains(
        QStringLiteral("1 of 3 finished runs did not reach the target, no value drawn")))
        << content.allNotes().join(u'\n').toStdString();
    EXPECT_TRUE(content.csv.contains(QStringLiteral(",,,2,3,"))) << content.csv.toStdString();
    // The runs of each bar's number can be traced.
    EXPECT_TRUE(content.csv.contains(content.bars->bars[0].words)) << content.csv.toStdString();
    EXPECT_TRUE(content.csv.contains(spec.runs[0] + u' ' + spec.runs[1]) ||
                content.csv.contains(spec.runs[1] + u' ' + spec.runs[0]))
        << content.csv.toStdString();
    EXPECT_FALSE(content.csv.contains(spec.runs[2]));
    spec.target = QStringLiteral("accuracy=0.75");
    const FigureContent all = contentOf(spec);
    ASSERT_TRUE(all.bars);
    EXPECT_TRUE(all.bars->bars[0].value) << "all reached it";
    EXPECT_EQ(all.sources[0].drawnRuns(), 3);
    EXPECT_EQ(all.sources[0].countInWords(), QStringLiteral("3"));
    EXPECT_TRUE(all.notes.contains(QStringLiteral("time to target: start-up and evaluations left out")));
    spec.number = CompareNumber::StepMs;
    EXPECT_FALSE(contentOf(spec).notes.join(u' ').contains(QStringLiteral("left out")));
}

TEST_F(CompareFigureTest, AMapTakesTheSettingsThatWereSwept) {
    const FigureContent content = contentOf(specOf(FigureKind::Map));
    ASSERT_TRUE(content.map);
    ASSERT_EQ(content.map->cells.size(), 2U);
    EXPECT_EQ(content.map->cells[1].under, QStringLiteral("n 2"));
    EXPECT_TRUE(content.map->cells[1].incomplete);
    EXPECT_TRUE(content.csv.contains(QStringLiteral("\"algorithm.delay\"")));
    FigureSpec one = specOf(FigureKind::Map);
    one.filter = QStringLiteral("delay = 1");
    EXPECT_TRUE(contentOf(one).nothing.contains(QStringLiteral("two settings")));
}

TEST_F(CompareFigureTest, AMapHasNoMeanOverConfigurationsAndSaysSo) {
    FigureSpec spec = specOf(FigureKind::Map);
    spec.rows = QStringLiteral("algorithm.name");
    spec.columns = QStringLiteral("algorithm.period");
    const FigureContent content = contentOf(spec);
    ASSERT_TRUE(content.map);
    EXPECT_EQ(std::ranges::count(content.map->cells, QStringLiteral("mixed"), &HeatCell::text), 1);
    EXPECT_TRUE(content.allNotes().join(u'\n').contains(QStringLiteral("that differ in algorithm.delay, no mean")))
        << content.allNotes().join(u'\n').toStdString();
    for (const FigureSource& source : content.sources) EXPECT_EQ(source.drawnRuns(), 0) << source.name.toStdString();
}

TEST_F(CompareFigureTest, AScatterHasOnePointAFinishedRun) {
    FigureSpec spec = specOf(FigureKind::Scatter);
    spec.number = CompareNumber::FinalLoss;
    spec.against = CompareNumber::StepMs;
    const FigureContent content = contentOf(spec);
    std::size_t points = 0;
    for (const Curve& curve : content.curves) points += curve.line.x.size();
    EXPECT_EQ(points, 8U);
    EXPECT_EQ(content.csv.trimmed().count(QLatin1Char('\n')), 8);
    EXPECT_FALSE(content.csv.contains(stopped_));
    EXPECT_TRUE(content.axes.x.contains(QStringLiteral("time per step")));
}

TEST_F(CompareFigureTest, NothingIsSaidOfRunsThatDidNotFinish) {
    FigureSpec spec = specOf(FigureKind::Bars);
    spec.runs = QStringList{stopped_};
    EXPECT_TRUE(contentOf(spec).nothing.contains(QStringLiteral("finished")));
}

TEST_F(CompareFigureTest, AConfigurationWithoutAFinishedRunIsNotSaidToBeDrawn) {
    workspace_.record({.algorithm = "local_sgd", .ranks = 2, .steps = 60, .stepsPerEpoch = 50, .status = "stopped"});
    const auto notesOf = [&](FigureKind kind) { return contentOf(specOf(kind)).allNotes().join(u'\n'); };
    for (const FigureKind kind : {FigureKind::Bars, FigureKind::Map, FigureKind::Scatter}) {
        const QString notes = notesOf(kind);
        EXPECT_TRUE(notes.contains(QStringLiteral("seed 1 was stopped at step 60 of 60, left out")))
            << notes.toStdString();
        EXPECT_FALSE(notes.contains(QStringLiteral("as far as all of its seeds go"))) << notes.toStdString();
    }
    EXPECT_TRUE(notesOf(FigureKind::Scatter).contains(QStringLiteral(": no finished run, no point")));
}

// Paper has room for the number of such runs alone; figure.json names each.
TEST_F(CompareFigureTest, EachRunThatWasMadeAgainIsNamed) {
    // The new runs start later by more than the clock of the store tells apart.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (int seed = 1; seed <= 3; ++seed)
        workspace_.record({.algorithm = "sync_sgd", .seed = seed, .ranks = 2, .steps = 200, .stepsPerEpoch = 50});
    FigureSpec spec = specOf(FigureKind::Bars);
    spec.filter = QStringLiteral("algorithm = sync_sgd");
    const FigureContent content = contentOf(spec);
    for (int seed = 1; seed <= 3; ++seed) {
        const QString said = QStringLiteral("seed %1 was run again: the older run, finished").arg(seed);
        EXPECT_EQ(content.leftOut.filter(said).size(), 1) << content.leftOut.join(u'\n').toStdString();
        EXPECT_TRUE(content.paperNotes().filter(said).isEmpty());
    }
    EXPECT_EQ(content.paperNotes().filter(QStringLiteral("runs left out, not finished or run again")).size(), 1);
}

TEST_F(CompareFigureTest, ABundleHasEveryFileAndNamesWhatWasLeftOut) {
    for (const FigureKind kind : {FigureKind::Bars, FigureKind::Map, FigureKind::Scatter}) {
        QDir(out_.filePath(QStringLiteral("bundle"))).removeRecursively();
        const QStringList written = bundleOf(specOf(kind));
        EXPECT_EQ(written.size(), kind == FigureKind::Scatter ? 9 : 8);
        for (const QString& file : written) EXPECT_GT(QFileInfo(file).size(), 100) << file.toStdString();
        for (const char* file : {"asked-plot.tex", "asked-table.tex", "figure.json"})
            EXPECT_TRUE(fileOf(file).contains("seed 3 was stopped at step 60")) << file;
        EXPECT_TRUE(kind == FigureKind::Scatter || fileOf("asked.csv").contains("seed 3 was stopped at step 60"));
        const QJsonDocument json = QJsonDocument::fromJson(fileOf("figure.json"));
        int in = 0, all = 0;
        for (const QJsonValue& curve : json[QLatin1String("figures")][0][QLatin1String("curves")].toArray()) {
            for (const QJsonValue& run : curve[QLatin1String("runs")].toArray()) {
                ++all;
                in += run[QLatin1String("in_mean")].toBool() ? 1 : 0;
            }
        }
        EXPECT_EQ(all, 9);
        // One configuration has not both settings of the map.
        EXPECT_EQ(in, kind == FigureKind::Map ? 5 : 8);
        EXPECT_EQ(fileOf("asked-plot.tex").contains("not in the map"), kind == FigureKind::Map);
    }
}

// Curves, bars and their tables hold the same configurations by the same names, styles and runs, in whatever order the
// runs are named: what two experiments have is one of both.
TEST(CompareFigure, RunsOfTwoExperimentsAreTheConfigurationsOfABarChart) {
    Workspace workspace;
    QStringList ids;
    for (int seed = 1; seed <= 2; ++seed)
        ids << workspace.record({.experiment = "baselines", .algorithm = "sync_sgd", .seed = seed, .steps = 60});
    for (int seed = 3; seed <= 4; ++seed)
        ids << workspace.record({.experiment = "delay-sweep", .algorithm = "sync_sgd", .seed = seed, .steps = 60});
    ids << workspace.record({.experiment = "delay-sweep", .delay = 3, .steps = 60});
    ids << workspace.record({.experiment = "baselines", .delay = 1, .steps = 60});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto all = allRuns(reader->runs()).value();
    FigureSpec spec;
    spec.runs = ids;
    for (const bool turned : {false, true}) {
        if (turned) std::reverse(spec.runs.begin(), spec.runs.end());
        spec.kind = FigureKind::Curves;
        const FigureContent curves = readFigure(*reader, spec, all).value();
        spec.kind = FigureKind::Bars;
        const FigureContent bars = readFigure(*reader, spec, all).value();
        ASSERT_EQ(curves.sources.size(), 3U);
        ASSERT_EQ(bars.sources.size(), 3U);
        for (const FigureSource& source : curves.sources) {
            const auto other = std::ranges::find(bars.sources, source.name, &FigureSource::name);
            ASSERT_NE(other, bars.sources.end()) << source.name.toStdString();
            EXPECT_EQ(other->key, source.key);
            EXPECT_EQ(other->style, source.style) << source.name.toStdString();
            EXPECT_EQ(other->runs, source.runs) << source.name.toStdString();
            EXPECT_EQ(other->drawn, source.drawn) << source.name.toStdString();
        }
        EXPECT_EQ(curves.table.rows.size(), bars.table.rows.size());
        const auto sync =
            std::ranges::find(curves.sources, 4U, [](const FigureSource& one) { return one.runs.size(); });
        ASSERT_NE(sync, curves.sources.end());
        EXPECT_TRUE(sync->name.contains(QStringLiteral("baselines")) &&
                    sync->name.contains(QStringLiteral("delay-sweep")))
            << sync->name.toStdString();
    }
}

}  // namespace
}  // namespace dasgd::gui
