#include "gui/kit/plots/paper/paper_page.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QPainter>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

namespace dasgd::gui {
namespace {

// A column of IEEEtran is no whole number of points.
const QSizeF kColumn(252 / 72.27 * 72, 100.5);

PaperPage redCross() {
    return {kColumn, [](QPaintDevice& device, double scale) {
                QPainter painter(&device);
                painter.scale(scale, scale);
                painter.setPen(QPen(Qt::red, 4));
                painter.drawLine(QPointF(20, 20), QPointF(200, 80));
            }};
}

QByteArray written(const QTemporaryDir& folder, const char* name) {
    const QString path = folder.filePath(QLatin1String(name));
    const Status done = writePage(redCross(), path);
    EXPECT_TRUE(done.has_value()) << name;
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    return file.readAll();
}

TEST(PaperPage, FilesHaveTheExactSize) {
    const QTemporaryDir folder;
    EXPECT_TRUE(written(folder, "a.pdf").contains("/MediaBox [0 0 251.058531 100.500000]"));
    EXPECT_TRUE(written(folder, "a.svg").contains("width=\"251.059pt\" height=\"100.5pt\""));
    written(folder, "a.png");
    const QImage image(folder.filePath(QStringLiteral("a.png")));
    EXPECT_EQ(image.width(), 1046) << "at 300 dpi";
    EXPECT_EQ(qRound(image.dotsPerMeterX() * 0.0254), 300);
}

TEST(PaperPage, ThePdfIsStillOneThatReadersTake) {
    const QString tool = QStandardPaths::findExecutable(QStringLiteral("pdfinfo"));
    ASSERT_FALSE(tool.isEmpty()) << "install poppler-utils";
    const QTemporaryDir folder;
    written(folder, "a.pdf");
    QProcess process;
    process.start(tool, {folder.filePath(QStringLiteral("a.pdf"))});
    ASSERT_TRUE(process.waitForFinished());
    EXPECT_TRUE(process.readAllStandardOutput().contains("251.059 x 100.5 pts"));
    EXPECT_TRUE(process.readAllStandardError().isEmpty());
}

TEST(PaperPage, ARecordDrawsTheSame) {
    EXPECT_EQ(imageOf(recorded(redCross()), 2).pixelColor(220, 100), QColor(Qt::red));
    EXPECT_EQ(imageOf(recorded(redCross()), 2).size(), imageOf(redCross(), 2).size());
}

TEST(PaperPage, GreyIsLuminance) {
    const QImage image = imageOf(redCross(), 1);
    EXPECT_EQ(image.pixelColor(110, 50), QColor(Qt::red));
    const QColor grey = inGrey(image).pixelColor(110, 50);
    EXPECT_EQ(grey.red(), grey.blue());
    EXPECT_LT(grey.red(), 200);
}

TEST(PaperPage, OneThatIsHigherThanASheetIsSaid) {
    EXPECT_EQ(tooHighInWords({.size = {396, 648}}), QString());
    EXPECT_EQ(tooHighInWords({.size = {396, 898}}), QStringLiteral("12.47 in high, more than a page of 9 in"));
}

}  // namespace
}  // namespace dasgd::gui
