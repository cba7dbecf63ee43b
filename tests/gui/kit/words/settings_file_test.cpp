#include "gui/kit/words/settings_file.h"

#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QFile>
#include <QLockFile>
#include <QThreadPool>
#include <chrono>
#include <thread>

namespace dasgd::gui {
namespace {

const QString kKey = QStringLiteral("test/word");

void keep(const QString& word) {
    keepSettings([&word](QSettings& settings) { settings.setValue(kKey, word); });
}

TEST(SettingsFile, WhatIsKeptIsReadAtOnceAndWrittenByTheEnd) {
    keep(QStringLiteral("first"));
    keep(QStringLiteral("second"));
    EXPECT_EQ(settingsFile().value(kKey).toString(), QStringLiteral("second"));
    QThreadPool::globalInstance()->waitForDone();
    QFile file(settingsFile().fileName());
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().contains("word=second"));
}

// The lock is held as by another window that writes, or whose disk is slow.
TEST(SettingsFile, WhoKeepsSomethingDoesNotWaitForTheFile) {
    using namespace std::chrono_literals;
    keep(QStringLiteral("before"));  // the folder is there
    QThreadPool::globalInstance()->waitForDone();
    QLockFile held(settingsFile().fileName() + QStringLiteral(".lock"));
    ASSERT_TRUE(held.tryLock(5000));
    std::jthread other([&held] {
        std::this_thread::sleep_for(2s);
        held.unlock();
    });
    QElapsedTimer timer;
    timer.start();
    keep(QStringLiteral("third"));
    EXPECT_LT(timer.elapsed(), 1000);
    other.join();
    QThreadPool::globalInstance()->waitForDone();
    EXPECT_EQ(settingsFile().value(kKey).toString(), QStringLiteral("third"));
    EXPECT_EQ(settingsFile().status(), QSettings::NoError);
}

}  // namespace
}  // namespace dasgd::gui
