#include "gui/plots/plot_view.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QImage>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

Curve ramp(double slope) {
    Curve curve{.name = QStringLiteral("ramp"), .style = {0, 0, 0}};
    for (int i = 0; i <= 100; ++i) {
        curve.line.x.push_back(i);
        curve.line.y.push_back(slope * i);
    }
    return curve;
}

TEST(PlotView, DrawsItsCurveInItsColour) {
    PlotView view(testLook());
    view.resize(500, 300);
    view.setAxes({.x = QStringLiteral("step"), .y = QStringLiteral("loss")});
    view.setCurves({ramp(2)});
    view.show();
    ASSERT_TRUE(eventually([&] {
        const QImage image = view.grab().toImage();
        int colored = 0;
        for (int x = 0; x < image.width(); ++x) {
            for (int y = 60; y < image.height(); ++y)
                colored += image.pixelColor(x, y) == testLook().theme().curves[0] ? 1 : 0;
        }
        return colored > 300;
    }));
}

TEST(PlotView, WithoutACurveItSaysSo) {
    PlotView view(testLook());
    view.resize(500, 300);
    view.setEmptyText(QStringLiteral("nothing"));
    view.show();
    const QImage empty = view.grab().toImage();
    view.setCurves({ramp(1)});
    ASSERT_TRUE(eventually([&] { return view.grab().toImage() != empty; }));
}

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

TEST(PlotView, PdfFontsAreEmbeddedAndNotType3) {
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

TEST(PlotView, AFolderThatIsNotThereIsSaid) {
    for (const char* file : {"/no/such/a.pdf", "/no/such/a.svg", "/no/such/a.png"}) {
        const Status done = writeFigure({.curves = {ramp(1)}}, QLatin1String(file));
        ASSERT_FALSE(done.has_value());
        EXPECT_NE(done.error().message.find(file), std::string::npos);
    }
}

}  // namespace
}  // namespace dasgd::gui
