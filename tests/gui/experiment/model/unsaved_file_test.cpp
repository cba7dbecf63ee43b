#include "gui/experiment/model/unsaved_file.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <memory>

#include "tests/gui/support/bench.h"
#include "tests/support/processes.h"

namespace dasgd::gui {
namespace {

class UnsavedFileTest : public ::testing::Test {
protected:
    using Window = std::unique_ptr<UnsavedFile>;
    using Texts = std::vector<UnsavedText>;
    Window open() { return std::make_unique<UnsavedFile>(path_); }
    static Texts textsOf(const QStringList& all) {
        Texts texts;
        for (const QString& text : all) texts.push_back({text, QStringLiteral("/of/") + text});
        return texts;
    }
    [[nodiscard]] QString fileOf(int window) const { return path_ + QStringLiteral("/unsaved-%1.json").arg(window); }
    QTemporaryDir folder_;
    const QString path_ = folder_.filePath(QStringLiteral("experiments"));
};

TEST_F(UnsavedFileTest, AWindowThatWritesNothingMakesNothing) {
    Window window = open();
    EXPECT_EQ(window->takeOver(), Texts());
    window->write({});
    window.reset();
    EXPECT_FALSE(QDir(path_).exists());
}

TEST_F(UnsavedFileTest, WindowsThatAreOpenTogetherHaveAFileEach) {
    Window first = open(), second = open();
    first->write(textsOf({"a", "b"}));
    second->write(textsOf({"c"}));
    EXPECT_EQ(QDir(path_).entryList({QStringLiteral("*.json")}), (QStringList{"unsaved-1.json", "unsaved-2.json"}));
    EXPECT_EQ(open()->takeOver(), Texts()) << "both are there still";
    second.reset();
    Window third = open();
    EXPECT_EQ(third->takeOver(), textsOf({"c"}));
    first->write(textsOf({"d"}));
    third->write(textsOf({"e", "c"}));
    first.reset();
    third.reset();
    EXPECT_EQ(open()->takeOver(), textsOf({"d", "e", "c"}));
}

TEST_F(UnsavedFileTest, WhatIsTakenOverMovesToTheFileOfOneWindow) {
    Window first = open(), second = open();
    first->write(textsOf({"a"}));
    second->write(textsOf({"b"}));
    first.reset();
    second.reset();
    Window third = open();
    ASSERT_EQ(third->takeOver(), textsOf({"a", "b"}));
    EXPECT_TRUE(QFile::exists(fileOf(2))) << "until it is in another file";
    third->write(textsOf({"c", "a", "b"}));
    EXPECT_FALSE(QFile::exists(fileOf(2)));
    third.reset();
    EXPECT_EQ(open()->takeOver(), textsOf({"c", "a", "b"})) << "each once";
}

TEST_F(UnsavedFileTest, WhatDoesNotFitIsLeftForTheNextWindow) {
    Window first = open(), second = open();
    const Texts many = textsOf({"a", "b", "c", "d"}), others = textsOf({"e", "f"});
    first->write(many);
    second->write(others);
    first.reset();
    second.reset();
    Window third = open(), fourth = open();
    EXPECT_EQ(third->takeOver(), many);
    EXPECT_EQ(fourth->takeOver(), others);
}

// The first text of the later window comes after the window of this file has ended.
TEST_F(UnsavedFileTest, WhatWasLeftMeanwhileIsNotWrittenOver) {
    Window late = open(), first = open();
    ASSERT_EQ(late->takeOver(), Texts());
    first->write(textsOf({"a"}));
    first.reset();
    late->write(textsOf({"b"}));
    EXPECT_TRUE(QFile::exists(fileOf(2)));
    EXPECT_EQ(open()->takeOver(), textsOf({"a"}));
}

TEST_F(UnsavedFileTest, AFileOfAnotherKindIsLeftAlone) {
    ASSERT_TRUE(QDir().mkpath(path_));
    QFile other(fileOf(1));
    ASSERT_TRUE(other.open(QIODevice::WriteOnly) && other.write("mine") == 4);
    other.close();
    Window window = open();
    EXPECT_EQ(window->takeOver(), Texts());
    window->write(textsOf({"a"}));
    ASSERT_TRUE(other.open(QIODevice::ReadOnly));
    EXPECT_EQ(other.readAll(), "mine");
    window.reset();
    EXPECT_EQ(open()->takeOver(), textsOf({"a"}));
}

TEST_F(UnsavedFileTest, AWindowThatIsKilledLeavesItsTexts) {
    test::SharedCounter written;
    test::ChildProcess killed([&] {
        UnsavedFile window(path_);
        window.write({{QStringLiteral("a"), QStringLiteral("/of/a")}});
        written.set(1);
        for (;;) ::pause();
        return 0;
    });
    ASSERT_TRUE(eventually([&] { return written.get() != 0; }));
    EXPECT_EQ(open()->takeOver(), Texts());
    killed.kill();
    EXPECT_EQ(open()->takeOver(), textsOf({"a"}));
}

TEST_F(UnsavedFileTest, WhatCannotBeWrittenTakesNothingAway) {
    Window first = open(), second = open();
    first->write(textsOf({"a"}));
    second->write(textsOf({"b"}));
    first.reset();
    second.reset();
    Window window = open();
    ASSERT_EQ(window->takeOver(), textsOf({"a", "b"}));
    // A folder in the place of its own file.
    ASSERT_TRUE(QFile::remove(fileOf(1)));
    ASSERT_TRUE(QDir().mkpath(fileOf(1) + QStringLiteral("/in-the-way")));
    window->write(textsOf({"b"}));
    window.reset();
    EXPECT_EQ(open()->takeOver(), textsOf({"b"}));
}

}  // namespace
}  // namespace dasgd::gui
