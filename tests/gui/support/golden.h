// Pictures that were looked at once and have to stay so: tests/golden/pictures/NAME.png. With
// DASGD_RECORD_GOLDEN=FOLDER they are written instead of compared; look at each before it replaces the old one.
#pragma once

#include <gtest/gtest.h>

#include <QDir>
#include <QImage>
#include <array>
#include <cstdlib>

#include "tests/support/paths.h"

namespace dasgd::gui {

// Difference of two pictures in levels of 0 … 255, between means over blocks of 4 × 4 pixels: versions of FreeType set
// the edge of a glyph or of a stroke differently, but not what stands in a block.
struct PictureDifference {
    double worst = 0;  // of any block and channel
    double mean = 0;   // over all
    QPoint where;      // of the worst
};
inline constexpr int kBlock = 4;
inline constexpr double kWorstBlock = 48;  // a line of a pixel that is gone from white paper: 64
inline constexpr double kMeanLevel = 0.4;  // a colour of the palette that is another over 1 % of the picture: about 1

// Difference of two pictures of the same size.
inline PictureDifference differenceOf(const QImage& first, const QImage& second) {
    const QImage a = first.convertToFormat(QImage::Format_RGB32), b = second.convertToFormat(QImage::Format_RGB32);
    PictureDifference difference;
    double sum = 0;
    int blocks = 0;
    for (int top = 0; top < a.height(); top += kBlock) {
        for (int left = 0; left < a.width(); left += kBlock, ++blocks) {
            std::array<double, 3> off{};
            int pixels = 0;
            for (int y = top; y < std::min(a.height(), top + kBlock); ++y) {
                for (int x = left; x < std::min(a.width(), left + kBlock); ++x, ++pixels) {
                    const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
                    off[0] += qRed(p) - qRed(q);
                    off[1] += qGreen(p) - qGreen(q);
                    off[2] += qBlue(p) - qBlue(q);
                }
            }
            for (const double channel : off) {
                const double level = std::abs(channel) / pixels;
                sum += level / 3;
                if (level > difference.worst) {
                    difference.worst = level;
                    difference.where = {left, top};
                }
            }
        }
    }
    difference.mean = sum / std::max(1, blocks);
    return difference;
}

inline bool isLike(const PictureDifference& difference) {
    return difference.worst <= kWorstBlock && difference.mean <= kMeanLevel;
}

// A picture that differs is kept in the folder of temporary files as NAME-is.png.
inline void expectGolden(const QImage& image, const QString& name) {
    if (const char* folder = std::getenv("DASGD_RECORD_GOLDEN")) {
        ASSERT_TRUE(image.save(QDir(QString::fromUtf8(folder)).filePath(name + QLatin1String(".png"))));
        return;
    }
    const QString file =
        QString::fromUtf8(test::kSourceDir) + QLatin1String("/tests/golden/pictures/") + name + QLatin1String(".png");
    const QImage golden(file);
    ASSERT_FALSE(golden.isNull()) << file.toStdString() << " cannot be read";
    const QString is = QDir::temp().filePath(name + QLatin1String("-is.png"));
    if (image.size() != golden.size()) image.save(is);
    ASSERT_EQ(image.size(), golden.size()) << "see " << is.toStdString();
    const PictureDifference difference = differenceOf(image, golden);
    if (isLike(difference)) return;
    image.save(is);
    ADD_FAILURE() << name.toStdString() << " differs by " << difference.worst << " of 255 at " << difference.where.x()
                  << ", " << difference.where.y() << ", by " << difference.mean << " in the mean; see "
                  << is.toStdString();
}

}  // namespace dasgd::gui
