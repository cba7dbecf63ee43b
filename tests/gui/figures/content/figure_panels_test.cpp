#include "gui/figures/content/figure_panels.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QJsonDocument>

#include "gui/figures/bundle/figure_bundle.h"
#include "gui/figures/content/figure_curves.h"
#include "tests/gui/support/bench.h"
#include "tests/gui/support/edges.h"

namespace dasgd::gui {
namespace {

class FigurePanelsTest : public ::testing::Test {
protected:
    FigurePanelsTest() {
        for (const char* algorithm : {"dasgd", "sync_sgd"}) {
            for (int seed = 1; seed <= 2; ++seed) {
                workspace_.record({.algorithm = algorithm, .seed = seed, .steps = 60});
            }
        }
        FigureSpec loss, speed, gantt, bars;
        loss.smoothing = 0.9;  // its axis says so, in more words than fit beside it in one line
        speed.metric = QStringLiteral("throughput/samples_per_s");
        gantt.kind = FigureKind::Timeline;
        bars.kind = FigureKind::Bars;
        spec_.kind = FigureKind::Panels;
        spec_.panels = {loss, speed, gantt, bars};
    }
    FigureContent read() {
        auto reader = storage::WorkspaceReader::open(workspace_.path());
        auto content = readFigure(*reader, spec_, allRuns(reader->runs()).value());
        EXPECT_TRUE(content) << content.error().message;
        return content ? std::move(*content) : FigureContent{};
    }
    Workspace workspace_;
    FigureSpec spec_;
};

TEST_F(FigurePanelsTest, NothingIsCutAtAnyVenueAndNoPanelIsTooNarrow) {
    const FigureContent once = read();
    ASSERT_EQ(once.nothing, QString());
    ASSERT_EQ(once.panels.size(), 4U);
    for (const Venue& venue : venues()) {
        for (const FigureWidth width : {FigureWidth::Column, FigureWidth::Full}) {
            for (const int across : {1, 2, 4}) {
                spec_.venue = QLatin1String(venue.id);
                spec_.width = width;
                spec_.across = across;
                EXPECT_GE(panelSpec(spec_, 0).inchesWide(), std::min(1.9, spec_.inchesWide()));
                const PaperPage page = layOut(read(), spec_);
                EXPECT_EQ(page.size.width(), spec_.inchesWide() * 72);
                EXPECT_EQ(inkAtEdges(imageOf(page, 300.0 / 72)), 0) << venue.id << ' ' << across;
            }
        }
    }
}

TEST_F(FigurePanelsTest, OneLegendWhereStylesAgreeAndEachItsOwnWhereNot) {
    spec_.panels.resize(2);
    const FigureContent shared = read();
    ASSERT_EQ(sharedLegendOf(shared, spec_).size(), 2U);
    EXPECT_FALSE(shared.panels[0].axes.legend);
    EXPECT_FALSE(shared.panels[1].axes.legend);
    spec_.panels[1].palette = FigurePalette::TolBright;
    EXPECT_TRUE(sharedLegendOf(read(), spec_).empty()) << "its colours would be of one panel only";
    spec_.panels[1].palette = spec_.panels[0].palette;
    spec_.panels[1].names[QStringLiteral("sync_sgd")] = QStringLiteral("Synchronous");
    const FigureContent own = read();
    EXPECT_TRUE(sharedLegendOf(own, spec_).empty()) << "one look, two names";
    EXPECT_TRUE(own.panels[0].axes.legend);
    EXPECT_GT(imageOf(layOut(own, spec_), 2).height(), 100);
}

// A picture adopts the resolution of the device it is played on: that of a PDF is not that of the screen.
TEST_F(FigurePanelsTest, ThePanelsAreTheirSizeInAFileOfAnotherResolution) {
    const PaperPage page = layOut(read(), spec_);
    const QImage screen = imageOf(page, 2);
    QImage fine(screen.size(), QImage::Format_RGB32);
    fine.fill(Qt::white);
    fine.setDotsPerMeterX(4 * screen.dotsPerMeterX());
    fine.setDotsPerMeterY(4 * screen.dotsPerMeterY());
    page.paint(fine, 2);
    qint64 different = 0;
    for (int y = 0; y < fine.height(); ++y) {
        for (int x = 0; x < fine.width(); ++x) {
            different += std::abs(qGray(fine.pixel(x, y)) - qGray(screen.pixel(x, y))) > 96 ? 1 : 0;
        }
    }
    EXPECT_LT(different, fine.width() * fine.height() / 200);
}

TEST_F(FigurePanelsTest, APanelThatHasNothingToDrawIsNamed) {
    spec_.panels[1].metric = QStringLiteral("no/such");
    EXPECT_EQ(read().nothing, QStringLiteral("(b) None of these runs has recorded no/such."));
}

TEST_F(FigurePanelsTest, ABundleHasTheNumbersOfEachPanelAndGivesBackTheRuns) {
    const FigureContent content = read();
    const QTemporaryDir folder;
    QStringList files;
    const NamedFigure figure{QStringLiteral("both"), spec_};
    ASSERT_TRUE(writeBundle(content, figure, folder.path(), files));
    for (const char* name : {"both.pdf", "both.svg", "both.png", "both-a.csv", "both-b-plot.csv", "both-c.csv",
                             "both-d.csv", "both-a-table.tex", "both-plot.tex"}) {
        EXPECT_TRUE(QFile::exists(folder.filePath(QLatin1String(name)))) << name;
    }
    EXPECT_FALSE(QFile::exists(folder.filePath(QStringLiteral("both.csv"))));
    EXPECT_FALSE(checkFree(QStringLiteral("both"), folder.path()));
    const QJsonObject record = bundleRecord({recordOf(content, figure, files, folder.path())}, QStringLiteral("x"));
    const auto again = figuresOf(QJsonDocument(record).toJson(), QStringLiteral("figure.json"));
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_EQ(again->front().spec.panels.size(), 4U);
    EXPECT_EQ(again->front().spec.panels[0].runs.size(), 4);
    EXPECT_EQ(again->front().spec.panels[2].runs.size(), 1) << "the run of the timeline";
}

}  // namespace
}  // namespace dasgd::gui
