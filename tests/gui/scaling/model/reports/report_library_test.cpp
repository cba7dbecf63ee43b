#include "gui/scaling/model/reports/report_library.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

// A stand-in for `dasgd`: says how far it is, then waits for a file, or for the signal that stops it.
const QByteArray kJob =
    "#!/bin/sh\n[ \"$1\" = --version ] && { echo 9.9; exit; }\n"
    "trap 'echo stopped >&2; exit 130' TERM\n"
    "echo '{\"progress\":{\"title\":\"probe\",\"completed\":3,\"total\":10,\"remark\":\"\"}}' >&2\n"
    "echo \"$@\" >\"$(dirname \"$0\")/arguments\"\n"
    "while [ -d \"$(dirname \"$0\")\" ] && [ ! -e \"$(dirname \"$0\")/go\" ]; do sleep 0.02; done\n"
    "grep -q broken \"$2\" && { echo 'dasgd: it is broken; mend it' >&2; exit 2; }\n"
    "echo 'measured in 20261130-142522-dasgd-66a2'\n";

class ReportLibraryTest : public ::testing::Test {
protected:
    ReportLibraryTest() {
        QFile file(program());
        if (!file.open(QIODevice::WriteOnly)) throw std::runtime_error("no stand-in");
        file.write(kJob);
        file.setPermissions(file.permissions() | QFile::ExeOwner);
        reopen();
    }
    // Ends what a test left running.
    ~ReportLibraryTest() override { go(); }
    [[nodiscard]] QString program() const { return folder_.filePath(QStringLiteral("dasgd")); }
    void reopen() {
        library_.reset();
        library_ = std::make_unique<ReportLibrary>(folder_.path().toStdString(), program());
    }
    void go() { QFile(folder_.filePath(QStringLiteral("go"))).open(QIODevice::WriteOnly); }
    [[nodiscard]] QString reportFile(const QString& name) const {
        return folder_.filePath(QStringLiteral("reports/") + name + QStringLiteral(".json"));
    }
    [[nodiscard]] QString jobFile(const QString& name, const char* ending) const {
        return folder_.filePath(QStringLiteral("reports/.running/") + name + QLatin1String(ending));
    }
    static void write(const QString& path, const QByteArray& content) {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content);
    }
    [[nodiscard]] bool becomes(const QString& name, ReportState state) {
        return eventually([&] { return library_->find(name) && library_->find(name)->state == state; });
    }
    [[nodiscard]] bool isUnderWay(const QString& name) {
        return eventually([&] { return library_->find(name) && library_->find(name)->progress.completed == 3; });
    }
    [[nodiscard]] static JobRequest request(const QString& text = QStringLiteral("name = \"mine\"\n")) {
        return {.kind = JobKind::Calibrate, .title = QStringLiteral("mine"), .text = text};
    }
    QTemporaryDir folder_;
    std::unique_ptr<ReportLibrary> library_;
};

TEST_F(ReportLibraryTest, RunsShowsProgressAndKeepsTheResult) {
    QSignalSpy ended(library_.get(), &ReportLibrary::ended);
    const QString name = library_->start(request());
    ASSERT_TRUE(isUnderWay(name));
    EXPECT_EQ(library_->find(name)->progress.title, QStringLiteral("probe"));
    go();
    ASSERT_TRUE(becomes(name, ReportState::Finished));
    EXPECT_EQ(ended.size(), 1);
    EXPECT_EQ(library_->find(name)->runs, QStringList{"20261130-142522-dasgd-66a2"});
    EXPECT_EQ(library_->find(name)->version, QStringLiteral("9.9"));
    QFile said(folder_.filePath(QStringLiteral("arguments")));
    ASSERT_TRUE(said.open(QIODevice::ReadOnly));
    const QString arguments = QString::fromUtf8(said.readAll());
    EXPECT_TRUE(arguments.startsWith(QStringLiteral("calibrate ") + library_->folder()));
    EXPECT_TRUE(arguments.contains(QStringLiteral("--workspace ") + folder_.path()));
    reopen();
    ASSERT_TRUE(becomes(name, ReportState::Finished)) << "it is there again after a restart";
    EXPECT_EQ(library_->find(name)->asked.text, request().text);
    EXPECT_TRUE(QDir(library_->folder() + QStringLiteral("/.running")).isEmpty());
}

TEST_F(ReportLibraryTest, WantsItsPageBeforeItTellsItAnything) {
    QStringList said;
    // A page hears asked() and started() only after it is wanted.
    QObject::connect(library_.get(), &ReportLibrary::pageWanted, [&] {
        said << QStringLiteral("page");
        if (said.size() > 1) return;
        QObject::connect(library_.get(), &ReportLibrary::asked, [&] { said << QStringLiteral("asked"); });
        QObject::connect(library_.get(), &ReportLibrary::started, [&] { said << QStringLiteral("started"); });
    });
    library_->ask(request());
    ASSERT_FALSE(library_->start(request()).isEmpty());
    EXPECT_EQ(said.join(u' '), QStringLiteral("page asked page started"));
    library_.reset();
}

