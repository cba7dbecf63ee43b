#include "gui/experiment/model/document/experiment_files.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class ExperimentFilesTest : public ::testing::Test {
protected:
    [[nodiscard]] QString path(const char* name) const { return folder_.filePath(QString::fromUtf8(name)); }
    static QString content(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QStringLiteral("(none)");
    }
    // Outcome of a request: the name of the signal and its first argument.
    std::pair<QString, QString> outcome() {
        const std::pair<const char*, QSignalSpy*> spies[] = {
            {"read", &read_}, {"written", &written_}, {"failed", &failed_}, {"unreadable", &unreadable_}};
        const auto came = [](const auto& one) { return one.second->count() > 0; };
        EXPECT_TRUE(eventually([&] { return std::any_of(std::begin(spies), std::end(spies), came); }));
        for (const auto& [name, spy] : spies) {
            if (spy->count() > 0) return {QString::fromUtf8(name), spy->takeFirst().at(0).toString()};
        }
        return {};
    }
    using Outcome = std::pair<QString, QString>;
    QTemporaryDir folder_;
    ExperimentFiles files_;
    QSignalSpy read_{&files_, &ExperimentFiles::wasRead}, written_{&files_, &ExperimentFiles::written},
        failed_{&files_, &ExperimentFiles::failed}, unreadable_{&files_, &ExperimentFiles::unreadable};
};

TEST_F(ExperimentFilesTest, WritesIntoAFolderThatIsNotThereYet) {
    const QString file = path("experiments/x.toml");
    files_.write(file, QStringLiteral("name = \"ξ\"\n"), ExperimentFiles::Existing::KeepOther);
    EXPECT_EQ(outcome(), Outcome("written", file));
    EXPECT_EQ(content(file), QStringLiteral("name = \"ξ\"\n"));
    files_.read(file);
    ASSERT_TRUE(eventually([&] { return read_.count() == 1; }));
    EXPECT_EQ(read_[0][1].toString(), QStringLiteral("name = \"ξ\"\n"));
}

TEST_F(ExperimentFilesTest, AnotherTextIsNeverOverwrittenSilently) {
    const QString file = path("x.toml");
    files_.write(file, QStringLiteral("a = 1\n"), ExperimentFiles::Existing::KeepOther);
    EXPECT_EQ(outcome(), Outcome("written", file));
    files_.write(file, QStringLiteral("a = 1\n"), ExperimentFiles::Existing::KeepOther);
    EXPECT_EQ(outcome(), Outcome("written", file)) << "the same text has its file already";
    files_.write(file, QStringLiteral("a = 2\n"), ExperimentFiles::Existing::KeepOther);
    EXPECT_EQ(outcome(), Outcome("written", path("x-2.toml")));
    EXPECT_EQ(content(file), QStringLiteral("a = 1\n"));
    files_.write(file, QStringLiteral("a = 2\n"), ExperimentFiles::Existing::KeepOther);
    EXPECT_EQ(outcome(), Outcome("written", path("x-2.toml"))) << "the same text has its file already";
    files_.write(file, QStringLiteral("a = 3\n"), ExperimentFiles::Existing::Overwrite);
    EXPECT_EQ(outcome(), Outcome("written", file));
    EXPECT_EQ(content(file), QStringLiteral("a = 3\n"));
}

TEST_F(ExperimentFilesTest, WhatTheTextNamesComesAlong) {
    files_.write(path("e/x.toml"), QStringLiteral("file = \"two-racks.xml\"\n"), ExperimentFiles::Existing::Overwrite,
                 QStringLiteral(":/suites"));
    EXPECT_EQ(outcome().first, QStringLiteral("written"));
    EXPECT_TRUE(content(path("e/two-racks.xml")).startsWith(QLatin1String("<?xml")));
    EXPECT_FALSE(QFile::exists(path("e/first-light.toml")));
    files_.write(path("f/y.toml"), QStringLiteral("path = \"two-racks.xml\"\n"), ExperimentFiles::Existing::Overwrite,
                 path("e"));
    EXPECT_EQ(outcome().first, QStringLiteral("written"));
    EXPECT_EQ(content(path("f/two-racks.xml")), content(path("e/two-racks.xml")));
}

// The stock racks were run before; the user's own file of that name is another one.
TEST_F(ExperimentFilesTest, AnExperimentNeverGetsAnotherOnesCompanion) {
    const QString text = QStringLiteral("file = \"two-racks.xml\"\n");
    const auto run = [&](const QString& companions) {
        files_.write(path("experiments/racks.toml"), text, ExperimentFiles::Existing::KeepOther, companions);
        return outcome();
    };
    EXPECT_EQ(run(QStringLiteral(":/suites")), Outcome("written", path("experiments/racks/racks.toml")));
    QDir().mkpath(path("own"));
    QFile own(path("own/two-racks.xml"));
    ASSERT_TRUE(own.open(QIODevice::WriteOnly) && own.write("<platform/>") > 0);
    own.close();
    EXPECT_EQ(run(path("own")), Outcome("written", path("experiments/racks-2/racks.toml")));
    EXPECT_EQ(content(path("experiments/racks-2/two-racks.xml")), QStringLiteral("<platform/>"));
    EXPECT_EQ(run(path("own")), Outcome("written", path("experiments/racks-2/racks.toml"))) << "the same again";
    EXPECT_EQ(run(QStringLiteral(":/suites")), Outcome("written", path("experiments/racks/racks.toml")));
    files_.write(path("experiments/racks/saved.toml"), text, ExperimentFiles::Existing::Overwrite, path("own"));
    EXPECT_TRUE(outcome().second.contains(QLatin1String("has another two-racks.xml")));
    EXPECT_FALSE(QFile::exists(path("experiments/racks/saved.toml")));
}

TEST_F(ExperimentFilesTest, WhatCannotBeReadOrWrittenIsSaid) {
    files_.read(path("none.toml"));
    EXPECT_TRUE(outcome().second.contains(QLatin1String("none.toml is no file")));
    files_.read(folder_.path());
    EXPECT_TRUE(outcome().second.contains(QLatin1String("is no file")));
    files_.write(QStringLiteral("/proc/none/x.toml"), QStringLiteral("a = 1\n"), ExperimentFiles::Existing::Overwrite);
    EXPECT_TRUE(outcome().second.contains(QLatin1String("cannot be written")));
    QFile latin(path("latin.toml"));
    ASSERT_TRUE(latin.open(QIODevice::WriteOnly) && latin.write("name = \"\xe9t\xe9\"\n") > 0);
    latin.close();
    files_.read(latin.fileName());
    EXPECT_TRUE(outcome().second.contains(QLatin1String("is not UTF-8")));
}

}  // namespace
}  // namespace dasgd::gui
