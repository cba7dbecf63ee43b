#include "gui/experiment/model/document/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> namesOf(const std::vector<const FieldInfo*>& fields) {
    std::vector<std::string> names;
    for (const FieldInfo* field : fields) names.push_back(field->name);
    return names;
}

TEST(Schema, FieldsComeAsTheProgramDescribesThem) {
    const SchemaSection* algorithm = smallSchema().section("algorithm");
    ASSERT_NE(algorithm, nullptr);
    EXPECT_EQ(smallSchema().sectionNames().first(), QStringLiteral("algorithm"));
    EXPECT_THAT(namesOf(algorithm->fieldsOf("dasgd")),
                ElementsAre("name", "period", "delay", "local_weight", "optimizer_state"));
    EXPECT_THAT(namesOf(algorithm->fieldsOf("local_sgd")), ElementsAre("name", "period"));
    EXPECT_THAT(namesOf(algorithm->fieldsOf("unknown")), ElementsAre("name"));
    const FieldInfo& delay = *algorithm->fieldsOf("dasgd")[2];
    EXPECT_EQ(delay.spec.symbol, "d");
    EXPECT_EQ(delay.spec.unit, "steps");
    EXPECT_EQ(delay.defaultToml, "1");
    EXPECT_EQ(delay.spec.min, 0);
    const FieldInfo& link = smallSchema().section("cluster")->fields.back();
    EXPECT_TRUE(link.optional);
    ASSERT_EQ(link.children.size(), 2U);
    EXPECT_EQ(link.children[1].name, "latency");
    EXPECT_EQ(smallSchema().section("elsewhere"), nullptr);
}

TEST(Schema, RangesAreWords) {
    const auto fields = smallSchema().section("algorithm")->fieldsOf("dasgd");
    EXPECT_EQ(rangeInWords(*fields[1]), QStringLiteral("at least 1")) << "a bound against overflow is none";
    EXPECT_EQ(rangeInWords(*fields[3]), QStringLiteral("at least 0, below 1"));
    EXPECT_EQ(rangeInWords(*fields[4]), QStringLiteral("one of keep, reset, average"));
    EXPECT_EQ(rangeInWords(*smallSchema().section("optimizer")->fieldsOf("sgd")[1]), QStringLiteral("0 to 1"));
    EXPECT_EQ(rangeInWords(*fields[0]), QString());
}

TEST(Schema, WhatIsNoSchemaIsRefused) {
    for (const char* text : {"", "nonsense", "{}", "{\"sections\": []}"}) {
        EXPECT_FALSE(readSchema(text)) << text;
    }
}

}  // namespace
}  // namespace dasgd::gui
