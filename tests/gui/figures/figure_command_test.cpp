#include "gui/figures/figure_command.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(FigureCommand, WritesEveryFigureAndHowItWasMade) {
    Workspace workspace;
    const QString a = workspace.record({.steps = 60}), b = workspace.record({.algorithm = "sync_sgd", .steps = 60});
    const QTemporaryDir out;
    const auto options = parseFigureOptions(
        {QStringLiteral("--workspace"), QString::fromStdString(workspace.path().string()), QStringLiteral("--runs"),
         a + QLatin1Char(',') + b, QStringLiteral("--out"), out.filePath(QStringLiteral("deep/er"))});
    ASSERT_TRUE(options.has_value()) << options.error().message;
    const auto written = writeFigures(*options);
    ASSERT_TRUE(written.has_value()) << written.error().message;
    EXPECT_EQ(written->size(), 4 + 4 + 3 + 1);
    for (const QString& file : *written) EXPECT_GT(QFileInfo(file).size(), 200) << file.toStdString();
    QFile json(written->last());
    ASSERT_TRUE(json.open(QIODevice::ReadOnly));
    const QJsonDocument document = QJsonDocument::fromJson(json.readAll());
    EXPECT_EQ(document[QLatin1String("curves")][0][QLatin1String("runs")][0][QLatin1String("run_id")].toString(), a);
    EXPECT_EQ(
        document[QLatin1String("curves")][1][QLatin1String("runs")][0][QLatin1String("git_commit")].toString().size(),
        40);
    EXPECT_TRUE(
        document[QLatin1String("command")].toString().startsWith(QLatin1String("dasgd-lab figure --workspace")));
}

TEST(FigureCommand, NeverWritesOverFiguresThatAreThere) {
    Workspace workspace;
    const QString id = workspace.record({.steps = 20});
    const QTemporaryDir out;
    FigureOptions options{.workspace = workspace.path(), .runs = {id}, .out = out.path()};
    ASSERT_TRUE(writeFigures(options).has_value());
    QFile file(out.filePath(QStringLiteral("loss.csv")));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray before = file.readAll();
    options.smoothing = 0;
    const auto again = writeFigures(options);
    ASSERT_FALSE(again.has_value());
    EXPECT_NE(again.error().message.find("already there"), std::string::npos);
    file.seek(0);
    EXPECT_EQ(file.readAll(), before);
}

TEST(FigureCommand, WrongWordsAreSaid) {
    const auto refusal = [](const QStringList& words) {
        const auto options = parseFigureOptions(words);
        return options ? std::string() : options.error().message;
    };
    EXPECT_NE(refusal({}).find("--runs"), std::string::npos);
    EXPECT_NE(refusal({"--runs"}).find("a value is missing"), std::string::npos);
    EXPECT_NE(refusal({"--runs", "a"}).find("--out"), std::string::npos);
    EXPECT_NE(refusal({"--runs", "a", "--out", "b", "--colour", "red"}).find("--colour"), std::string::npos);
    EXPECT_NE(refusal({"--runs", "a", "--out", "b", "--smooth", "1.5"}).find("allowed 0 to 0.999"), std::string::npos);
    EXPECT_NE(refusal({"--runs", "a", "--out", "b", "--x", "hours"}).find("allowed step"), std::string::npos);
    EXPECT_NE(refusal({"--runs", "a", "--out", "b", "--window", "5,2"}).find("--window"), std::string::npos);
    EXPECT_EQ(refusal({"--runs", "a", "--out", "b", "--x", "wall", "--window", "1,2.5"}), "");
}

TEST(FigureCommand, AFolderWithoutAWorkspaceIsSaid) {
    const QTemporaryDir empty;
    const auto written = writeFigures(
        {.workspace = empty.path().toStdString() + "/none", .runs = {QStringLiteral("a")}, .out = empty.path()});
    ASSERT_FALSE(written.has_value());
    EXPECT_NE(written.error().message.find("none"), std::string::npos);
}

}  // namespace
}  // namespace dasgd::gui
