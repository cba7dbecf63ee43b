// A figure laid out on a page of its own size, its export to files and its drawing on the screen.
#pragma once

#include <QImage>
#include <QPicture>
#include <QSizeF>
#include <QString>
#include <functional>

#include "core/base/result.h"

class QPaintDevice;
class QPainter;

namespace dasgd::gui {

// Height of a paper's sheet without margins, in inches: a higher figure fits on no page.
inline constexpr double kPageIn = 9;

struct PaperPage {
    QSizeF size;  // exact size in points of 1/72 in
    // Paints the page on a device with `scale` units per point.
    std::function<void(QPaintDevice& device, double scale)> paint;
    [[nodiscard]] double heightIn() const { return size.height() / 72; }
};

// Warning on a figure too high for a page: "12.47 in high, more than a page of 9 in"; "" where it fits.
[[nodiscard]] QString tooHighInWords(const PaperPage& page);

// Writes PDF, SVG or PNG (300 dpi) by the file's suffix. Errors: a file that cannot be written.
[[nodiscard]] Status writePage(const PaperPage& page, const QString& file);
// The page as an image on white.
[[nodiscard]] QImage imageOf(const PaperPage& page, double pixelsPerPoint);
// Recorded drawing commands of a page, so that the costly rasterising can be done on another thread.
struct RecordedPage {
    QSizeF size;
    QPicture picture;
};
// Records the page. Call it on the thread that may paint the page.
[[nodiscard]] RecordedPage recorded(const PaperPage& page);
// Draws a recorded page at the painter's origin, in the painter's units, independent of the device's resolution. Any
// thread.
void play(QPainter& painter, const QPicture& picture);
// The recorded page as an image on white. Any thread.
[[nodiscard]] QImage imageOf(const RecordedPage& page, double pixelsPerPoint);
// The luminance of an image, as a printer without colour prints it.
[[nodiscard]] QImage inGrey(const QImage& image);

}  // namespace dasgd::gui
