// The tests of a program of the window, each with an application of its own: our fonts, a settings file of its own.
#pragma once

#include <gtest/gtest.h>

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <QThreadPool>

#include "gui/kit/theme/theme.h"
#include "tests/support/isolated/isolated_tests.h"

namespace dasgd::gui {

inline int runInApplication(int& argc, char** argv) {
    const bool isolate = test::takeIsolate(argc, argv);
    testing::InitGoogleTest(&argc, argv);
    const auto run = [&] {
        QApplication app(argc, argv);
        const QTemporaryDir settings;
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
        installFonts();
        const int status = RUN_ALL_TESTS();
        QThreadPool::globalInstance()->waitForDone();  // before the folder of the settings goes
        return status;
    };
    return isolate ? test::runIsolated(run) : run();
}

}  // namespace dasgd::gui
