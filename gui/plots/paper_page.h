// A figure laid out on a page of its own size, and its ways into files and onto the screen.
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

// Of a sheet with its margins taken off, in inches: a higher figure stands on no page of a paper.
inline constexpr double kPageIn = 9;

struct PaperPage {
    QSizeF size;  // in points of 1/72 in, exact
    // Paints it on a device that has `scale` units a point.
    std::function<void(QPaintDevice& device, double scale)> paint;
    [[nodiscard]] double heightIn() const { return size.height() / 72; }
};

// "12.47 in high, more than a page of 9 in"; "" where it fits.
[[nodiscard]] QString tooHighInWords(const PaperPage& page);

// PDF, SVG or PNG (300 dpi) by the file's suffix. Errors: a file that cannot be written.
[[nodiscard]] Status writePage(const PaperPage& page, const QString& file);
// On white.
[[nodiscard]] QImage imageOf(const PaperPage& page, double pixelsPerPoint);
// What a page draws, to be made an image of on another thread: the dots cost far more than the strokes.
struct RecordedPage {
    QSizeF size;
    QPicture picture;
};
// The page's thread.
[[nodiscard]] RecordedPage recorded(const PaperPage& page);
// Any thread. Draws the page at the painter's origin, in its units, whatever the resolution of its device.
void play(QPainter& painter, const QPicture& picture);
// Any thread.
[[nodiscard]] QImage imageOf(const RecordedPage& page, double pixelsPerPoint);
// Its luminance, as a printer without colour prints it.
[[nodiscard]] QImage inGrey(const QImage& image);

}  // namespace dasgd::gui
