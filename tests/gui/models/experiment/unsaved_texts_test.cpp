#include "gui/models/experiment/unsaved_texts.h"

#include <gtest/gtest.h>

#include <QFile>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class UnsavedTextsTest : public ::testing::Test {
protected:
    [[nodiscard]] QString spared() const {
        QFile file(path_);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    static QStringList textsOf(const UnsavedTexts& unsaved) {
        QStringList texts;
        for (const Start& one : unsaved.kept()) texts << one.text;
        return texts;
    }
    QTemporaryDir folder_;
    const QString path_ = folder_.filePath(QStringLiteral("experiments/unsaved.toml"));
};

TEST_F(UnsavedTextsTest, WhatIsTypedIsOnTheDiskSoon) {
    UnsavedTexts unsaved(path_);
    unsaved.spare(QStringLiteral("name = \"a\"\n"));
    unsaved.spare(QStringLiteral("name = \"ab\"\n"));
    EXPECT_TRUE(eventually([&] { return spared() == QStringLiteral("name = \"ab\"\n"); }));
    unsaved.spare({});
    EXPECT_TRUE(eventually([&] { return spared().isEmpty(); })) << "saved elsewhere";
}

TEST_F(UnsavedTextsTest, AWindowThatEndsKeepsItForTheNext) {
    { UnsavedTexts(path_).spare(QStringLiteral("name = \"sweep\"\n")); }
    UnsavedTexts next(path_);
    ASSERT_TRUE(eventually([&] { return !next.kept().empty(); }));
    EXPECT_EQ(next.kept().front().title, QStringLiteral("sweep"));
    EXPECT_EQ(next.kept().front().text, QStringLiteral("name = \"sweep\"\n"));
}

TEST_F(UnsavedTextsTest, KeepsTheNewestFirstEachOnceAndNotTooMany) {
    UnsavedTexts unsaved(path_);
    for (const char* text : {"a", "b", "a", "c", "d", "e", "f"}) unsaved.keep({}, QString::fromLatin1(text), {});
    EXPECT_EQ(textsOf(unsaved), QStringList({"f", "e", "d", "c", "a"}));
    EXPECT_EQ(unsaved.kept().front().title, QStringLiteral("Untitled experiment"));
}

}  // namespace
}  // namespace dasgd::gui
