#include "gui/timeline/model/trace_job.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>

#include "tests/gui/support/live_bench.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

namespace dasgd::gui {
namespace {

class TraceJobTest : public ::testing::Test {
protected:
    QString write(const QString& name, const QByteArray& text) {
        const QString path = QString::fromStdString(folder_.path().string()) + u'/' + name;
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path;
    }
    test::TempDir folder_;
};

TEST_F(TraceJobTest, ReadsWhatTheProgramSays) {
    const ImportedTrace damaged = readImported(
        R"({"run":"r","ranks":2,"spans":1234,"steps":3,"dropped_count":5,"dropped":{"slices without an end":5},"left_out":{"marks":1},"stopped":["t.json: cut off"]})");
    EXPECT_EQ(damaged.run, QStringLiteral("r"));
    EXPECT_FALSE(damaged.whole);
    EXPECT_TRUE(damaged.words.contains(QStringLiteral("dropped: 5 slices without an end")));
    EXPECT_TRUE(damaged.words.contains(QStringLiteral("not read to its end: t.json: cut off")));
    EXPECT_TRUE(readImported(R"({"run":"r","dropped_count":0})").whole);
    EXPECT_TRUE(readImported("no json").run.isEmpty());
}

TEST_F(TraceJobTest, OneAtATimeWithProgressAndErrorsInTheProgramsWords) {
    const QString program = write(QStringLiteral("dasgd"),
                                  "#!/bin/sh\necho '{\"progress\":40}'\necho 'dasgd: t.json is empty' >&2\nexit 2\n");
    TraceJob job(program, folder_.path());
    QSignalSpy progress(&job, &TraceJob::progressed), failed(&job, &TraceJob::failed);
    EXPECT_TRUE(job.import({QStringLiteral("t.json")}));
    EXPECT_TRUE(job.isBusy());
    EXPECT_FALSE(job.import({QStringLiteral("other.json")}));
    EXPECT_FALSE(job.save(QStringLiteral("run"), QStringLiteral("x.json")));
    ASSERT_TRUE(failed.wait());
    EXPECT_EQ(progress.front().front().toInt(), 40);
    EXPECT_TRUE(failed.front().front().toString().contains(QStringLiteral("t.json is empty")));
    EXPECT_FALSE(job.isBusy());
}

TEST_F(TraceJobTest, ACancelledImportIsAskedToEndSoThatItCanSaySoInItsRun) {
    const QString words = QString::fromStdString((folder_ / "words").string());
    const QString program = write(QStringLiteral("dasgd"), "#!/bin/sh\ntrap 'echo asked > \"" + words.toUtf8() +
                                                               "\"; exit 2' TERM\necho '{\"progress\":1}'\n"
                                                               "while :; do sleep 0.05; done\n");
    TraceJob job(program, folder_.path());
    QSignalSpy progress(&job, &TraceJob::progressed), failed(&job, &TraceJob::failed);
    ASSERT_TRUE(job.import({QStringLiteral("t.json")}));
    ASSERT_TRUE(progress.wait()) << "the trap is set";
    job.cancel();
    EXPECT_FALSE(job.isBusy());
    EXPECT_TRUE(eventually([&] { return QFile(words).size() > 0; }));
    EXPECT_TRUE(failed.isEmpty()) << "what the user has done is no error";
}

TEST_F(TraceJobTest, WhatIsUnderWayGoesOnWithoutTheWindow) {
    const QString words = QString::fromStdString((folder_ / "words").string());
    const QString program =
        write(QStringLiteral("dasgd"),
              "#!/bin/sh\necho '{\"progress\":1}'\nsleep 0.3\necho whole > \"" + words.toUtf8() + "\"\n");
    {
        TraceJob job(program, folder_.path());
        QSignalSpy progress(&job, &TraceJob::progressed);
        ASSERT_TRUE(job.import({QStringLiteral("t.json")}));
        ASSERT_TRUE(progress.wait());
    }
    EXPECT_TRUE(eventually([&] { return QFile(words).size() > 0; }));
}

TEST_F(TraceJobTest, SaysThatThereIsNoProgram) {
    TraceJob none({}, folder_.path());
    QSignalSpy failed(&none, &TraceJob::failed);
    EXPECT_FALSE(none.import({QStringLiteral("t.json")}));
    EXPECT_EQ(failed.size(), 1);
    TraceJob absent(QStringLiteral("/nowhere/dasgd"), folder_.path());
    QSignalSpy gone(&absent, &TraceJob::failed);
    absent.import({QStringLiteral("t.json")});
    EXPECT_TRUE(gone.size() == 1 || gone.wait());
    EXPECT_FALSE(absent.isBusy());
}

TEST_F(TraceJobTest, OpensAndSavesWithTheRealProgram) {
    if (std::string(test::kProgram).empty()) return;
    const QString trace = write(QStringLiteral("t.json"),
                                R"([{"ph":"X","name":"theirs","pid":1,"tid":1,"ts":1,"dur":4},{"ph":"X","name":"cut)");
    TraceJob job(QString::fromUtf8(test::kProgram), folder_ / "w");
    QSignalSpy imported(&job, &TraceJob::imported), saved(&job, &TraceJob::saved), failed(&job, &TraceJob::failed);
    ASSERT_TRUE(job.import({trace}));
    ASSERT_TRUE(imported.wait(30'000)) << (failed.isEmpty() ? "" : failed.front().front().toString().toStdString());
    EXPECT_FALSE(imported.front().at(2).toBool()) << "it was cut off";
    const QString file = QString::fromStdString((folder_ / "out.pftrace").string());
    ASSERT_TRUE(job.save(imported.front().front().toString(), file));
    ASSERT_TRUE(saved.wait(30'000)) << (failed.isEmpty() ? "" : failed.front().front().toString().toStdString());
    EXPECT_GT(QFile(file).size(), 20);
}

}  // namespace
}  // namespace dasgd::gui
