#include "gui/kit/plots/paper/paper_page.h"

#include <QBuffer>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <cmath>

#include "gui/kit/plots/paper/outlined_svg.h"
#include "gui/kit/theme/paper.h"

namespace dasgd::gui {

namespace {

constexpr int kPdfDpi = 1200;
constexpr double kPdfScale = static_cast<double>(kPdfDpi) / kPointsPerInch;
constexpr double kInchesPerMeter = 1 / 0.0254;

Status cannotWrite(const QString& file) {
    return fail(file.toStdString() + ": cannot be written. Choose another --out folder.");
}

// The PDF with its exact size, since QPdfWriter takes whole points only. The box is written with six decimals, so that
// the exact one has the same length and no offset in the file changes.
QByteArray withSize(QByteArray pdf, QSize whole, QSizeF exact) {
    const auto box = [](double width, double height) {
        return QStringLiteral("/MediaBox [0 0 %1 %2]").arg(width, 0, 'f', 6).arg(height, 0, 'f', 6).toLatin1();
    };
    const QByteArray before = box(whole.width(), whole.height());
    const QByteArray after = box(exact.width(), exact.height());
    if (before.size() == after.size()) pdf.replace(before, after);
    return pdf;
}

Status writePdf(const PaperPage& page, const QString& file) {
    const QSize whole(static_cast<int>(page.size.width()), static_cast<int>(page.size.height()));
    QBuffer content;
    content.open(QIODevice::WriteOnly);
    {
        QPdfWriter pdf(&content);
        pdf.setPageSize(QPageSize(whole, {}, QPageSize::ExactMatch));
        pdf.setPageMargins({});
        pdf.setResolution(kPdfDpi);
        pdf.setCreator(QStringLiteral("DaSGD Lab"));
        page.paint(pdf, kPdfScale);
    }
    const QByteArray bytes = withSize(content.data(), whole, page.size);
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit()) return cannotWrite(file);
    return {};
}

Status writePng(const PaperPage& page, const QString& file) {
    QImage image = imageOf(page, kPngScale);
    image.setDotsPerMeterX(static_cast<int>(std::lround(kPngDpi * kInchesPerMeter)));
    image.setDotsPerMeterY(image.dotsPerMeterX());
    return image.save(file) ? Status() : cannotWrite(file);
}

}  // namespace

QString tooHighInWords(const PaperPage& page) {
    if (page.heightIn() <= kPageIn) return {};
    return QStringLiteral("%1 in high, more than a page of %2 in").arg(page.heightIn(), 0, 'f', 2).arg(kPageIn);
}

Status writePage(const PaperPage& page, const QString& file) {
    if (file.endsWith(QLatin1String(".pdf"))) return writePdf(page, file);
    if (file.endsWith(QLatin1String(".png"))) return writePng(page, file);
    return writeOutlinedSvg(file, page.size, [&](QPaintDevice& device) { page.paint(device, 1); });
}

QImage imageOf(const PaperPage& page, double pixelsPerPoint) {
    const QSizeF exact = page.size * pixelsPerPoint;
    QImage image(qRound(exact.width()), qRound(exact.height()), QImage::Format_RGB32);
    image.fill(Qt::white);
    page.paint(image, pixelsPerPoint);
    return image;
}

RecordedPage recorded(const PaperPage& page) {
    RecordedPage record;
    record.size = page.size;
    page.paint(record.picture, 1);
    return record;
}

void play(QPainter& painter, const QPicture& picture) {
    // A copy, since playing a picture changes its read position; the scale undoes the change to the device's
    // resolution.
    QPicture own = picture;
    const QPaintDevice& device = *painter.device();
    painter.save();
    painter.scale(static_cast<double>(own.logicalDpiX()) / device.logicalDpiX(),
                  static_cast<double>(own.logicalDpiY()) / device.logicalDpiY());
    own.play(&painter);
    painter.restore();
}

QImage imageOf(const RecordedPage& page, double pixelsPerPoint) {
    const PaperPage replay{page.size, [&page](QPaintDevice& device, double scale) {
                               QPainter painter(&device);
                               painter.setRenderHint(QPainter::Antialiasing);
                               painter.scale(scale, scale);
                               play(painter, page.picture);
                           }};
    return imageOf(replay, pixelsPerPoint);
}

QImage inGrey(const QImage& image) { return image.convertToFormat(QImage::Format_Grayscale8); }

}  // namespace dasgd::gui
