#include "gui/experiment/model/document/dry_run.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <QFile>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"
#include "tests/support/paths.h"

namespace dasgd::gui {
namespace {

class DryRunTest : public ::testing::Test {
protected:
    QString program(const QByteArray& script) {
        QFile file(folder_.filePath(QStringLiteral("dasgd")));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write("#!/bin/sh\n" + script);
        file.setPermissions(file.permissions() | QFile::ExeOwner);
        return file.fileName();
    }
    // The one answer to a question that was asked.
    DryRunResult answer(DryRun& dryRun) {
        std::vector<DryRunResult> answers;
        connection_ = QObject::connect(&dryRun, &DryRun::answered, &dryRun,
                                       [&](const DryRunResult& result) { answers.push_back(result); });
        EXPECT_TRUE(eventually([&] { return !answers.empty(); }));
        QObject::disconnect(connection_);
        return answers.empty() ? DryRunResult{} : answers.front();
    }
    [[nodiscard]] QByteArray calls() const {
        QFile file(folder_.filePath(QStringLiteral("calls")));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QTemporaryDir folder_;
    QMetaObject::Connection connection_;
};

TEST(ReadDryRun, PlaceAndMessageComeFromWhatTheProgramSays) {
    const auto problem =
        readDryRun({}, "dasgd: /t/a b.toml:25:12: momentum is 1.9; allowed: <= 1.0\n", 2, "/t/a b.toml").problem;
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->line, 25);
    EXPECT_EQ(problem->column, 12);
    EXPECT_EQ(problem->message, QStringLiteral("momentum is 1.9; allowed: <= 1.0"));
    EXPECT_EQ(readDryRun({}, "dasgd: /t/a.toml: no algorithm is named\n", 2, "/t/a.toml").problem->message,
              QStringLiteral("no algorithm is named"));
    EXPECT_EQ(readDryRun({}, "dasgd: out of memory\n", 1, "/t/a.toml").problem->message,
              QStringLiteral("out of memory"));
    EXPECT_TRUE(readDryRun({}, {}, 139, "/t/a.toml").problem->message.contains(QLatin1String("139")));
}

TEST(ReadDryRun, ALineIsARun) {
    const auto result = readDryRun(
        "{\"label\":\"algorithm.delay=1\",\"algorithm\":\"dasgd\",\"steps\":315,\"parameters\":61706,\"workers\":2}\n"
        "{\"label\":\"algorithm.delay=2\",\"algorithm\":\"dasgd\",\"steps\":315,\"parameters\":61706,\"workers\":2}\n",
        {}, 0, "/t/a.toml");
    EXPECT_FALSE(result.problem);
    ASSERT_EQ(result.runs.size(), 2U);
    EXPECT_EQ(result.runs[1].label, QStringLiteral("algorithm.delay=2"));
    EXPECT_EQ(result.runs[1].steps, 315);
    EXPECT_EQ(result.runs[0].workers, 2);
    EXPECT_EQ(result.total, 2);
    const auto huge = readDryRun(QByteArray("{\"label\":\"x\"}\n").repeated(100'000), {}, 0, "/t/a.toml");
    EXPECT_EQ(huge.total, 100'000);
    EXPECT_EQ(huge.runs.size(), DryRunResult::kMostRead);
}

TEST(ReadDryRun, TheForecastBehindTheRunsIsReadHoweverManyThereAre) {
    const QByteArray forecast = R"({"forecast":{"takes":"about 10 s","cases":[{"label":"d = 3"}]}})";
    for (const int runs : {1, 1000}) {
        const auto result =
            readDryRun(QByteArray("{\"label\":\"x\"}\n").repeated(runs) + forecast + '\n', {}, 0, "/t/a.toml");
        EXPECT_EQ(result.total, runs);
        ASSERT_EQ(result.forecast.cases.size(), 1U);
        EXPECT_EQ(result.forecast.takes, "about 10 s");
    }
}

TEST_F(DryRunTest, TheForecastTakesWhatTheWorkspaceHasMeasured) {
    DryRun dryRun(program("printf '{\"label\":\"%s\"}' \"$*\"\n"));
    dryRun.askNow(QStringLiteral("n = 1\n"), {});
    EXPECT_TRUE(answer(dryRun).runs.at(0).label.endsWith(QStringLiteral("--dry-run --json")));
    dryRun.setSources(QStringLiteral("my lab"), QStringLiteral("run-1"));
    dryRun.askNow(QStringLiteral("n = 1\n"), {});
    EXPECT_TRUE(
        answer(dryRun).runs.at(0).label.endsWith(QStringLiteral("--json --workspace my lab --forecast-from run-1")));
}

TEST_F(DryRunTest, TheTextIsCheckedAsAFileAndTheErrorNamesItsKey) {
    DryRun dryRun(
        program("grep -n momentum \"$2\" >/dev/null && [ \"$3 $4\" = '--dry-run --json' ] || exit 9\n"
                "echo \"dasgd: $2:2:12: momentum is 1.9\" >&2; exit 2\n"));
    dryRun.askNow(QStringLiteral("[optimizer]\nmomentum = 1.9\n"), {});
    EXPECT_TRUE(dryRun.isAsking());
    const DryRunResult result = answer(dryRun);
    EXPECT_FALSE(dryRun.isAsking());
    ASSERT_TRUE(result.problem);
    EXPECT_EQ(result.problem->inWords(), QStringLiteral("2:12  momentum is 1.9"));
    EXPECT_EQ(result.problem->key, QStringLiteral("optimizer.momentum"));
}

TEST_F(DryRunTest, OnlyTheLastOfManyChangesIsAsked) {
    DryRun dryRun(program("cat \"$2\" >>\"$(dirname \"$0\")/calls\"\necho '{\"steps\":1}'\n"));
    for (int i = 0; i < 20; ++i) dryRun.ask(QStringLiteral("n = %1\n").arg(i), {});
    EXPECT_EQ(answer(dryRun).runs.size(), 1U);
    EXPECT_EQ(calls(), "n = 19\n");
}

TEST_F(DryRunTest, ANewerQuestionEndsTheOlder) {
    DryRun dryRun(program("grep -q slow \"$2\" && exec sleep 30\necho '{\"label\":\"new\"}'\n"));
    dryRun.askNow(QStringLiteral("slow = 1\n"), {});
    QTest::qWait(200);
    dryRun.askNow(QStringLiteral("fast = 1\n"), {});
    const DryRunResult result = answer(dryRun);
    ASSERT_EQ(result.runs.size(), 1U);
    EXPECT_EQ(result.runs[0].label, QStringLiteral("new"));
    dryRun.ask(QStringLiteral("slow = 2\n"), {});
    dryRun.cancel();
    EXPECT_FALSE(dryRun.isAsking());
}

TEST_F(DryRunTest, AProgramThatNeverAnswersIsEnded) {
    DryRun dryRun(program("echo $$ >\"$(dirname \"$0\")/calls\"\nexec sleep 300\n"), 4000);
    dryRun.askNow(QStringLiteral("name = \"x\"\n"), {});
    const DryRunResult result = answer(dryRun);
    ASSERT_TRUE(result.problem);
    EXPECT_TRUE(result.problem->message.contains(QLatin1String("no answer for 4 s")));
    EXPECT_FALSE(dryRun.isAsking());
    const int process = calls().trimmed().toInt();
    ASSERT_GT(process, 0);
    EXPECT_TRUE(eventually([&] { return ::kill(process, 0) != 0; }));
}

TEST_F(DryRunTest, FilesThatTheTextNamesLieBesideIt) {
    QFile data(folder_.filePath(QStringLiteral("net.xml")));
    ASSERT_TRUE(data.open(QIODevice::WriteOnly));
    data.write("mine");
    data.close();
    DryRun dryRun(program("printf '{\"label\":\"%s\"}' \"$(cat \"$(dirname \"$2\")\"/*.xml | head -c 5)\"\n"));
    dryRun.askNow(QStringLiteral("file = \"net.xml\"\n"), folder_.path());
    EXPECT_EQ(answer(dryRun).runs.at(0).label, QStringLiteral("mine"));
    dryRun.askNow(QStringLiteral("file = \"two-racks.xml\"\n"), QStringLiteral(":/suites"));
    EXPECT_EQ(answer(dryRun).runs.at(0).label, QStringLiteral("<?xml"));
}

// A text may name anything, also the file that it came from: typing on must not write to it.
TEST_F(DryRunTest, NoFileThatTheTextNamesIsWrittenTo) {
    QFile mine(folder_.filePath(QStringLiteral("experiment.toml")));
    ASSERT_TRUE(mine.open(QIODevice::WriteOnly) && mine.write("mine") > 0);
    mine.close();
    DryRun dryRun(program("echo '{\"label\":\"checked\"}'\nln -sfn \"$(dirname \"$0\")/experiment.toml\" \"$2\"\n"));
    for (int turn = 0; turn < 3; ++turn) {
        dryRun.askNow(QStringLiteral("# from \"experiment.toml\", change %1\n").arg(turn), folder_.path());
        EXPECT_EQ(answer(dryRun).runs.at(0).label, QStringLiteral("checked"));
    }
    ASSERT_TRUE(mine.open(QIODevice::ReadOnly));
    EXPECT_EQ(mine.readAll(), "mine");
}

TEST_F(DryRunTest, AMissingProgramIsAProblem) {
    DryRun dryRun(folder_.filePath(QStringLiteral("no-such")));
    dryRun.askNow(QStringLiteral("name = \"x\"\n"), {});
    const DryRunResult result = answer(dryRun);
    ASSERT_TRUE(result.problem);
    EXPECT_TRUE(result.problem->message.contains(QLatin1String("no-such"))) << result.problem->message.toStdString();
}

// Builds with the engine check that what it prints can be read here.
TEST_F(DryRunTest, TheEngineAnswersAsItIsRead) {
    if (std::string(test::kProgram).empty()) return;
    DryRun dryRun(QString::fromUtf8(test::kProgram));
    const QString text = QStringLiteral(
        "name = \"x\"\n[algorithm]\nname = \"dasgd\"\n[model]\nname = \"lenet\"\n[train]\nsteps = 8\n[optimizer]\n"
        "momentum = 0.9\n[sweep]\n\"algorithm.delay\" = [1, 2]\n");
    dryRun.askNow(text, {});
    const DryRunResult good = answer(dryRun);
    EXPECT_FALSE(good.problem) << good.problem->message.toStdString();
    EXPECT_EQ(good.runs.size(), 2U);
    ASSERT_EQ(good.forecast.cases.size(), 2U);
    EXPECT_EQ(good.forecast.cases[1].label, "d = 2");
    EXPECT_NE(good.forecast.cases[1].why.find("No run has timed this step yet"), std::string::npos);
    dryRun.askNow(QString(text).replace("0.9", "1.9"), {});
    const DryRunResult bad = answer(dryRun);
    ASSERT_TRUE(bad.problem);
    EXPECT_EQ(bad.problem->line, 9);
    EXPECT_EQ(bad.problem->key, QStringLiteral("optimizer.momentum"));
}

TEST(DryRun, ACaseOfASweepIsSaidWhereItHasToDoWithTheError) {
    const QString batch = QStringLiteral("batch_size is -5; allowed: >= 1"), key = QStringLiteral("train.batch_size");
    const QString ofCase = QStringLiteral(" (in the sweep: algorithm=sync_sgd bucket_mb=25.0, train.seed=1)");
    EXPECT_EQ(withoutForeignCase(batch + ofCase, key, {"algorithm", "train.seed"}), batch);
    EXPECT_EQ(withoutForeignCase(batch + ofCase, key, {"train.batch_size"}), batch + ofCase) << "it is swept";
    EXPECT_EQ(withoutForeignCase(batch + ofCase, QString(), {"train.seed"}), batch + ofCase) << "nobody knows where";
    const QString delay = QStringLiteral("delay is 9; allowed 0..period (4) steps (in the sweep: algorithm.period=4)");
    EXPECT_EQ(withoutForeignCase(delay, QStringLiteral("algorithm.delay"), {"algorithm.period"}), delay);
    EXPECT_EQ(withoutForeignCase(batch, key, {"train.seed"}), batch);
}

}  // namespace
}  // namespace dasgd::gui
