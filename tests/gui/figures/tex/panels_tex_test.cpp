// The document of all panels; compiled where pdflatex and pgfplots are installed.
#include <gtest/gtest.h>

#include <QFile>
#include <QProcess>
#include <QStandardPaths>

#include "gui/figures/bundle/figure_bundle.h"
#include "gui/figures/content/figure_curves.h"
#include "gui/figures/content/figure_panels.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

QString said(const QString& program, const QStringList& arguments, const QString& folder) {
    QProcess process;
    process.setWorkingDirectory(folder);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    return process.waitForFinished(50'000) ? QString::fromUtf8(process.readAll()) : QStringLiteral("did not end");
}

class PanelsTexTest : public ::testing::Test {
protected:
    PanelsTexTest() {
        for (const char* algorithm : {"dasgd", "sync_sgd"}) {
            for (int seed = 1; seed <= 2; ++seed) {
                workspace_.record({.algorithm = algorithm, .seed = seed, .ranks = 3, .steps = 60});
            }
        }
        FigureSpec loss, speed, gantt, bars;
        speed.metric = QStringLiteral("throughput/samples_per_s");
        gantt.kind = FigureKind::Timeline;
        gantt.rankRows = QStringLiteral("1, [others % #: 0, 2]");
        bars.kind = FigureKind::Bars;
        spec_.kind = FigureKind::Panels;
        spec_.panels = {loss, speed, gantt, bars};
        auto reader = storage::WorkspaceReader::open(workspace_.path());
        content_ = readFigure(*reader, spec_, allRuns(reader->runs()).value()).value();
    }
    Workspace workspace_;
    FigureSpec spec_;
    FigureContent content_;
};

TEST_F(PanelsTexTest, EachPanelReadsItsOwnNumbersAndTheLegendIsThereOnce) {
    const QString tex = panelsTex(content_, spec_, QStringLiteral("f"));
    EXPECT_TRUE(tex.contains(QStringLiteral("{f-a-plot.csv}\\numbersa")));
    EXPECT_TRUE(tex.contains(QStringLiteral("{f-b-plot.csv}\\numbersb")));
    EXPECT_FALSE(tex.contains(QStringLiteral("f-c-plot.csv"))) << "a timeline has none";
    EXPECT_FALSE(tex.contains(QStringLiteral("\\addlegendentry")));
    EXPECT_EQ(tex.count(QStringLiteral("~sync\\_sgd")), 1);
    for (const char* label : {"\\panelcell{a}", "\\panelcell{d}"}) EXPECT_TRUE(tex.contains(QLatin1String(label)));
}

TEST_F(PanelsTexTest, TheDocumentCompilesAtTheVenuesWidth) {
    if (QStandardPaths::findExecutable(QStringLiteral("pdflatex")).isEmpty() ||
        said(QStringLiteral("kpsewhich"), {QStringLiteral("pgfplots.sty")}, {}).trimmed().isEmpty()) {
        GTEST_SKIP() << "TeX Live is not installed (apt-get install texlive-pictures)";
    }
    const QTemporaryDir folder;
    QStringList files;
    for (const int across : {1, 2, 3}) {
        spec_.across = across;
        const NamedFigure figure{QStringLiteral("f%1").arg(across), spec_};
        ASSERT_TRUE(writeBundle(content_, figure, folder.path(), files));
        const QString log = said(QStringLiteral("pdflatex"),
                                 {QStringLiteral("-interaction=nonstopmode"), QStringLiteral("-halt-on-error"),
                                  figure.name + QStringLiteral("-plot.tex")},
                                 folder.path());
        const QString pdf = folder.filePath(figure.name + QStringLiteral("-plot.pdf"));
        ASSERT_TRUE(QFile::exists(pdf)) << log.toStdString();
        const QString info = said(QStringLiteral("pdfinfo"), {pdf}, {});
        EXPECT_TRUE(info.contains(QStringLiteral("396 x "))) << info.toStdString();
        EXPECT_FALSE(said(QStringLiteral("pdffonts"), {pdf}, {}).contains(QStringLiteral("Type 3")));
    }
}

}  // namespace
}  // namespace dasgd::gui
