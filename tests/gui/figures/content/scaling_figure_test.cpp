#include "gui/figures/content/scaling_figure.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "gui/figures/bundle/figure_command.h"
#include "gui/figures/content/figure_curves.h"
#include "tests/gui/support/scaling_bench.h"

namespace dasgd::gui {
namespace {

class ScalingFigureTest : public ::testing::Test {
protected:
    ScalingFigureTest() { recordTwoLines(workspace_.store()); }
    Result<QStringList> write(const QStringList& words) {
        auto options = parseFigureOptions(
            QStringList{QStringLiteral("--workspace"), QString::fromStdString(workspace_.path().string()),
                        QStringLiteral("--out"), out_.path(), QStringLiteral("--scaling")} +
            words);
        if (!options) return tl::unexpected(options.error());
        return writeFigures(*options);
    }
    QByteArray contentOf(const char* name) {
        QFile file(out_.filePath(QLatin1String(name)));
        EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name;
        return file.readAll();
    }
    Workspace workspace_;
    QTemporaryDir out_;
};

TEST_F(ScalingFigureTest, WritesFiguresTableAndProvenance) {
    const auto written = write({"weak", "--experiment", "scaling", "--target", "accuracy=0.9"});
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(written->size(), 3 * 9 + 1);
    for (const QString& file : *written) EXPECT_GT(QFileInfo(file).size(), 80) << file.toStdString();
    const QList<QByteArray> rows = contentOf("throughput-points.csv").trimmed().split('\n');
    ASSERT_EQ(rows.size(), 1 + 6);
    EXPECT_TRUE(rows[0].endsWith("reached_target,run_ids"));
    int measured = 0;
    for (const QByteArray& row : rows) measured += row.contains(",\"measured\",") ? 1 : 0;
    EXPECT_EQ(measured, 3);
    EXPECT_TRUE(contentOf("throughput.csv").contains("\"ideal\""));
    const QJsonDocument json = QJsonDocument::fromJson(contentOf("figure.json"));
    const QJsonValue first = json[QLatin1String("figures")][0];
    EXPECT_EQ(first[QLatin1String("curves")].toArray().size(), 2);
    EXPECT_EQ(first[QLatin1String("curves")][0][QLatin1String("runs")].toArray().size(), 6);
    EXPECT_EQ(first[QLatin1String("spec")][QLatin1String("target")].toString(), QStringLiteral("accuracy=0.9"));
}

TEST_F(ScalingFigureTest, DrawsOnlyTheRunsThatAreNamed) {
    QStringList ids;
    auto reader = storage::WorkspaceReader::open(workspace_.path());
    ASSERT_TRUE(reader);
    const auto rows = reader->runs().list();
    ASSERT_TRUE(rows);
    for (const storage::RunRow& row : *rows) {
        if (row.backend == "gloo") ids << QString::fromStdString(row.runId);
    }
    const auto written = write({"weak", "--runs", ids.join(QLatin1Char(','))});
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(written->size(), 2 * 9 + 1) << "no time to target without a target";
    EXPECT_FALSE(contentOf("throughput-points.csv").contains("simulated"));
}

TEST_F(ScalingFigureTest, LinesOfAnEmulatedLinkAreNamed) {
    test::recordScaling(
        workspace_.store(),
        {.algorithm = "easgd", .backend = "gloo", .workers = 4, .more = "[cluster.link]\nbandwidth = \"200Mbps\"\n"});
    ASSERT_TRUE(write({"weak", "--experiment", "scaling"}));
    EXPECT_TRUE(contentOf("throughput-points.csv").contains(",\"measured, link emulated\",4,"));
    EXPECT_TRUE(contentOf("throughput-points.csv").contains(",\"measured\","));
    const QJsonValue figure = QJsonDocument::fromJson(contentOf("figure.json"))[QLatin1String("figures")][0];
    QStringList notes;
    for (const QJsonValue& note : figure[QLatin1String("notes")].toArray()) notes << note.toString();
    EXPECT_EQ(notes.filter(QStringLiteral("link emulated: easgd")).size(), 1) << notes.join(u'\n').toStdString();
}

TEST_F(ScalingFigureTest, RunsThatDidNotFinishAreNamed) {
    test::recordScaling(workspace_.store(), {.backend = "gloo", .workers = 4, .seed = 3, .status = "stopped"});
    ASSERT_TRUE(write({"weak", "--experiment", "scaling"}));
    const QJsonObject figure =
        QJsonDocument::fromJson(contentOf("figure.json"))[QLatin1String("figures")][0].toObject();
    int out = 0;
    for (const QJsonValue& curve : figure[QLatin1String("curves")].toArray()) {
        for (const QJsonValue& run : curve[QLatin1String("runs")].toArray())
            out += run[QLatin1String("in_mean")].toBool() ? 0 : 1;
    }
    EXPECT_EQ(out, 1);
    EXPECT_EQ(figure[QLatin1String("curves")].toArray().size(), 2) << "it belongs to the measured line";
    const QJsonArray notes = figure[QLatin1String("notes")].toArray();
    ASSERT_EQ(notes.size(), 3);
    EXPECT_EQ(notes[0].toString(), QStringLiteral("mean ± std over seeds, of two half their range, n = 2"));
    EXPECT_TRUE(notes[1].toString().startsWith(QLatin1String("set-ups differ: "))) << "one line is simulated";
    EXPECT_TRUE(notes[2].toString().contains(QLatin1String("4 workers, seed 3 was stopped at step")));
    EXPECT_TRUE(contentOf("throughput-table.tex").contains("seed 3 was stopped"));
    EXPECT_TRUE(contentOf("throughput-plot.tex").contains("seed 3 was stopped"));
}

TEST_F(ScalingFigureTest, ASeedThatWasRunAgainCountsOnceAndIsNamed) {
    test::recordScaling(workspace_.store(), {.backend = "gloo", .workers = 4, .seed = 1});
    ASSERT_TRUE(write({"weak", "--experiment", "scaling"}));
    const QJsonObject figure =
        QJsonDocument::fromJson(contentOf("figure.json"))[QLatin1String("figures")][0].toObject();
    const QJsonArray notes = figure[QLatin1String("notes")].toArray();
    ASSERT_EQ(notes.size(), 3);
    EXPECT_EQ(notes[0].toString(), QStringLiteral("mean ± std over seeds, of two half their range, n = 2"));
    EXPECT_TRUE(notes[1].toString().startsWith(QLatin1String("set-ups differ: "))) << "one line is simulated";
    EXPECT_TRUE(notes[2].toString().contains(
        QLatin1String("4 workers, seed 1 was run again: the older run, finished, does not count")))
        << notes[2].toString().toStdString();
}

TEST_F(ScalingFigureTest, WrongWordsAreSaid) {
    const auto refusal = [this](const QStringList& words) {
        const auto written = write(words);
        return written ? std::string() : written.error().message;
    };
    EXPECT_NE(refusal({"sideways"}).find("allowed weak, strong"), std::string::npos);
    EXPECT_NE(refusal({"weak"}).find("--runs"), std::string::npos);
    EXPECT_NE(refusal({"weak", "--experiment", "none"}).find("\"none\""), std::string::npos);
    EXPECT_NE(refusal({"weak", "--experiment", "scaling", "--target", "speed=1"}).find("accuracy=0.97"),
              std::string::npos);
    test::recordScaling(workspace_.store(), {.experiment = "broken", .status = "failed"});
    EXPECT_NE(refusal({"weak", "--experiment", "broken"}).find("None of these runs has finished"), std::string::npos);
}

TEST_F(ScalingFigureTest, ACurveIsOfItsSeedsNotOfTheRunsOfAllItsPoints) {
    const auto countsOf = [this] {
        auto reader = storage::WorkspaceReader::open(workspace_.path());
        FigureSpec spec;
        spec.kind = FigureKind::Scaling;
        spec.filter = QStringLiteral("experiment = scaling and backend = gloo");
        const FigureContent content = readFigure(*reader, spec, allRuns(reader->runs()).value()).value();
        QStringList counts;
        for (const FigureSource& source : content.sources) counts << source.countInWords();
        return counts;
    };
    EXPECT_EQ(countsOf(), QStringList{QStringLiteral("2")}) << "two seeds at each of three numbers of workers";
    test::recordScaling(workspace_.store(), {.backend = "gloo", .workers = 4, .seed = 3});
    EXPECT_EQ(countsOf(), QStringList{QStringLiteral("2 to 3")});
}

}  // namespace
}  // namespace dasgd::gui
