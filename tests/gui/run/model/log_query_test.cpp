#include "gui/run/model/log_query.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

class LogQueryTest : public ::testing::Test {
protected:
    void SetUp() override {
        id_ = bench_.workspace.record({.steps = 4});
        folder_ =
            QDir(QString::fromStdString((bench_.workspace.path() / "runs" / id_.toStdString() / "logs").string()));
        ASSERT_TRUE(folder_.mkpath(QStringLiteral(".")));
        bench_.know();
        bench_.store.setWatch({id_, {}});
        QObject::connect(&query_, &LogQuery::arrived, [this](const LogTail& tail) { last_ = tail; });
    }
    void append(const char* name, const QByteArray& text) {
        QFile file(folder_.filePath(QLatin1String(name)));
        ASSERT_TRUE(file.open(QIODevice::Append));
        file.write(text);
    }
    bool shows(const QString& end) {
        return eventually([&] {
            bench_.refresh(query_);
            return last_.text.endsWith(end);
        });
    }
    LiveBench bench_;
    QString id_;
    QDir folder_;
    LogQuery query_;
    LogTail last_;
};

TEST_F(LogQueryTest, FollowsTheEndOfARanksLog) {
    append("rank-10.log", "ten\n");
    append("rank-2.log", "two\n");
    ASSERT_TRUE(shows(QStringLiteral("two\n")));
    EXPECT_EQ(last_.files, (QStringList{QStringLiteral("rank-2.log"), QStringLiteral("rank-10.log")}));
    append("rank-2.log", "more\n");
    ASSERT_TRUE(shows(QStringLiteral("two\nmore\n")));
    query_.want(QStringLiteral("rank-10.log"));
    ASSERT_TRUE(shows(QStringLiteral("ten\n")));
    EXPECT_EQ(last_.file, QStringLiteral("rank-10.log"));
}

TEST_F(LogQueryTest, OfALongLogOnlyTheEndIsRead) {
    QByteArray text;
    for (int i = 0; i < 20'000; ++i) text += "line " + QByteArray::number(i) + '\n';
    append("rank-0.log", text);
    ASSERT_TRUE(shows(QStringLiteral("line 19999\n")));
    EXPECT_TRUE(last_.cut);
    EXPECT_LE(last_.text.size(), LogQuery::kMostBytes);
    EXPECT_TRUE(last_.text.startsWith(QStringLiteral("line "))) << "whole lines";
}

TEST_F(LogQueryTest, ARunWithoutLogsHasNone) {
    bench_.refresh(query_);
    EXPECT_TRUE(last_.files.isEmpty());
    EXPECT_EQ(last_.runId, id_);
}

TEST_F(LogQueryTest, ANamedRunIsReadWhicheverIsWatched) {
    append("rank-0.log", "of the named run\n");
    bench_.store.setWatch({bench_.workspace.record({.steps = 4}), {}});
    NamedLogQuery named;
    std::vector<LogTail> tails;
    QObject::connect(&named, &LogQuery::arrived, [&](const LogTail& tail) { tails.push_back(tail); });
    bench_.refresh(named);
    EXPECT_TRUE(tails.empty()) << "no run is named";
    named.wantRun(id_);
    bench_.refresh(named);
    ASSERT_EQ(tails.size(), 1U);
    EXPECT_EQ(tails[0].runId, id_);
    EXPECT_EQ(tails[0].text, QStringLiteral("of the named run\n"));
    named.wantRun(id_);
    bench_.refresh(named);
    ASSERT_EQ(tails.size(), 2U) << "whoever asks again has nothing of it yet";
    named.wantRun({});
    bench_.refresh(named);
    ASSERT_EQ(tails.size(), 3U);
    EXPECT_TRUE(tails[2].runId.isEmpty());
}

}  // namespace
}  // namespace dasgd::gui
