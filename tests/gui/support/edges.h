// Check that a figure is whole: nothing of it is at the edges of its page.
#pragma once

#include <QImage>

namespace dasgd::gui {

// Number of the outermost pixels that are not white.
inline int inkAtEdges(const QImage& image) {
    int ink = 0;
    const auto look = [&](int x, int y) { ink += qGray(image.pixel(x, y)) < 250 ? 1 : 0; };
    for (int y = 0; y < image.height(); ++y) {
        look(0, y);
        look(image.width() - 1, y);
    }
    for (int x = 0; x < image.width(); ++x) {
        look(x, 0);
        look(x, image.height() - 1);
    }
    return ink;
}

}  // namespace dasgd::gui
