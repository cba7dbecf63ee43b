#include "gui/data/session/remote_mirror.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>
#include <QThread>

#include "tests/gui/support/live_bench.h"
#include "tests/support/temp_dir.h"

namespace dasgd::gui {
namespace {

class RemoteMirrorTest : public ::testing::Test {
protected:
    QString program(const QByteArray& text) {
        const QString path = QString::fromStdString((folder_ / "dasgd").string());
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n" + text);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path;
    }
    [[nodiscard]] QString told() const {
        QFile file(QString::fromStdString((folder_ / "told").string()));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    [[nodiscard]] QByteArray tell() const { return "\"" + QByteArray((folder_ / "told").c_str()) + "\""; }
    static bool comesTo(RemoteMirror& mirror, const QString& words) {
        QSignalSpy changed(&mirror, &RemoteMirror::changed);
        for (int i = 0; i < 40 && !mirror.words().contains(words); ++i) changed.wait(500);
        return mirror.words().contains(words);
    }
    test::TempDir folder_;
};

TEST_F(RemoteMirrorTest, LinesBecomeWords) {
    EXPECT_EQ(mirrorInWords(R"({"mirror":"ssh://login/lab","state":"up to date"})"),
              QStringLiteral("mirrors ssh://login/lab"));
    EXPECT_EQ(mirrorInWords(R"({"mirror":"ssh://login/lab","state":"lost","why":"the link is down","again_s":4})"),
              QStringLiteral("ssh://login/lab lost: the link is down; again in 4 s"));
    EXPECT_EQ(mirrorInWords("no json"), QString());
}

TEST_F(RemoteMirrorTest, SaysHowItStandsAndEndsWithItsWindow) {
    const QString path = program("echo \"$@\" >" + tell() +
                                 "\necho '{\"mirror\":\"ssh://login/lab\",\"state\":\"up to date\"}'\ncat >/dev/null\n"
                                 "echo over >>" +
                                 tell() + "\n");
    {
        RemoteMirror mirror(path, folder_.path());
        mirror.open(QStringLiteral(" ssh://login/lab "));
        EXPECT_TRUE(mirror.isOpen());
        EXPECT_TRUE(comesTo(mirror, QStringLiteral("mirrors ssh://login/lab")));
        EXPECT_TRUE(told().startsWith(QStringLiteral("mirror ssh://login/lab --json --while-input --workspace ")));
        EXPECT_EQ(RemoteMirror::lastUrl(), QStringLiteral("ssh://login/lab"));
    }
    for (int i = 0; i < 100 && !told().endsWith(QStringLiteral("over\n")); ++i) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 50);
        QThread::msleep(50);
    }
    EXPECT_TRUE(told().endsWith(QStringLiteral("over\n"))) << "its input was closed";
}

TEST_F(RemoteMirrorTest, AnErrorIsSaidInTheProgramsWords) {
    RemoteMirror mirror(program("echo 'dasgd: no such host' >&2\nexit 1\n"), folder_.path());
    mirror.open(QStringLiteral("ssh://none/lab"));
    EXPECT_TRUE(comesTo(mirror, QStringLiteral("no such host")));
    EXPECT_FALSE(mirror.isOpen());
    RemoteMirror without(QString(), folder_.path());
    without.open(QStringLiteral("ssh://none/lab"));
    EXPECT_TRUE(without.words().contains(QStringLiteral("no `dasgd` program")));
}

TEST_F(RemoteMirrorTest, ClosingEndsIt) {
    RemoteMirror mirror(program("echo '{\"mirror\":\"u\",\"state\":\"connected\"}'\nexec sleep 60\n"), folder_.path());
    mirror.open(QStringLiteral("u"));
    EXPECT_TRUE(comesTo(mirror, QStringLiteral("catching up")));
    mirror.close();
    EXPECT_FALSE(mirror.isOpen());
    EXPECT_EQ(mirror.words(), QString());
}

}  // namespace
}  // namespace dasgd::gui
