#include "gui/experiment/model/unsaved_texts.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QJsonDocument>
#include <QSet>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class UnsavedTextsTest : public ::testing::Test {
protected:
    [[nodiscard]] QString spared() const {
        QFile file(path_ + QStringLiteral("/unsaved-1.json"));
        if (!file.open(QIODevice::ReadOnly)) return {};
        return QJsonDocument::fromJson(file.readAll())[0][QStringLiteral("text")].toString();
    }
    static QStringList textsOf(const UnsavedTexts& unsaved) {
        QStringList texts;
        for (const Start& one : unsaved.kept()) texts << one.text;
        return texts;
    }
    QTemporaryDir folder_;
    static QSet<QString> setOf(const QStringList& texts) { return {texts.begin(), texts.end()}; }
    const QString path_ = folder_.filePath(QStringLiteral("experiments"));
};

TEST_F(UnsavedTextsTest, WhatIsTypedIsOnTheDiskSoon) {
    UnsavedTexts unsaved(path_);
    unsaved.spare(QStringLiteral("name = \"a\"\n"), {});
    unsaved.spare(QStringLiteral("name = \"ab\"\n"), {});
    EXPECT_TRUE(eventually([&] { return spared() == QStringLiteral("name = \"ab\"\n"); }));
    unsaved.spare({}, {});
    EXPECT_TRUE(eventually([&] { return spared().isEmpty(); })) << "saved elsewhere";
}

TEST_F(UnsavedTextsTest, AWindowThatEndsKeepsItForTheNext) {
    const QStringList texts{QStringLiteral("name = \"sweep\"\n"), QStringLiteral("name = \"first\"\n")};
    {
        UnsavedTexts unsaved(path_);
        unsaved.keep(QStringLiteral("first"), texts[1], {});
        unsaved.spare(texts[0], QStringLiteral("/of/the/file"));
    }
    for (int window = 0; window < 2; ++window) {
        UnsavedTexts next(path_);
        ASSERT_TRUE(eventually([&] { return next.kept().size() == 2; }));
        EXPECT_EQ(setOf(textsOf(next)), setOf(texts));
        for (const Start& one : next.kept()) {
            EXPECT_EQ(one.folder, one.title == QStringLiteral("sweep") ? QStringLiteral("/of/the/file") : QString());
        }
    }
    UnsavedTexts last(path_);
    ASSERT_TRUE(eventually([&] { return last.kept().size() == 2; }));
    last.forget(texts[0]);
    EXPECT_EQ(textsOf(last), QStringList{texts[1]}) << "saved since";
}

TEST_F(UnsavedTextsTest, TwoWindowsOfAWorkspaceKeepBothTexts) {
    const QString mine = QStringLiteral("name = \"mine\"\n"), other = QStringLiteral("name = \"other\"\n");
    {
        UnsavedTexts first(path_), second(path_);
        first.spare(mine, {});
        second.spare(other, {});
        ASSERT_TRUE(eventually([&] { return !spared().isEmpty(); }));
    }
    UnsavedTexts next(path_);
    ASSERT_TRUE(eventually([&] { return next.kept().size() == 2; }));
    EXPECT_EQ(setOf(textsOf(next)), setOf({mine, other}));
}

TEST_F(UnsavedTextsTest, AWindowThatEndsAtOnceKeepsWhatItFound) {
    const QString before = QStringLiteral("name = \"before\"\n"), typed = QStringLiteral("name = \"typed\"\n");
    for (const QString& text : {before, typed}) UnsavedTexts(path_).spare(text, {});
    UnsavedTexts next(path_);
    ASSERT_TRUE(eventually([&] { return next.kept().size() == 2; }));
    EXPECT_EQ(textsOf(next), QStringList({typed, before}));
}

TEST_F(UnsavedTextsTest, KeepsTheNewestFirstEachOnceAndNotTooMany) {
    UnsavedTexts unsaved(path_);
    for (const char* text : {"a", "b", "a", "c", "d", "e", "f"}) unsaved.keep({}, QString::fromLatin1(text), {});
    EXPECT_EQ(textsOf(unsaved), QStringList({"f", "e", "d", "c", "a"}));
    EXPECT_EQ(unsaved.kept().front().title, QStringLiteral("Untitled experiment"));
}

}  // namespace
}  // namespace dasgd::gui
