#include "gui/figures/model/figure_spec.h"

#include <gtest/gtest.h>

#include <QJsonArray>
#include <QJsonDocument>

namespace dasgd::gui {
namespace {

std::string refusal(const QByteArray& fields) {
    const auto object = jsonObjectOf("{\"version\": 1, " + fields + "}", QStringLiteral("f.json"));
    if (!object) return object.error().message;
    const auto spec = figureSpecOf(*object);
    return spec ? std::string() : spec.error().message;
}

TEST(FigureSpec, APanelThatIsWrongIsNamedByItsPlace) {
    EXPECT_NE(refusal(R"("kind": "panels")").find("\"panels\": found 0; allowed 1 to 12"), std::string::npos);
    EXPECT_NE(refusal(R"("kind": "panels", "panels": [{"version": 1}, {"version": 1, "x": "weeks"}])")
                  .find("\"panels\", figure 2: \"x\": found \"weeks\""),
              std::string::npos);
    EXPECT_NE(refusal(R"("kind": "panels", "panels": [{"version": 1, "kind": "panels", "panels": [{"version": 1}]}])")
                  .find("no panels of its own"),
              std::string::npos);
    EXPECT_NE(refusal(R"("kind": "panels", "panels": [{"version": 1}], "filter": "a")").find("no such field"),
              std::string::npos);
}

TEST(FigureSpec, RowsAndKindsOfATimelineAreChecked) {
    EXPECT_EQ(refusal(R"("kind": "timeline", "ranks": 3)"), "") << "as older figures were written";
    EXPECT_NE(refusal(R"("kind": "timeline", "rank_rows": "0-x")").find("\"rank_rows\": found \"0-x\""),
              std::string::npos);
    EXPECT_NE(refusal(R"("kind": "timeline", "hidden_kinds": ["idle"])").find("\"hidden_kinds\": found \"idle\""),
              std::string::npos);
}

TEST(FigureSpec, EveryKindReadsWhatItWrites) {
    FigureSpec curves;
    curves.title = QStringLiteral("Convergence \"x\" \\input{y}");
    curves.filter = QStringLiteral("experiment = delay-sweep and delay >= 3");
    curves.metric = QStringLiteral("eval/accuracy");
    curves.x = XAxis::Wall;
    curves.smoothing = 0.9;
    curves.band = FigureBand::Interval95;
    curves.logY = false;
    curves.members = FigureMembers::AsFarAsAll;
    curves.lines = FigureLines::MeanAndSeeds;
    curves.xRange = FigureRange{0, 100};
    curves.palette = FigurePalette::TolBright;
    curves.markers = false;
    curves.names[QStringLiteral("dasgd d 3")] = QStringLiteral("DaSGD (d = 3)");
    curves.venue = QStringLiteral("acm");
    curves.width = FigureWidth::Column;
    curves.xLabel = QStringLiteral("steps");
    curves.yTicks = {0.5, 1, 2};
    curves.legend = FigureLegend::Inside;
    curves.legendColumns = 2;
    curves.order = QStringList{QStringLiteral("sync_sgd")};
    curves.labelPt = 9;
    FigureSpec timeline;
    timeline.kind = FigureKind::Timeline;
    timeline.runs = QStringList{QStringLiteral("20261122-a")};
    timeline.windowS = FigureRange{1.25, 1.5};
    timeline.ranks = 8;
    timeline.rankRows = QStringLiteral("12, 0-3, [rack 2: 4-11]");
    timeline.hiddenKinds = QStringList{QStringLiteral("forward"), QStringLiteral("skew")};
    timeline.widthIn = 4.25;
    timeline.eachRun = true;
    timeline.order = QStringList{QStringLiteral("dasgd"), QStringLiteral("sync_sgd")};
    FigureSpec scaling;
    scaling.kind = FigureKind::Scaling;
    scaling.scaling = Scaling::Strong;
    scaling.plot = ScalingPlot::TimeToTarget;
    scaling.target = QStringLiteral("accuracy=0.97");
    FigureSpec bars;
    bars.kind = FigureKind::Bars;
    bars.number = CompareNumber::SecondsToTarget;
    bars.target = QStringLiteral("loss=0.5");
    bars.band = FigureBand::None;
    bars.baseline = QStringLiteral("local_sgd");
    FigureSpec map;
    map.kind = FigureKind::Map;
    map.number = CompareNumber::SamplesPerS;
    map.rows = QStringLiteral("algorithm.period");
    map.columns = QStringLiteral("algorithm.delay");
    FigureSpec scatter;
    scatter.kind = FigureKind::Scatter;
    scatter.against = CompareNumber::MegabytesSent;
    scatter.yRange = FigureRange{0, 10};
    FigureSpec over;
    over.kind = FigureKind::Over;
    over.over = QStringLiteral("algorithm.delay");
    FigureSpec panels;
    panels.kind = FigureKind::Panels;
    panels.panels = {curves, timeline, scatter};
    panels.across = 1;
    panels.caption = QStringLiteral("Both");
    for (const FigureSpec& spec : {curves, timeline, scaling, bars, map, scatter, over, panels}) {
        const QByteArray text = QJsonDocument(jsonOf(spec)).toJson();
        const auto read = figureSpecOf(jsonObjectOf(text, QStringLiteral("f.json")).value());
        ASSERT_TRUE(read.has_value()) << read.error().message;
        EXPECT_TRUE(*read == spec) << text.toStdString();
    }
}

TEST(FigureSpec, AWrongFieldIsNamedWithWhatIsAllowed) {
    EXPECT_EQ(refusal(R"("kind": "curves")"), "");
    EXPECT_EQ(
        refusal(R"("kind": "parallel")"),
        "\"kind\": found \"parallel\"; allowed curves, timeline, scaling, bars, map, scatter, over, graph, panels");
    EXPECT_EQ(refusal(R"("smoothing": 1.5)"), "\"smoothing\": found 1.5; allowed 0 to 0.999");
    EXPECT_EQ(refusal(R"("log_y": "yes")"), "\"log_y\": found \"yes\"; allowed true, false");
    EXPECT_EQ(refusal(R"("x_range": [5, 5])"), "\"x_range\": found a list; allowed two rising numbers, as [0, 100]");
    EXPECT_EQ(refusal(R"("kind": "timeline", "ranks": 2.5)"),
              "\"ranks\": found 2.5; allowed whole numbers from 1 to 64");
    EXPECT_EQ(refusal(R"("runs": ["a", 3])"), "\"runs\": found 3; allowed a list of texts");
    EXPECT_NE(refusal(R"("venue": "nature")").find("allowed neurips, icml"), std::string::npos);
    EXPECT_NE(refusal(R"("colour": "red")").find("\"colour\": a figure of this kind has no such field; allowed"),
              std::string::npos);
    EXPECT_NE(refusal(R"("kind": "timeline", "metric": "train/loss")").find("\"metric\""), std::string::npos)
        << "a field of another kind would do nothing";
}

TEST(FigureSpec, AFileOfVersion1IsReadAsItWasDrawnAndHasNoLaterField) {
    const auto old = figureSpecOf({{QStringLiteral("version"), 1}});
    ASSERT_TRUE(old.has_value()) << old.error().message;
    EXPECT_EQ(old->members, FigureMembers::Finished);
    EXPECT_EQ(old->lines, FigureLines::Mean);
    EXPECT_EQ(jsonOf(*old)[QLatin1String("version")].toInt(), FigureSpec::kVersion);
    EXPECT_NE(refusal(R"("lines": "seeds")").find("\"lines\": a figure of version 1 has no such field"),
              std::string::npos);
    EXPECT_NE(refusal(R"("kind": "bars", "baseline": "dasgd")").find("version 2 has it"), std::string::npos);
    EXPECT_NE(refusal(R"("legend": "none")").find("version 3 has it"), std::string::npos);
}

TEST(FigureSpec, RanksAreOfWhatEachRankRecords) {
    const auto read = [](const char* metric, const char* lines) {
        return figureSpecOf({{QStringLiteral("version"), 2},
                             {QStringLiteral("metric"), QLatin1String(metric)},
                             {QStringLiteral("lines"), QLatin1String(lines)}});
    };
    EXPECT_TRUE(read("train/loss", "ranks").has_value());
    EXPECT_TRUE(read("eval/accuracy", "seeds").has_value());
    const auto whole = read("eval/accuracy", "ranks");
    ASSERT_FALSE(whole.has_value());
    EXPECT_NE(whole.error().message.find("\"lines\": found \"ranks\"; eval/accuracy is recorded of the whole run"),
              std::string::npos);
    EXPECT_NE(read("train/loss", "median").error().message.find("allowed mean, mean-and-seeds, seeds, ranks"),
              std::string::npos);
}

TEST(FigureSpec, WhatContradictsItselfIsRefused) {
    EXPECT_NE(refusal(R"("runs": ["a"], "filter": "b")").find("not both"), std::string::npos);
    EXPECT_NE(refusal(R"("dashes": false, "markers": false)").find("colour alone"), std::string::npos);
    EXPECT_NE(refusal(R"("kind": "scaling", "plot": "time-to-target")").find("\"target\""), std::string::npos);
    EXPECT_NE(refusal(R"("kind": "bars", "number": "time-to-target")").find("\"target\""), std::string::npos);
    EXPECT_NE(refusal(R"("kind": "scatter", "against": "time-to-target")").find("\"target\""), std::string::npos);
    EXPECT_NE(refusal(R"("kind": "map", "rows": "algorithm.delay")").find("neither"), std::string::npos);
    EXPECT_NE(refusal(R"("kind": "map", "rows": "a.b", "columns": "a.b")").find("two settings"), std::string::npos);
    EXPECT_NE(refusal(R"("kind": "scaling", "target": "speed=1")").find("\"target\""), std::string::npos);
}

TEST(FigureSpec, VersionAndSyntaxAreSaidWithTheirPlace) {
    EXPECT_NE(figureSpecOf({}).error().message.find("\"version\": absent"), std::string::npos);
    for (const QJsonValue& version : {QJsonValue(FigureSpec::kVersion + 1), QJsonValue(1.5), QJsonValue(0)}) {
        const auto spec = figureSpecOf({{QStringLiteral("version"), version}});
        ASSERT_FALSE(spec.has_value());
        EXPECT_NE(spec.error().message.find("reads versions 1 to 3. A newer program"), std::string::npos);
    }
    const auto broken = jsonObjectOf("{\n  \"kind\": curves\n}", QStringLiteral("f.json"));
    ASSERT_FALSE(broken.has_value());
    EXPECT_EQ(broken.error().message.rfind("f.json:2:", 0), 0U) << broken.error().message;
    EXPECT_FALSE(jsonObjectOf("[]", QStringLiteral("f.json")).has_value());
}

TEST(FigureSpec, TheWidthIsTheVenuesUnlessOneIsGiven) {
    FigureSpec spec;
    spec.venue = QStringLiteral("icml");
    EXPECT_EQ(spec.inchesWide(), 6.75);
    spec.width = FigureWidth::Column;
    EXPECT_EQ(spec.inchesWide(), 3.25);
    spec.widthIn = 4;
    EXPECT_EQ(spec.inchesWide(), 4);
}

}  // namespace
}  // namespace dasgd::gui
