#include "core/base/schema/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/document.h"

namespace dasgd {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Inner {
    std::string bandwidth = "1Gbps";
    void visit(auto&& f) { f(bandwidth, "bandwidth", {.help = "Of the link"}); }
};

struct Params {
    std::int64_t period = 4;
    double weight = 0.5;
    bool on = false;
    std::string mode = "iid";
    std::vector<double> start = {};
    std::vector<std::vector<double>> matrix = {};
    std::optional<Inner> link = std::nullopt;
    void visit(auto&& f) {
        f(period, "period", {.min = 1, .max = 64, .unit = "steps", .symbol = "τ", .help = "Steps between averages"});
        f(weight, "weight", {.min = 0, .max = 1, .minOpen = true});
        f(on, "on", {});
        f(mode, "mode", {.choices = {"iid", "by-label"}});
        f(start, "start", {});
        f(matrix, "matrix", {});
        f(link, "link", {});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (mode == "by-label" && period > 8) return FieldError{"period", "by-label wants short periods"};
        return std::nullopt;
    }
};

SourcePosition at(int line, int column) {
    return {.source = std::make_shared<const std::string>("e.toml"), .line = line, .column = column};
}

Value tableOf(const std::string& key, Value value) {
    Value table;
    table.set(key, std::move(value));
    return table;
}

std::string messageOf(const Value& table) {
    Params params;
    const Status read = readFields(table, params);
    return read ? "accepted" : read.error().message;
}

TEST(FieldsTest, DescribesWhatTheVisitSays) {
    const auto fields = describeFields<Params>();
    ASSERT_EQ(fields.size(), 7U);
    EXPECT_EQ(fields[0].name, "period");
    EXPECT_EQ(fields[0].type, "integer");
    EXPECT_EQ(fields[0].defaultToml, "4");
    EXPECT_EQ(fields[0].spec.symbol, "τ");
    EXPECT_EQ(fields[5].type, "matrix");
    EXPECT_EQ(fields[6].type, "table");
    EXPECT_TRUE(fields[6].optional);
    ASSERT_EQ(fields[6].children.size(), 1U);
    EXPECT_EQ(fields[6].children[0].defaultToml, "\"1Gbps\"");
}

TEST(FieldsTest, ReadsOverTheDefaults) {
    Value table;
    table.set("period", Value(std::int64_t{8}));
    table.set("weight", Value(std::int64_t{1}));  // an integer where a float is asked for
    table.set("matrix", Value(Value::Array{Value(Value::Array{Value(1.0), Value(2.0)})}));
    table.set("link", tableOf("bandwidth", Value(std::string("200Mbps"))));
    Params params;
    ASSERT_TRUE(readFields(table, params));
    EXPECT_EQ(params.period, 8);
    EXPECT_EQ(params.weight, 1.0);
    EXPECT_EQ(params.mode, "iid");
    EXPECT_THAT(params.matrix, ElementsAre(ElementsAre(1.0, 2.0)));
    ASSERT_TRUE(params.link);
    EXPECT_EQ(params.link->bandwidth, "200Mbps");
}

TEST(FieldsTest, BoundsAreKept) {
    const auto period = [](std::int64_t v) { return messageOf(tableOf("period", Value(v, at(7, 9)))); };
    EXPECT_EQ(period(1), "accepted");
    EXPECT_EQ(period(64), "accepted");
    EXPECT_EQ(period(0), "e.toml:7:9: period is 0; allowed: >= 1 and <= 64 steps");
    EXPECT_THAT(period(65), StartsWith("e.toml:7:9: period is 65"));
    EXPECT_THAT(messageOf(tableOf("weight", Value(0.0))), HasSubstr("> 0.0 and <= 1.0"));
    EXPECT_EQ(messageOf(tableOf("weight", Value(1.0))), "accepted");
    EXPECT_THAT(messageOf(tableOf("weight", Value(std::nan("")))), HasSubstr("finite"));
}

TEST(FieldsTest, WrongTypesSayWhatWasFound) {
    EXPECT_THAT(messageOf(tableOf("period", Value(std::string("four"), at(2, 10)))),
                AllOf(StartsWith("e.toml:2:10: period must be an integer"), HasSubstr("\"four\"")));
    EXPECT_THAT(messageOf(tableOf("period", Value(4.0))), HasSubstr("must be an integer"));
    EXPECT_THAT(messageOf(tableOf("on", Value(std::int64_t{1}))), HasSubstr("true or false"));
    EXPECT_THAT(messageOf(tableOf("start", Value(1.0))), HasSubstr("must be an array"));
    EXPECT_THAT(messageOf(tableOf("link", Value(1.0))), HasSubstr("must be a table"));
    EXPECT_THAT(messageOf(tableOf("mode", Value(std::string("random")))), HasSubstr("allowed: iid, by-label"));
}

TEST(FieldsTest, UnknownKeysNameTheNearest) {
    Value value(std::int64_t{4});
    value.setKeyPosition(at(3, 1));
    EXPECT_THAT(messageOf(tableOf("peroid", value)),
                AllOf(StartsWith("e.toml:3:1: unknown key 'peroid'"), HasSubstr("did you mean 'period'?")));
    EXPECT_THAT(messageOf(tableOf("zzzzzzzz", value)), ::testing::Not(HasSubstr("did you mean")));
    Params params;
    EXPECT_TRUE(readFields(tableOf("name", Value(std::string("dasgd"))), params, {"name"}));
    Value inner = tableOf("bandwith", Value(std::string("1Gbps")));
    EXPECT_THAT(messageOf(tableOf("link", inner)), HasSubstr("did you mean 'bandwidth'?"));
}

TEST(FieldsTest, ConstraintsAcrossFieldsPointAtOne) {
    Value table;
    table.set("mode", Value(std::string("by-label")));
    table.set("period", Value(std::int64_t{9}, at(5, 3)));
    EXPECT_EQ(messageOf(table), "e.toml:5:3: by-label wants short periods");
}

TEST(FieldsTest, WhatIsWrittenReadsBackTheSame) {
    Params params{.period = 7, .weight = 0.1, .start = {1, 2}, .link = Inner{"5Mbps"}};
    const Value written = writeFields(params);
    Params back;
    ASSERT_TRUE(readFields(written, back));
    EXPECT_TRUE(test::sameData(writeFields(back), written));
    EXPECT_EQ(writeFields(Params{}).find("link"), nullptr);
}

}  // namespace
}  // namespace dasgd
