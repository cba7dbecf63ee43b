#include "gui/kit/plots/paper/paper_figure.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QImage>
#include <QProcess>
#include <QStandardPaths>
#include <cmath>

#include "tests/gui/support/bench.h"
#include "tests/gui/support/curves.h"
#include "tests/gui/support/edges.h"

namespace dasgd::gui {
namespace {

class PaperTest : public ::testing::TestWithParam<const char*> {
protected:
    QTemporaryDir folder_;
};

TEST_P(PaperTest, WritesAFileOfTheRightKind) {
    const QString file = folder_.filePath(QStringLiteral("loss") + QLatin1String(GetParam()));
    PaperFigure figure{.curves = {ramp(1), ramp(2)},
                       .axes = {.x = QStringLiteral("steps"), .y = QStringLiteral("training loss")}};
    figure.curves[1].deviation.assign(101, 3.0);
    ASSERT_TRUE(writeFigure(figure, file).has_value());
    QFile written(file);
    ASSERT_TRUE(written.open(QIODevice::ReadOnly));
    const QByteArray head = written.read(2000);
    const QByteArray magic = file.endsWith(QLatin1String("pdf"))   ? "%PDF"
                             : file.endsWith(QLatin1String("svg")) ? "<svg"
                                                                   : "PNG";
    EXPECT_TRUE(head.contains(magic));
    if (file.endsWith(QLatin1String("png"))) {
        const QImage image(file);
        EXPECT_EQ(image.width(), 1650) << "5.5 in at 300 dpi";
        EXPECT_EQ(qRound(image.dotsPerMeterX() * 0.0254), 300);
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, PaperTest, ::testing::Values(".pdf", ".svg", ".png"));

TEST(PaperFigure, PdfFontsAreEmbeddedAndNotType3) {
    const QString tool = QStandardPaths::findExecutable(QStringLiteral("pdffonts"));
    ASSERT_FALSE(tool.isEmpty()) << "install poppler-utils";
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.pdf"));
    ASSERT_TRUE(
        writeFigure({.curves = {ramp(1)}, .axes = {.x = QStringLiteral("steps"), .y = QStringLiteral("loss")}}, file)
            .has_value());
    QProcess process;
    process.start(tool, {file});
    ASSERT_TRUE(process.waitForFinished());
    const QString fonts = QString::fromUtf8(process.readAllStandardOutput());
    EXPECT_TRUE(fonts.contains(QLatin1String("InterLab"))) << fonts.toStdString();
    EXPECT_TRUE(fonts.contains(QLatin1String("TrueType"))) << fonts.toStdString();
    EXPECT_FALSE(fonts.contains(QLatin1String("Type 3"))) << fonts.toStdString();
}

TEST(PaperFigure, AFolderThatIsNotThereIsSaid) {
    for (const char* file : {"/no/such/a.pdf", "/no/such/a.svg", "/no/such/a.png"}) {
        const Status done = writeFigure({.curves = {ramp(1)}}, QLatin1String(file));
        ASSERT_FALSE(done.has_value());
        EXPECT_NE(done.error().message.find(file), std::string::npos);
    }
}

TEST(PaperFigure, NothingIsCutAtAnyWidthHoweverManyCurves) {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("many.png"));
    for (const double width : {2.65, 3.25, 5.5, 7.1}) {
        for (const int curves : {1, 8, 24, 100}) {
            PaperFigure figure{.axes = {.x = QStringLiteral("steps"), .y = QStringLiteral("training loss")},
                               .widthIn = width};
            for (int i = 0; i < curves; ++i) {
                figure.curves.push_back(ramp(i + 1));
                figure.curves.back().name =
                    QStringLiteral("a-sweep-with-a-long-name / dasgd τ 4 d 3 ξ 0.25 two-racks run %1 of them").arg(i);
                figure.curves.back().note = QStringLiteral("seed 3 stopped at step 40, left out");
            }
            ASSERT_TRUE(writeFigure(figure, file).has_value());
            const QImage image(file);
            EXPECT_EQ(inkAtEdges(image), 0) << width << " in, " << curves << " curves";
            EXPECT_GE(image.height(), qRound(figure.heightIn * 300)) << "the plot keeps its height";
            EXPECT_LE(image.height(), 12 * 300) << "and the page its shape";
        }
    }
}

TEST(PaperFigure, ARangeOfTheAxesAndMissingMarkersAreKept) {
    PaperFigure figure{.curves = {ramp(1)}, .axes = {.x = QStringLiteral("steps"), .y = QStringLiteral("loss")}};
    const QImage all = imageOf(layOut(figure), 2);
    figure.xRange = std::pair(0.0, 10.0);
    const QImage part = imageOf(layOut(figure), 2);
    EXPECT_NE(all, part);
    figure.style.markers = false;
    EXPECT_NE(imageOf(layOut(figure), 2), part);
}

// It is the caption's.
TEST(PaperFigure, WhatWasLeftOutIsNotInTheArtwork) {
    const QTemporaryDir folder;
    const QString tool = QStandardPaths::findExecutable(QStringLiteral("pdftotext"));
    ASSERT_FALSE(tool.isEmpty()) << "install poppler-utils";
    PaperFigure figure{.curves = {ramp(1)}, .axes = {.x = QStringLiteral("steps"), .y = QStringLiteral("loss")}};
    figure.curves[0].note = QStringLiteral("seed 3 stopped at step 40, left out");
    const QString file = folder.filePath(QStringLiteral("a.pdf"));
    ASSERT_TRUE(writeFigure(figure, file).has_value());
    QProcess process;
    process.start(tool, {file, QStringLiteral("-")});
    ASSERT_TRUE(process.waitForFinished());
    const QString text = QString::fromUtf8(process.readAllStandardOutput()).simplified();
    EXPECT_TRUE(text.contains(QStringLiteral("ramp"))) << text.toStdString();
    EXPECT_FALSE(text.contains(QStringLiteral("seed 3"))) << text.toStdString();
}

TEST(PaperFigure, APreviewKeepsThePeaks) {
    PaperFigure figure;
    Curve curve{.name = QStringLiteral("long")};
    for (int i = 0; i < 50'000; ++i) {
        curve.line.x.push_back(i);
        curve.line.y.push_back(i == 31'234 ? 100 : std::sin(0.001 * i));
        curve.deviation.push_back(0.2);
        curve.n.push_back(3);
    }
    figure.curves.push_back(std::move(curve));
    const QImage whole = imageOf(layOut(figure), 1);
    figure.buckets = kPreviewBuckets;
    const PaperPage page = layOut(figure);
    const QImage preview = imageOf(page, 1);
    ASSERT_EQ(preview.size(), whole.size());
    int differing = 0;
    for (int y = 0; y < whole.height(); ++y) {
        for (int x = 0; x < whole.width(); ++x) {
            differing += std::abs(qGray(whole.pixel(x, y)) - qGray(preview.pixel(x, y))) > 96 ? 1 : 0;
        }
    }
    EXPECT_LT(differing, 60) << "of " << whole.width() * whole.height() << " pixels";
    EXPECT_LT(recorded(page).picture.size(), 400'000U);
}

TEST(PaperFigure, APointAloneIsDrawnWithoutMarkersToo) {
    const auto pictureOf = [](double y, bool markers) {
        PaperFigure figure{.curves = {ramp(1), {.name = QStringLiteral("alone"), .line = {{50}, {y}}}}, .axes = {}};
        figure.style.markers = markers;
        figure.yRange = {0, 100};
        return imageOf(layOut(figure), 1);
    };
    EXPECT_NE(pictureOf(20, false), pictureOf(80, false));
    EXPECT_NE(pictureOf(20, false), pictureOf(20, true)) << "the line has lost its markers";
}

}  // namespace
}  // namespace dasgd::gui
