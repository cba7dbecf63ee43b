#include "gui/figures/bundle/figure_bundle.h"

#include <gtest/gtest.h>

#include <QJsonDocument>

namespace dasgd::gui {
namespace {

TEST(FigureBundle, AFileIsOneFigureOfItsName) {
    const auto figures = figuresOf(R"({"version": 1, "filter": "dasgd"})", QStringLiteral("/x/loss over time.json"));
    ASSERT_TRUE(figures.has_value()) << figures.error().message;
    ASSERT_EQ(figures->size(), 1U);
    EXPECT_EQ(figures->front().name, QStringLiteral("loss-over-time"));
    EXPECT_EQ(figures->front().spec.filter, QStringLiteral("dasgd"));
}

TEST(FigureBundle, ARecordGivesBackTheRunsItWasMadeOf) {
    FigureSpec spec;
    spec.filter = QStringLiteral("dasgd");
    storage::RunRow row;
    row.runId = "run-1";
    FigureContent content;
    content.sources.push_back({.name = QStringLiteral("dasgd"), .runs = {makeRunItem(row)}, .drawn = {true}});
    const QJsonObject record = bundleRecord(
        {recordOf(content, {QStringLiteral("loss"), spec}, {QStringLiteral("/o/loss.pdf")}, QStringLiteral("/o"))},
        QStringLiteral("dasgd-lab figure x"));
    EXPECT_TRUE(record[QLatin1String("program")].toString().startsWith(QLatin1String("dasgd-lab 0.")));
    const auto figures = figuresOf(QJsonDocument(record).toJson(), QStringLiteral("figure.json"));
    ASSERT_TRUE(figures.has_value()) << figures.error().message;
    EXPECT_EQ(figures->front().name, QStringLiteral("loss"));
    EXPECT_EQ(figures->front().spec.runs, QStringList{QStringLiteral("run-1")});
    EXPECT_TRUE(figures->front().spec.filter.isEmpty()) << "what was recorded since is not in it";
}

TEST(FigureBundle, WrongFilesAreNamedWithTheField) {
    const auto refusal = [](const QByteArray& text) {
        return figuresOf(text, QStringLiteral("f.json")).error().message;
    };
    EXPECT_EQ(refusal(R"({"version": 1, "kind": "pie"})").rfind("f.json: \"kind\"", 0), 0U);
    EXPECT_EQ(
        refusal(R"({"version": 1, "figures": [{"spec": {"version": 1, "x": 3}}]})").rfind("f.json: \"figures\"", 0),
        0U);
    EXPECT_NE(refusal(R"({"version": 9, "figures": []})").find("newer"), std::string::npos);
    EXPECT_EQ(refusal("{").rfind("f.json:1:", 0), 0U);
}

}  // namespace
}  // namespace dasgd::gui
