#include "gui/figures/figure_delegate.h"

#include <gtest/gtest.h>

#include <QPainter>

#include "gui/figures/model/figure_list_model.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(FigureDelegate, WhatLostARunIsInTheColourOfAWarning) {
    const QTemporaryDir folder;
    FigureLibrary library(folder.path().toStdString());
    library.add({}, QStringLiteral("a"));
    FigureListModel list(library);
    library.news().setStates({{.name = QStringLiteral("a"), .missing = {QStringLiteral("x")}}});
    const FigureDelegate delegate(testLook(), nullptr);
    QStyleOptionViewItem option;
    option.rect = QRect(0, 0, 200, 44);
    QImage image(200, 44, QImage::Format_RGB32);
    image.fill(testLook().theme().panel);
    QPainter painter(&image);
    delegate.paint(&painter, option, list.index(0));
    painter.end();
    // Edges of letters are between the ink and the ground.
    const QColor ink = testLook().theme().warn;
    int warn = 0;
    for (int y = 22; y < 44; ++y) {
        for (int x = 0; x < 200; ++x) {
            const QColor pixel = image.pixelColor(x, y);
            warn += std::abs(pixel.red() - ink.red()) + std::abs(pixel.blue() - ink.blue()) < 80 ? 1 : 0;
        }
    }
    EXPECT_GT(warn, 5);
}

}  // namespace
}  // namespace dasgd::gui
