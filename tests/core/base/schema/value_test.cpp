#include "core/base/schema/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/document.h"

namespace dasgd {
namespace {

SourcePosition at(const char* file, int line, int column) {
    return {.source = std::make_shared<const std::string>(file), .line = line, .column = column};
}

TEST(ValueTest, PositionsReadAsPeopleExpect) {
    EXPECT_EQ(at("a.toml", 7, 9).prefix(), "a.toml:7:9: ");
    EXPECT_EQ(at("--set", 0, 0).prefix(), "--set: ");
    EXPECT_EQ(SourcePosition{}.prefix(), "");
    EXPECT_EQ(Value(std::int64_t{1}, at("a.toml", 2, 3)).error("wrong").value().message, "a.toml:2:3: wrong");
}

TEST(ValueTest, AKeysPlaceIsTheValuesUnlessGiven) {
    Value value(true, at("a.toml", 2, 9));
    EXPECT_EQ(value.keyPosition().column, 9);
    value.setKeyPosition(at("a.toml", 2, 1));
    EXPECT_EQ(value.keyPosition().column, 1);
    EXPECT_EQ(value.position().column, 9);
}

TEST(ValueTest, TablesKeepTheirOrderAndReplace) {
    Value table;
    table.set("z", Value(std::int64_t{1}));
    table.set("a", Value(std::int64_t{2}));
    table.set("z", Value(std::int64_t{3}));
    EXPECT_EQ(table.toToml(), "{ z = 3, a = 2 }");
    EXPECT_EQ(*table.find("z")->as<std::int64_t>(), 3);
    EXPECT_EQ(table.find("b"), nullptr);
    EXPECT_TRUE(table.erase("z"));
    EXPECT_FALSE(table.erase("z"));
    EXPECT_EQ(table.toToml(), "{ a = 2 }");
    EXPECT_EQ(Value().toToml(), "{}");
}

TEST(ValueTest, ScalarsAreToml) {
    EXPECT_EQ(Value(true).toToml(), "true");
    EXPECT_EQ(Value(std::numeric_limits<std::int64_t>::min()).toToml(), "-9223372036854775808");
    EXPECT_EQ(Value(1.0).toToml(), "1.0");
    EXPECT_EQ(Value(0.1).toToml(), "0.1");
    EXPECT_EQ(Value(1e300).toToml(), "1e+300");
    EXPECT_EQ(Value(-INFINITY).toToml(), "-inf");
    EXPECT_EQ(Value(std::nan("")).toToml(), "nan");
    EXPECT_EQ(Value(std::string("a\"b\\c\n\x01é")).toToml(), "\"a\\\"b\\\\c\\n\\u0001é\"");
}

TEST(ValueTest, DocumentsHaveScalarsFirst) {
    Value root;
    Value section;
    section.set("x.y", Value(1.5));
    root.set("model", section);
    root.set("name", Value(std::string("run")));
    root.set("list", Value(Value::Array{Value(std::int64_t{1}), Value(std::int64_t{2})}));
    EXPECT_EQ(toTomlDocument(root), "name = \"run\"\nlist = [1, 2]\n\n[model]\n\"x.y\" = 1.5\n");
}

TEST(ValueTest, EqualityIsOfDataNotOfPlaces) {
    EXPECT_TRUE(test::sameData(Value(1.5, at("a", 1, 1)), Value(1.5, at("b", 2, 2))));
    EXPECT_FALSE(test::sameData(Value(1.0), Value(std::int64_t{1})));
}

TEST(ValueTest, TypesHaveTheirTomlNames) {
    EXPECT_EQ(Value(std::int64_t{1}).typeName(), "an integer");
    EXPECT_EQ(Value(Value::Array{}).typeName(), "an array");
    EXPECT_EQ(Value().typeName(), "a table");
    EXPECT_EQ(Value(std::string()).typeName(), "a string");
}

}  // namespace
}  // namespace dasgd
