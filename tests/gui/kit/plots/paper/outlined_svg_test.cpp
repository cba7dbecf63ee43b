#include "gui/kit/plots/paper/outlined_svg.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QPainter>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(OutlinedSvg, HoldsPathsAndNoText) {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.svg"));
    const Status done = writeOutlinedSvg(file, {396, 100}, [](QPaintDevice& device) {
        QPainter painter(&device);
        painter.setFont(interFont(8));
        painter.drawText(QPointF(10, 20), QStringLiteral("loss <τ & 4>"));
        painter.fillRect(QRectF(10, 30, 50, 10), Qt::red);
    });
    ASSERT_TRUE(done.has_value()) << done.error().message;
    QFile written(file);
    ASSERT_TRUE(written.open(QIODevice::ReadOnly));
    const QByteArray svg = written.readAll();
    EXPECT_FALSE(svg.contains("<text"));
    EXPECT_TRUE(svg.contains("<path"));
    EXPECT_TRUE(svg.contains("viewBox=\"0 0 396 100\""));
    EXPECT_TRUE(svg.contains("#ff0000"));
}

TEST(OutlinedSvg, AFileThatCannotBeWrittenIsSaid) {
    const Status done = writeOutlinedSvg(QStringLiteral("/no/such/folder/a.svg"), {10, 10}, [](QPaintDevice&) {});
    ASSERT_FALSE(done.has_value());
    EXPECT_NE(done.error().message.find("/no/such/folder/a.svg"), std::string::npos);
}

}  // namespace
}  // namespace dasgd::gui
