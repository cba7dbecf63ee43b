#include "gui/data/session/engine.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class EngineTest : public ::testing::Test {
protected:
    QString write(const QString& name, const QByteArray& text, bool executable = false) {
        QFile file(folder_.filePath(name));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
        if (executable) file.setPermissions(file.permissions() | QFile::ExeOwner);
        return file.fileName();
    }
    [[nodiscard]] std::filesystem::path workspace() const {
        return folder_.filePath(QStringLiteral("ws")).toStdString();
    }
    QTemporaryDir folder_;
};

TEST_F(EngineTest, StartsTheProgramDetachedWithFileAndWorkspace) {
    const QString seen = folder_.filePath(QStringLiteral("seen"));
    const QString program = write(QStringLiteral("dasgd"), "#!/bin/sh\necho \"$@\" > " + seen.toUtf8() + "\n", true);
    Engine engine(workspace(), program);
    QSignalSpy started(&engine, &Engine::started), failed(&engine, &Engine::failed);
    engine.run(QStringLiteral("my file.toml"));
    ASSERT_TRUE(eventually([&] { return started.count() == 1; }));
    EXPECT_EQ(started[0][0].toString(), QStringLiteral("my file.toml"));
    ASSERT_TRUE(eventually([&] { return QFile::exists(seen) && QFile(seen).size() > 0; }));
    QFile file(seen);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(QString::fromUtf8(file.readAll()).trimmed(),
              QStringLiteral("run my file.toml --workspace ") + QString::fromStdString(workspace().string()));
    const QDir logs(QString::fromStdString(workspace().string()) + QStringLiteral("/logs"));
    EXPECT_TRUE(logs.exists());
    EXPECT_TRUE(eventually([&] { return logs.isEmpty(); })) << "nothing went wrong, nothing is kept";
    QTest::qWait(300);  // longer than it takes from one look at the logs to the next
    EXPECT_EQ(failed.count(), 0);
}

TEST_F(EngineTest, TheQueueIsPausedAndLetGoOn) {
    const QString seen = folder_.filePath(QStringLiteral("seen"));
    const QString program = write(QStringLiteral("dasgd"), "#!/bin/sh\necho \"$@\" >> " + seen.toUtf8() + "\n", true);
    Engine engine(workspace(), program);
    const auto said = [&](const QString& words) {
        QFile file(seen);
        return file.open(QIODevice::ReadOnly) && QString::fromUtf8(file.readAll()) == words;
    };
    const QString end = QStringLiteral(" --workspace ") + QString::fromStdString(workspace().string()) + u'\n';
    engine.setQueuePaused(true);
    ASSERT_TRUE(eventually([&] { return said(QStringLiteral("queue pause") + end); }));
    engine.setQueuePaused(false);
    EXPECT_TRUE(eventually([&] { return said(QStringLiteral("queue pause") + end + "queue resume --work" + end); }));
}

TEST_F(EngineTest, SaysWhatTheProgramSaidWhenItFails) {
    const QString program =
        write(QStringLiteral("dasgd"), "#!/bin/sh\necho 'bad.toml:7:9: delay is 9' >&2\nexit 2\n", true);
    Engine engine(workspace(), program);
    QSignalSpy failed(&engine, &Engine::failed);
    engine.run(QStringLiteral("bad.toml"));
    ASSERT_TRUE(eventually([&] { return failed.count() == 1; }));
    EXPECT_EQ(failed[0][0].toString(), QStringLiteral("bad.toml: bad.toml:7:9: delay is 9"));
}

TEST_F(EngineTest, AnExperimentIsStartedOnACluster) {
    const QString seen = folder_.filePath(QStringLiteral("seen"));
    Engine engine(workspace(),
                  write(QStringLiteral("dasgd"), "#!/bin/sh\necho \"$@\" > " + seen.toUtf8() + "\n", true));
    engine.run(QStringLiteral("a.toml"), Engine::Order::Now, QStringLiteral("lab"));
    ASSERT_TRUE(eventually([&] { return QFile(seen).size() > 0; }));
    QFile file(seen);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().startsWith("run a.toml --on lab --workspace "));
}

TEST_F(EngineTest, AnExperimentGoesIntoTheQueueOfAnotherMachine) {
    const QString seen = folder_.filePath(QStringLiteral("seen"));
    Engine engine(workspace(),
                  write(QStringLiteral("dasgd"), "#!/bin/sh\necho \"$@\" > " + seen.toUtf8() + "\n", true));
    engine.run(QStringLiteral("a.toml"), Engine::Order::Now, QStringLiteral("ssh://login/lab"));
    ASSERT_TRUE(eventually([&] { return QFile(seen).size() > 0; }));
    QFile file(seen);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().startsWith("queue add a.toml --at ssh://login/lab --work --workspace "));
}

TEST_F(EngineTest, AFailureSaysWhatItIsAbout) {
    Engine engine(workspace(), write(QStringLiteral("dasgd"), "#!/bin/sh\necho \"no $1\" >&2\nexit 2\n", true));
    QSignalSpy failed(&engine, &Engine::failed), ended(&engine, &Engine::ended);
    const auto about = [&](int place) { return failed[place][1].value<Engine::About>(); };
    engine.stop(QStringLiteral("r1"));
    ASSERT_TRUE(eventually([&] { return failed.count() == 1; }));
    EXPECT_EQ(about(0).runs, QStringList{QStringLiteral("r1")});
    EXPECT_TRUE(about(0).ofLive) << "it comes too late for a run that has ended";
    engine.remove({QStringLiteral("r1"), QStringLiteral("r2")});
    ASSERT_TRUE(eventually([&] { return failed.count() == 2; }));
    EXPECT_EQ(failed[1][0].toString(), QStringLiteral("delete 2 runs: no delete"));
    EXPECT_EQ(about(1).runs.size(), 2);
    EXPECT_FALSE(about(1).ofLive);
    EXPECT_EQ(ended.count(), 0);
    engine.run(QStringLiteral("a.toml"));
    ASSERT_TRUE(eventually([&] { return failed.count() == 3; }));
    EXPECT_TRUE(about(2).runs.isEmpty());
    ASSERT_EQ(ended.count(), 1);
    EXPECT_EQ(ended[0][0].toString(), QStringLiteral("a.toml"));
}

