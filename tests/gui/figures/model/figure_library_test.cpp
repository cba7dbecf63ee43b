#include "gui/figures/model/figure_library.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class FigureLibraryTest : public ::testing::Test {
protected:
    [[nodiscard]] std::filesystem::path path() const { return folder_.path().toStdString(); }
    void put(const char* name, const QByteArray& text) {
        ASSERT_TRUE(QDir(folder_.path()).mkpath(QStringLiteral("figures")));
        QFile file(folder_.filePath(QStringLiteral("figures/") + QLatin1String(name)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    QTemporaryDir folder_;
};

TEST_F(FigureLibraryTest, ReadsWhatAnotherWrote) {
    FigureSpec spec;
    spec.title = QStringLiteral("Loss");
    QString first, second;
    {
        FigureLibrary library(path());
        ASSERT_TRUE(eventually([&] { return library.loaded(); }));
        EXPECT_TRUE(library.figures().empty());
        first = library.add(spec, QStringLiteral("../loss / 2"));
        second = library.add(spec, QStringLiteral("../loss / 2"));
        EXPECT_EQ(first, QStringLiteral("loss-2"));
        EXPECT_EQ(second, QStringLiteral("loss-2-2")) << "nothing is written over";
        spec.metric = QStringLiteral("eval/accuracy");
        library.change(second, spec);
    }
    FigureLibrary again(path());
    ASSERT_TRUE(eventually([&] { return again.loaded(); }));
    ASSERT_EQ(again.figures().size(), 2U);
    EXPECT_EQ(again.find(second)->spec.metric, QStringLiteral("eval/accuracy"));
    EXPECT_EQ(again.find(first)->title(), QStringLiteral("Loss"));
}

TEST_F(FigureLibraryTest, AFileThatIsNoFigureIsListedAndLeftAlone) {
    put("wrong.json", "{\"version\": 1, \"kind\": \"pie\"}");
    FigureLibrary library(path());
    ASSERT_TRUE(eventually([&] { return library.loaded(); }));
    ASSERT_EQ(library.figures().size(), 1U);
    EXPECT_TRUE(library.figures().front().error.contains(QLatin1String("allowed curves")));
    library.change(QStringLiteral("wrong"), {});
    library.remove(QStringLiteral("wrong"));
    EXPECT_EQ(library.figures().size(), 1U);
}

TEST_F(FigureLibraryTest, WhatWasDeletedComesBack) {
    FigureLibrary library(path());
    ASSERT_TRUE(eventually([&] { return library.loaded(); }));
    FigureSpec spec;
    spec.caption = QStringLiteral("kept");
    const QString name = library.add(spec, QStringLiteral("one"));
    ASSERT_TRUE(eventually([&] { return library.settled(); }));
    library.remove(name);
    ASSERT_TRUE(eventually([&] { return !QFile::exists(library.pathOf(name)); }));
    EXPECT_EQ(library.restore(), name);
    EXPECT_EQ(library.find(name)->spec.caption, QStringLiteral("kept"));
    ASSERT_TRUE(eventually([&] { return QFile::exists(library.pathOf(name)); }));
    EXPECT_EQ(library.restore(), QString());
}

TEST_F(FigureLibraryTest, SeveralDeletionsComeBackTheLastOneFirst) {
    FigureLibrary library(path());
    ASSERT_TRUE(eventually([&] { return library.loaded(); }));
    QStringList names;
    for (const char* name : {"one", "two", "three"}) names << library.add({}, QString::fromLatin1(name));
    ASSERT_TRUE(eventually([&] { return library.settled(); }));
    for (const QString& name : names) library.remove(name);
    ASSERT_TRUE(eventually([&] { return library.settled(); }));
    EXPECT_TRUE(library.figures().empty());
    for (const char* name : {"three", "two", "one"}) EXPECT_EQ(library.restore(), QString::fromLatin1(name));
    EXPECT_EQ(library.restore(), QString());
    ASSERT_TRUE(eventually([&] { return library.settled(); }));
    for (const QString& name : names) EXPECT_TRUE(QFile::exists(library.pathOf(name)));
}

// The figure is made before the folder is read: its name is free in the list and taken on the disk.
TEST_F(FigureLibraryTest, AFileThatWasNotReadIsNeverReplaced) {
    FigureSpec theirs, ours;
    theirs.title = QStringLiteral("theirs");
    ours.title = QStringLiteral("ours");
    put("one.json", QJsonDocument(jsonOf(theirs)).toJson());
    FigureLibrary library(path());
    QSignalSpy renamed(&library, &FigureLibrary::renamed);
    const QString name = library.add(ours, QStringLiteral("one"));
    ours.caption = QStringLiteral("typed since");
    library.change(name, ours);
    EXPECT_FALSE(library.settled());
    ASSERT_TRUE(eventually([&] { return library.loaded() && library.settled(); }));
    ASSERT_EQ(renamed.count(), 1);
    EXPECT_EQ(renamed[0][1].toString(), QStringLiteral("one-2"));
    EXPECT_EQ(library.find(QStringLiteral("one"))->spec.title, QStringLiteral("theirs"));
    EXPECT_EQ(library.find(QStringLiteral("one-2"))->spec.caption, QStringLiteral("typed since"));
    // A file that came later.
    put("two.json", QJsonDocument(jsonOf(theirs)).toJson());
    library.add(ours, QStringLiteral("two"));
    ASSERT_TRUE(eventually([&] { return library.find(QStringLiteral("two-2")) && library.settled(); }));
    ASSERT_TRUE(eventually([&] { return library.find(QStringLiteral("two")) != nullptr; }));
    EXPECT_EQ(library.find(QStringLiteral("two"))->spec.title, QStringLiteral("theirs"));
    FigureLibrary again(path());
    ASSERT_TRUE(eventually([&] { return again.loaded(); }));
    EXPECT_EQ(again.figures().size(), 4U);
    EXPECT_EQ(again.find(QStringLiteral("two"))->spec.title, QStringLiteral("theirs"));
    EXPECT_EQ(again.find(QStringLiteral("two-2"))->spec.title, QStringLiteral("ours"));
}

TEST_F(FigureLibraryTest, AFileThatCannotBeDeletedKeepsItsFigure) {
    FigureLibrary library(path());
    ASSERT_TRUE(eventually([&] { return library.loaded(); }));
    const QString name = library.add({}, QStringLiteral("one"));
    ASSERT_TRUE(eventually([&] { return library.settled(); }));
    // A folder in the file's place cannot be deleted.
    ASSERT_TRUE(QFile::remove(library.pathOf(name)));
    ASSERT_TRUE(QDir().mkpath(library.pathOf(name)));
    QSignalSpy failed(&library, &FigureLibrary::failed);
    library.remove(name);
    ASSERT_TRUE(eventually([&] { return failed.count() == 1; }));
    EXPECT_TRUE(failed[0][0].toString().contains(QLatin1String("writable")));
    EXPECT_NE(library.find(name), nullptr);
    EXPECT_EQ(library.restore(), QString()) << "it is there already";
}

TEST_F(FigureLibraryTest, AFolderThatCannotBeWrittenIsSaid) {
    QFile file(folder_.filePath(QStringLiteral("figures")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.close();
    FigureLibrary library(path());
    QSignalSpy failed(&library, &FigureLibrary::failed);
    library.add({}, QStringLiteral("one"));
    ASSERT_TRUE(eventually([&] { return failed.count() == 1; }));
    EXPECT_TRUE(failed[0][0].toString().contains(QLatin1String("figures")));
}

}  // namespace
}  // namespace dasgd::gui
