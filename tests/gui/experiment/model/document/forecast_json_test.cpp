#include "gui/experiment/model/document/forecast_json.h"

#include <gtest/gtest.h>

#include <QJsonDocument>

namespace dasgd::gui {
namespace {

PlanForecast read(const QByteArray& json) { return planForecastOf(QJsonDocument::fromJson(json).object()); }

TEST(ForecastJson, HasRoundsRemediesAndWords) {
    const PlanForecast forecast = read(R"({"first":1,"takes":"about 10 s","takes_from":"f","cases":[
        {"label":"x","why_not":"There is no formula for x.","round":null,"words":"There is no formula for x."},
        {"label":"d = 3","algorithm":"dasgd","runs":[1,2],"bytes":250000,"compute_from":"c","exchange_from":"e",
         "assumes":["All is well."],"warning":"w","doubt":"?","reason":"r","words":"all","runs_s":7.5,
         "remedy_settings":[{"symbol":"d","key":"algorithm.delay","toml":"5"}],"remedy_depends_on":["algorithm.delay"],
         "remedy":{"input":{"delay":5},"covered":null},
         "round":{"input":{"period":8,"delay":3,"compute_s":0.005,"exchange_s":0.022},"steps":8,"round_s":0.047,
          "step_s":0.006,"slowdown":1.2,"blocked_s":0.007,"covered":0.68,"steps_of_span":1,
          "spans":[{"kind":"transfer","lane":"comm","step":0,"steps":1,"start_s":0,"end_s":0.022},
                   {"kind":"of a later version","lane":"compute"}],
          "links":[{"launch_s":0,"use_s":0.022}]}}]})");
    EXPECT_EQ(forecast.first, 1);
    EXPECT_EQ(forecast.takes, "about 10 s");
    EXPECT_EQ(forecast.takesFrom, "f");
    ASSERT_EQ(forecast.cases.size(), 2U);
    EXPECT_FALSE(forecast.cases[0].known());
    EXPECT_EQ(forecast.cases[0].why, forecast.cases[0].words);
    EXPECT_FALSE(forecast.cases[0].seconds);
    const ForecastCase& one = forecast.cases[1];
    ASSERT_TRUE(one.known());
    EXPECT_EQ(one.runs, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(one.settings.at(0).toml, "5");
    EXPECT_EQ(one.assumes, std::vector<std::string>{"All is well."});
    EXPECT_EQ(one.seconds, 7.5);
    EXPECT_EQ(one.bytes, 250'000);
    EXPECT_EQ(one.remedy->input.delay, 5);
    EXPECT_FALSE(one.remedy->hidden);
    EXPECT_EQ(one.round->input.exchange.first, 0.022);
    EXPECT_EQ(one.round->hidden, 0.68);
    ASSERT_EQ(one.round->spans.size(), 2U);
    EXPECT_EQ(one.round->spans[0].kind, SpanKind::Transfer);
    EXPECT_EQ(one.round->spans[0].lane, Lane::Comm);
    EXPECT_EQ(one.round->links.at(0).use, 0.022);
}

TEST(ForecastJson, WhatIsMissingSaysNothing) {
    EXPECT_TRUE(read("{}").cases.empty());
    EXPECT_TRUE(read(R"({"cases":"none"})").cases.empty());
    EXPECT_FALSE(read(R"({"cases":[{}]})").cases.at(0).known());
}

}  // namespace
}  // namespace dasgd::gui
