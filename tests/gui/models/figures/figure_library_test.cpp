#include "gui/models/figures/figure_library.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
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
