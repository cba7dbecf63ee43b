// The program around every test of the window: no display, our fonts.
#include <gtest/gtest.h>

#include <QApplication>

#include "gui/theme/theme.h"

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    testing::InitGoogleTest(&argc, argv);
    QApplication app(argc, argv);
    dasgd::gui::installFonts();
    return RUN_ALL_TESTS();
}