TEST_F(EngineTest, AStoppedRunIsNoFailure) {
    Engine engine(workspace(), write(QStringLiteral("dasgd"), "#!/bin/sh\nexit 130\n", true));
    QSignalSpy failed(&engine, &Engine::failed);
    engine.run(QStringLiteral("a.toml"));
    QTest::qWait(600);
    EXPECT_EQ(failed.count(), 0);
}

TEST_F(EngineTest, AMissingProgramIsSaid) {
    Engine engine(workspace(), folder_.filePath(QStringLiteral("no-such")));
    QSignalSpy failed(&engine, &Engine::failed);
    engine.stop(QStringLiteral("r1"));
    ASSERT_TRUE(eventually([&] { return failed.count() == 1; }));
    EXPECT_TRUE(failed[0][0].toString().contains(QLatin1String("no-such")));
}

TEST_F(EngineTest, AnExperimentIsQueuedByTheProgram) {
    const QString seen = folder_.filePath(QStringLiteral("seen"));
    Engine engine(workspace(),
                  write(QStringLiteral("dasgd"), "#!/bin/sh\necho \"$@\" > " + seen.toUtf8() + "\n", true));
    QSignalSpy started(&engine, &Engine::started);
    engine.run(QStringLiteral("a.toml"), Engine::Order::Queued);
    ASSERT_TRUE(eventually([&] { return started.count() == 1 && QFile(seen).size() > 0; }));
    EXPECT_EQ(started[0][1].value<Engine::Order>(), Engine::Order::Queued);
    QFile file(seen);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().startsWith("queue add a.toml --work --workspace"));
}

TEST_F(EngineTest, WhatWasAskedForIsStartedAlsoWhereTheWindowGoes) {
    const QString seen = folder_.filePath(QStringLiteral("seen"));
    const QString program = write(QStringLiteral("dasgd"),
                                  "#!/bin/sh\nmkdir -p " + seen.toUtf8() + "\ntouch " + seen.toUtf8() + "/$2\n", true);
    {
        Engine engine(workspace(), program);
        for (const char* run : {"r1", "r2", "r3"}) engine.stop(QString::fromUtf8(run));
    }
    ASSERT_TRUE(eventually([&] { return QDir(seen).entryList(QDir::Files).size() == 3; }));
    EXPECT_EQ(QDir(seen).entryList(QDir::Files, QDir::Name), (QStringList{"r1", "r2", "r3"}));
}

TEST_F(EngineTest, SeveralProgramsAtOnceEachSayHowTheyEnd) {
    Engine engine(workspace(), write(QStringLiteral("dasgd"), "#!/bin/sh\necho \"no $2\" >&2\nexit 2\n", true));
    QSignalSpy failed(&engine, &Engine::failed);
    QStringList expected;
    for (const char* run : {"r1", "r2", "r3", "r4"}) {
        engine.stop(QString::fromUtf8(run));
        expected << QStringLiteral("stop: no %1").arg(QString::fromUtf8(run));
    }
    ASSERT_TRUE(eventually([&] { return failed.count() == 4; }));
    QStringList said;
    for (const auto& arguments : failed) said << arguments[0].toString();
    said.sort();
    EXPECT_EQ(said, expected) << "a log each, also of those that start in one millisecond";
}

TEST_F(EngineTest, AFailureIsSaidWithOneBeginningAndNamesItsRunOnce) {
    Engine engine(workspace(), write(QStringLiteral("dasgd"),
                                     "#!/bin/sh\necho \"dasgd: run $2: no checkpoint\" >&2\nexit 2\n", true));
    QSignalSpy failed(&engine, &Engine::failed);
    engine.resume(QStringLiteral("r1"));
    ASSERT_TRUE(eventually([&] { return failed.count() == 1; }));
    EXPECT_EQ(failed[0][0].toString(), QStringLiteral("resume: run r1: no checkpoint"));
}

TEST_F(EngineTest, AWorkspaceThatCannotBeWrittenIsSaidAndTheExperimentIsNotStarted) {
    const QString file = write(QStringLiteral("a-file"), "no folder\n");
    Engine engine(file.toStdString(), write(QStringLiteral("dasgd"), "#!/bin/sh\nexit 0\n", true));
    QSignalSpy failed(&engine, &Engine::failed), started(&engine, &Engine::started),
        notStarted(&engine, &Engine::notStarted);
    engine.run(QStringLiteral("a.toml"));
    ASSERT_TRUE(eventually([&] { return notStarted.count() == 1; }));
    EXPECT_EQ(notStarted[0][0].toString(), QStringLiteral("a.toml"));
    ASSERT_EQ(failed.count(), 1);
    EXPECT_TRUE(failed[0][0].toString().contains(QLatin1String("cannot be made")));
    EXPECT_EQ(started.count(), 0);
}

}  // namespace
}  // namespace dasgd::gui