TEST_F(ReportLibraryTest, KnowsWhatFailedUntilAJobIsStarted) {
    EXPECT_EQ(library_->problem(), QString());
    QSignalSpy failed(library_.get(), &ReportLibrary::failed), wanted(library_.get(), &ReportLibrary::pageWanted);
    EXPECT_EQ(library_->start(request(QString())), QString());
    ASSERT_EQ(failed.size(), 1);
    EXPECT_FALSE(library_->problem().isEmpty());
    EXPECT_EQ(library_->problem(), failed.front().front().toString());
    EXPECT_EQ(wanted.size(), 0) << "whoever asked opens the page";
    ASSERT_FALSE(library_->start(request()).isEmpty());
    EXPECT_EQ(library_->problem(), QString());
}

TEST_F(ReportLibraryTest, AJobOutlivesTheWindowAndIsFoundAgain) {
    const QString name = library_->start(request());
    ASSERT_TRUE(isUnderWay(name));
    reopen();
    ASSERT_TRUE(isUnderWay(name));
    go();
    EXPECT_TRUE(becomes(name, ReportState::Finished));
}

TEST_F(ReportLibraryTest, AJobThatEndsWhileNoWindowIsOpenIsNotLost) {
    const QString name = library_->start(request());
    ASSERT_TRUE(isUnderWay(name));
    const QString status = library_->folder() + QStringLiteral("/.running/") + name + QStringLiteral(".status");
    library_.reset();
    go();
    ASSERT_TRUE(eventually([&] { return QFile::exists(status); }));
    reopen();
    EXPECT_TRUE(becomes(name, ReportState::Finished));
}

TEST_F(ReportLibraryTest, CancelAsksTheJobAndKeepsWhatItSays) {
    const QString name = library_->start(request());
    ASSERT_TRUE(isUnderWay(name));
    library_->stop(name);
    EXPECT_TRUE(library_->find(name)->stopping);
    EXPECT_TRUE(becomes(name, ReportState::Stopped));
}

TEST_F(ReportLibraryTest, AJobThatIsGoneIsSaidToBe) {
    const QString name = library_->start(request());
    ASSERT_TRUE(isUnderWay(name));
    ::kill(static_cast<pid_t>(library_->find(name)->process), SIGKILL);
    ASSERT_TRUE(becomes(name, ReportState::Failed));
    EXPECT_TRUE(library_->find(name)->error.contains(QStringLiteral("start it again")));
    library_.reset();
    EXPECT_TRUE(QFile::exists(jobFile(name, ".err"))) << "the program may still write to it";
}

TEST_F(ReportLibraryTest, WhatAnotherWindowFinishedIsTakenOverNotCalledFailed) {
    const QString name = library_->start(request());
    ASSERT_TRUE(isUnderWay(name));
    Report finished = *library_->find(name);
    conclude(finished, "measured in 20261130-142522-dasgd-66a2\n", "", 0);
    // Another window leaves this behind: the report, and no files of the job.
    write(reportFile(name), QJsonDocument(jsonOf(finished)).toJson());
    ::kill(static_cast<pid_t>(finished.process), SIGKILL);
    ASSERT_TRUE(eventually([&] { return library_->find(name)->state != ReportState::Running; }));
    EXPECT_EQ(library_->find(name)->state, ReportState::Finished) << library_->find(name)->error.toStdString();
    EXPECT_EQ(library_->find(name)->runs, QStringList{"20261130-142522-dasgd-66a2"});
    reopen();
    EXPECT_TRUE(becomes(name, ReportState::Finished));
}

TEST_F(ReportLibraryTest, TwoWindowsOfOneWorkspaceSeeTheSameEnd) {
    const QString name = library_->start(request());
    ASSERT_TRUE(isUnderWay(name));
    ReportLibrary other(folder_.path().toStdString(), program());
    const auto ended = [&] { return other.find(name) && other.find(name)->state != ReportState::Running; };
    ASSERT_TRUE(eventually([&] { return other.find(name) && other.find(name)->progress.completed == 3; }));
    go();
    ASSERT_TRUE(becomes(name, ReportState::Finished));
    ASSERT_TRUE(eventually(ended));
    EXPECT_EQ(other.find(name)->state, ReportState::Finished);
    EXPECT_EQ(other.find(name)->runs, QStringList{"20261130-142522-dasgd-66a2"});
}

