// Several places of a file at once.
#include "experiments/config/cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/schema/toml_reader.h"
#include "experiments/config/sweep.h"
#include "tests/support/document.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<Case> cases(const std::string& text) { return expandCases(*parseToml(text, "f.toml")).value(); }

std::string errorOf(const std::string& text) {
    const auto laid = expandCases(*parseToml(text, "f.toml"));
    return laid ? "" : laid.error().message;
}

TEST(Cases, WithoutOneIsTheDocument) {
    const auto laid = cases("a = 1");
    ASSERT_EQ(laid.size(), 1U);
    EXPECT_EQ(laid[0].label, "");
    EXPECT_TRUE(test::sameData(laid[0].document, *parseToml("a = 1", "g.toml")));
}

TEST(Cases, MergeTablesAndReplaceTheRest) {
    const auto laid = cases(R"(
name = "all"
[cluster]
workers = 1
backend = "virtual"
[model]
hidden = [1, 2]
[[case]]
name = "large"
cluster.workers = 128
model = { hidden = [3] }
[[case]]
[case.train]
steps = 5
)");
    ASSERT_EQ(laid.size(), 2U);
    EXPECT_TRUE(test::sameData(laid[0].document, *parseToml(R"(
name = "large"
[cluster]
workers = 128
backend = "virtual"
[model]
hidden = [3]
)",
                                                            "g.toml")));
    EXPECT_EQ(laid[0].label, "case=large");
    EXPECT_EQ(laid[0].document.find("cluster")->find("workers")->position().prefix(), "f.toml:10:19: ");
    EXPECT_TRUE(test::sameData(laid[1].document, *parseToml(R"(
name = "all"
[cluster]
workers = 1
backend = "virtual"
[model]
hidden = [1, 2]
[train]
steps = 5
)",
                                                            "g.toml")));
    EXPECT_EQ(laid[1].label, "case=2") << "without a name of its own";
}

TEST(Cases, Nest) {
    const auto laid = cases(R"(
a = 0
[[case]]
name = "x"
a = 1
[[case.case]]
b = 2
[[case.case]]
name = "y"
a = 3
[[case]]
b = 4
)");
    std::vector<std::string> seen;
    for (const Case& each : laid) {
        const Value* b = each.document.find("b");
        seen.push_back(each.label + " a=" + each.document.find("a")->toToml() + " b=" + (b ? b->toToml() : "-"));
    }
    EXPECT_THAT(seen, ElementsAre("case=x/1 a=1 b=2", "case=x/y a=3 b=-", "case=2 a=0 b=4"));
}

TEST(Cases, HaveSweepsAndTakeWhatTheCommandLineSets) {
    const auto document = parseToml(R"(
[sweep]
"t.seed" = [1, 2]
[[case]]
t.x = 5
[[case]]
t.x = 6
sweep."t.y" = [7]
)",
                                    "f.toml");
    const auto labels = [&](const Overrides& overrides) {
        std::vector<std::string> all;
        const auto expanded = expandExperiments(*document, overrides).value();
        for (const auto& each : expanded) all.push_back(each.label);
        return all;
    };
    EXPECT_THAT(labels({}), ElementsAre("case=1, t.seed=1", "case=1, t.seed=2", "case=2, t.seed=1, t.y=7",
                                        "case=2, t.seed=2, t.y=7"));
    EXPECT_THAT(labels({{"t.seed=9"}, {}}), ElementsAre("case=1", "case=2, t.y=7"));
    const auto set = expandExperiments(*document, {{"t.x=9"}, {}}).value();
    for (const auto& each : set) EXPECT_EQ(each.document.find("t")->find("x")->toToml(), "9") << each.label;
}

TEST(Cases, RefuseWhatMakesNoSense) {
    EXPECT_THAT(errorOf("case = 3"), StartsWith("f.toml:1:8: case must be an array of tables"));
    EXPECT_THAT(errorOf("case = []"), HasSubstr("at least one [[case]]"));
    EXPECT_THAT(errorOf("case = [{}, 7]"), StartsWith("f.toml:1:13: a case must be a table"));
    std::string deep;
    std::string header = "case";
    for (int level = 0; level < 9; ++level, header += ".case") deep += "[[" + header + "]]\n";
    EXPECT_THAT(errorOf(deep), HasSubstr("more than 8 deep"));
}

}  // namespace
}  // namespace dasgd::experiments
