#include "gui/experiment/model/unsaved_files.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <memory>

#include "tests/gui/support/bench.h"
#include "tests/support/processes.h"

namespace dasgd::gui {
namespace {

class UnsavedFilesTest : public ::testing::Test {
protected:
    using Window = std::unique_ptr<UnsavedFiles>;
    Window open() { return std::make_unique<UnsavedFiles>(path_); }
    // Texts that the window takes over.
    static QStringList takenOver(UnsavedFiles& files) {
        QSignalSpy found(&files, &UnsavedFiles::found);
        files.takeOver();
        files.waitForDone();
        EXPECT_TRUE(eventually([&] { return found.count() == 1; }));
        return found.isEmpty() ? QStringList() : found[0][0].toStringList();
    }
    static void writeNow(UnsavedFiles& files, const QStringList& texts) {
        files.write(texts);
        files.waitForDone();
    }
    [[nodiscard]] QString textOf(const char* name) const {
        QFile file(path_ + QLatin1Char('/') + QLatin1String(name));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    QTemporaryDir folder_;
    const QString path_ = folder_.filePath(QStringLiteral("experiments"));
};

TEST_F(UnsavedFilesTest, AWindowThatWritesNothingMakesNothing) {
    Window window = open();
    EXPECT_EQ(takenOver(*window), QStringList());
    writeNow(*window, {});
    window.reset();
    EXPECT_FALSE(QDir(path_).exists());
}

TEST_F(UnsavedFilesTest, WindowsThatAreOpenTogetherHaveFilesOfTheirOwn) {
    Window first = open(), second = open();
    writeNow(*first, {"a", "b"});
    writeNow(*second, {"c"});
    EXPECT_EQ(textOf("unsaved-1.toml"), QStringLiteral("a"));
    EXPECT_EQ(textOf("unsaved-2.toml"), QStringLiteral("b"));
    EXPECT_EQ(textOf("unsaved-2-1.toml"), QStringLiteral("c"));
    EXPECT_EQ(takenOver(*open()), QStringList()) << "both are there still";
    second.reset();
    Window third = open();
    EXPECT_EQ(takenOver(*third), QStringList{"c"});
    writeNow(*first, {"d"});
    writeNow(*third, {"e", "c"});
    first.reset();
    third.reset();
    EXPECT_EQ(takenOver(*open()), QStringList({"d", "e", "c"}));
}

TEST_F(UnsavedFilesTest, WhatIsTakenOverMovesToTheFilesOfOneWindow) {
    Window first = open(), second = open();
    writeNow(*first, {"a"});
    writeNow(*second, {"b"});
    first.reset();
    second.reset();
    Window third = open();
    ASSERT_EQ(takenOver(*third), QStringList({"a", "b"}));
    writeNow(*third, {"c", "a", "b"});
    EXPECT_EQ(textOf("unsaved-2.toml"), QStringLiteral("a"));
    EXPECT_EQ(textOf("unsaved-3.toml"), QStringLiteral("b"));
    EXPECT_EQ(textOf("unsaved-2-1.toml"), QString());
    third.reset();
    EXPECT_EQ(takenOver(*open()), QStringList({"c", "a", "b"})) << "each once";
}

TEST_F(UnsavedFilesTest, WhatDoesNotFitIsLeftForTheNextWindow) {
    Window first = open(), second = open();
    const QStringList many{"a", "b", "c", "d"}, others{"e", "f"};
    writeNow(*first, many);
    writeNow(*second, others);
    first.reset();
    second.reset();
    Window third = open(), fourth = open();
    EXPECT_EQ(takenOver(*third), many);
    EXPECT_EQ(takenOver(*fourth), others);
}

// The first text of the later window comes after the window of these files has ended.
TEST_F(UnsavedFilesTest, WhatWasLeftMeanwhileIsNotWrittenOver) {
    Window late = open(), first = open();
    ASSERT_EQ(takenOver(*late), QStringList());
    writeNow(*first, {"a"});
    first.reset();
    writeNow(*late, {"b"});
    EXPECT_EQ(textOf("unsaved-1.toml"), QStringLiteral("a"));
    EXPECT_EQ(textOf("unsaved-2-1.toml"), QStringLiteral("b"));
    EXPECT_EQ(takenOver(*open()), QStringList{"a"});
}

TEST_F(UnsavedFilesTest, AWindowThatIsKilledLeavesItsTexts) {
    ASSERT_TRUE(QDir().mkpath(path_));
    const std::filesystem::path lock = path_.toStdString() + "/unsaved-1.lock";
    test::SharedCounter held;
    test::ChildProcess killed([&] {
        const auto mine = storage::FileLock::wait(lock, storage::FileLock::Kind::Exclusive);
        held.set(mine ? 1 : -1);
        for (;;) ::pause();
        return 0;
    });
    ASSERT_TRUE(eventually([&] { return held.get() != 0; }));
    ASSERT_EQ(held.get(), 1);
    QFile file(path_ + QStringLiteral("/unsaved-1.toml"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly) && file.write("a") == 1);
    file.close();
    Window second = open();
    EXPECT_EQ(takenOver(*second), QStringList());
    killed.kill();
    EXPECT_EQ(takenOver(*open()), QStringList{"a"});
}

TEST_F(UnsavedFilesTest, WhatCannotBeWrittenTakesNothingAway) {
    Window window = open();
    writeNow(*window, {"a", "b"});
    // A folder in the place of the first file.
    ASSERT_TRUE(QFile::remove(path_ + QStringLiteral("/unsaved-1.toml")));
    ASSERT_TRUE(QDir().mkpath(path_ + QStringLiteral("/unsaved-1.toml/in-the-way")));
    writeNow(*window, {"b"});
    EXPECT_EQ(textOf("unsaved-2.toml"), QStringLiteral("b"));
}

}  // namespace
}  // namespace dasgd::gui