TEST_F(ReportLibraryTest, AResultThatCannotBeWrittenIsNotLost) {
    const QString name = library_->start(request());
    ASSERT_TRUE(isUnderWay(name));
    ASSERT_TRUE(eventually([&] { return QFile::exists(reportFile(name)); }));
    // A folder of that name stands for a disk that takes nothing.
    const QString aside = folder_.filePath(QStringLiteral("aside"));
    ASSERT_TRUE(QFile::rename(reportFile(name), aside) && QDir().mkpath(reportFile(name)));
    QSignalSpy failed(library_.get(), &ReportLibrary::failed);
    go();
    ASSERT_TRUE(becomes(name, ReportState::Finished));
    ASSERT_TRUE(eventually([&] { return failed.size() == 1; }));
    library_.reset();
    EXPECT_TRUE(QFile::exists(jobFile(name, ".out")));
    ASSERT_TRUE(QDir().rmdir(reportFile(name)) && QFile::rename(aside, reportFile(name)));
    reopen();
    ASSERT_TRUE(becomes(name, ReportState::Finished));
    EXPECT_EQ(library_->find(name)->runs, QStringList{"20261130-142522-dasgd-66a2"});
}

TEST_F(ReportLibraryTest, AJobIsFoundAgainByAnotherNameOfTheWorkspace) {
    const QString name = library_->start(request());
    ASSERT_TRUE(isUnderWay(name));
    const QTemporaryDir elsewhere;
    const QString link = elsewhere.filePath(QStringLiteral("link"));
    ASSERT_TRUE(QFile::link(folder_.path(), link));
    library_ = std::make_unique<ReportLibrary>(link.toStdString(), program());
    ASSERT_TRUE(isUnderWay(name));
    go();
    EXPECT_TRUE(becomes(name, ReportState::Finished));
}

TEST_F(ReportLibraryTest, ErrorsAreTheWordsOfTheProgram) {
    const QString name = library_->start(request(QStringLiteral("name = \"broken\"\n")));
    go();
    ASSERT_TRUE(becomes(name, ReportState::Failed));
    EXPECT_EQ(library_->find(name)->error, QStringLiteral("it is broken; mend it"));
    QSignalSpy failed(library_.get(), &ReportLibrary::failed);
    EXPECT_TRUE(library_->start(request(QString())).isEmpty());
    EXPECT_EQ(failed.size(), 1) << "without an experiment";
}

TEST_F(ReportLibraryTest, AReportIsDeletedAndBroughtBack) {
    const QString name = library_->start(request());
    library_->remove(name);
    EXPECT_NE(library_->find(name), nullptr) << "not while it is under way";
    go();
    ASSERT_TRUE(becomes(name, ReportState::Finished));
    library_->remove(name);
    EXPECT_EQ(library_->find(name), nullptr);
    const QDir reports(folder_.filePath(QStringLiteral("reports")));
    EXPECT_TRUE(eventually([&] { return reports.entryList(QDir::Files).isEmpty(); })) << "its experiment goes too";
    EXPECT_EQ(library_->restore(), name);
    reopen();
    EXPECT_TRUE(becomes(name, ReportState::Finished));
}

TEST_F(ReportLibraryTest, OneThatCannotBeDeletedIsSaidAndStays) {
    const QString name = library_->start(request());
    go();
    ASSERT_TRUE(becomes(name, ReportState::Finished));
    // The library is opened anew, with all that the first one had to write behind it.
    reopen();
    ASSERT_TRUE(becomes(name, ReportState::Finished));
    // A folder that is not empty stands in the file's place: it cannot be deleted as a file.
    ASSERT_TRUE(QFile::remove(reportFile(name)));
    ASSERT_TRUE(QDir().mkpath(reportFile(name) + QStringLiteral("/inner")));
    QSignalSpy failed(library_.get(), &ReportLibrary::failed);
    library_->remove(name);
    EXPECT_EQ(library_->find(name), nullptr);
    ASSERT_TRUE(eventually([&] { return failed.size() == 1; }));
    EXPECT_TRUE(failed.front().front().toString().startsWith(reportFile(name) + QStringLiteral(": cannot be deleted")));
    EXPECT_NE(library_->find(name), nullptr);
    EXPECT_EQ(library_->restore(), QString()) << "it is not brought back a second time";
}

TEST_F(ReportLibraryTest, SeveralDeletionsComeBackTheLastOneFirst) {
    QStringList names;
    for (int i = 0; i < 2; ++i) names << library_->start(request());
    go();
    for (const QString& name : names) ASSERT_TRUE(becomes(name, ReportState::Finished));
    for (const QString& name : names) library_->remove(name);
    EXPECT_EQ(library_->restore(), names[1]);
    EXPECT_EQ(library_->restore(), names[0]);
    EXPECT_EQ(library_->restore(), QString());
    for (const QString& name : names) EXPECT_NE(library_->find(name), nullptr);
}

TEST_F(ReportLibraryTest, AJobThatAnotherWindowStartsIsListedHereToo) {
    ASSERT_TRUE(eventually([&] { return library_->loaded(); }));
    ReportLibrary other(folder_.path().toStdString(), program());
    const QString name = other.start(request());
    ASSERT_TRUE(isUnderWay(name)) << "and its progress is followed";
    go();
    EXPECT_TRUE(becomes(name, ReportState::Finished));
    ASSERT_TRUE(eventually([&] { return other.find(name)->state == ReportState::Finished; }));
}

}  // namespace
}  // namespace dasgd::gui
