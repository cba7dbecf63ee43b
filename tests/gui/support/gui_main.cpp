// The program around every test of the window: no display, our fonts, a settings file of its own.
#include <gtest/gtest.h>

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QSettings>
#include <QTemporaryDir>
#include <cstring>

#include "gui/theme/theme.h"

namespace {

// A window starts the program that it is in for another workspace: of a test, this one.
bool leftWord(int argc, char** argv) {
    if (argc != 3 || std::strcmp(argv[1], "--workspace") != 0) return false;
    QFile word(QDir(QString::fromLocal8Bit(argv[2])).filePath(QStringLiteral("opened")));
    return word.open(QIODevice::WriteOnly);
}

}  // namespace

int main(int argc, char** argv) {
    if (leftWord(argc, argv)) return 0;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    testing::InitGoogleTest(&argc, argv);
    QApplication app(argc, argv);
    const QTemporaryDir settings;
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    dasgd::gui::installFonts();
    return RUN_ALL_TESTS();
}
