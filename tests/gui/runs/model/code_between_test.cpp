#include "gui/runs/model/code_between.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

const QString kHere = QStringLiteral("here"), kThere = QStringLiteral("there");

class CodeBetweenTest : public ::testing::Test {
protected:
    QString program(const QByteArray& script) {
        QFile file(folder_.filePath(QStringLiteral("dasgd")));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n" + script);
        file.setPermissions(file.permissions() | QFile::ExeOwner);
        return file.fileName();
    }
    // Lines of words that the stand-in was started with, one for each start.
    QByteArray asked() {
        QFile file(folder_.filePath(QStringLiteral("asked")));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    CodeDiff answerOf(const QString& program, int patienceMs = CodeBetween::kPatienceMs) {
        CodeBetween between(program, "/w", patienceMs);
        QSignalSpy answered(&between, &CodeBetween::answered);
        between.ask(kHere, kThere);
        EXPECT_TRUE(eventually([&] { return answered.count() == 1; }));
        return between.answer().value_or(CodeDiff{});
    }
    QTemporaryDir folder_;
};

TEST_F(CodeBetweenTest, AsksOnceAboutTwoRuns) {
    CodeBetween between(program("echo \"$@\" >> '" + folder_.filePath(QStringLiteral("asked")).toUtf8() +
                                "'\necho '{\"code\": {\"between\": \"+a line\", \"unknown\": \"\"}}'\n"),
                        "/w");
    QSignalSpy answered(&between, &CodeBetween::answered);
    between.ask(kHere, kThere);
    ASSERT_TRUE(eventually([&] { return answered.count() == 1; }));
    ASSERT_TRUE(between.answer());
    EXPECT_EQ(between.answer()->diff, QStringLiteral("+a line"));
    EXPECT_EQ(between.answer()->unknown, QString());
    between.ask(kHere, kThere);
    EXPECT_TRUE(between.answer()) << "their commits do not change";
    EXPECT_EQ(asked(), "diff here there --json --workspace /w\n");
    between.ask(kThere, kHere);
    EXPECT_FALSE(between.answer()) << "another question";
    ASSERT_TRUE(eventually([&] { return answered.count() == 2; }));
    EXPECT_EQ(asked().count('\n'), 2);
}

TEST_F(CodeBetweenTest, SaysWhyItIsNotKnown) {
    EXPECT_TRUE(answerOf({}).unknown.contains(QStringLiteral("no `dasgd` program")));
    EXPECT_TRUE(
        answerOf(folder_.filePath(QStringLiteral("none"))).unknown.contains(QStringLiteral("cannot be started")));
    EXPECT_EQ(answerOf(program("echo 'dasgd: no run is called here' >&2; exit 2\n")).unknown,
              QStringLiteral("no run is called here"));
    EXPECT_EQ(
        answerOf(program("echo '{\"code\": {\"between\": null, \"unknown\": \"in no git repository\"}}'\n")).unknown,
        QStringLiteral("in no git repository"));
    EXPECT_TRUE(answerOf(program("exit 7\n")).unknown.contains(QStringLiteral("exit status 7")));
    EXPECT_TRUE(answerOf(program("exec sleep 60\n"), 100).unknown.contains(QStringLiteral("no answer")));
}

TEST_F(CodeBetweenTest, WhatWasForgottenIsNotAnswered) {
    CodeBetween between(program("sleep 0.2; echo '{\"code\": {\"between\": \"x\", \"unknown\": \"\"}}'\n"), "/w");
    QSignalSpy answered(&between, &CodeBetween::answered);
    between.ask(kHere, kThere);
    between.forget();
    QTest::qWait(500);
    EXPECT_EQ(answered.count(), 0);
    EXPECT_FALSE(between.answer());
}

}  // namespace
}  // namespace dasgd::gui
