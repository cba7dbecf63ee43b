#include "core/base/schema/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dasgd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Shape {
    virtual ~Shape() = default;
    [[nodiscard]] virtual double area() const = 0;
};

struct SquareParams {
    double side = 2;
    void visit(auto&& f) { f(side, "side", {.min = 0, .unit = "m"}); }
};
struct Square final : Shape {
    explicit Square(const SquareParams& params) : side(params.side) {}
    [[nodiscard]] double area() const override { return side * side; }
    double side;
};
struct Point final : Shape {
    explicit Point(const NoParams&) {}
    [[nodiscard]] double area() const override { return 0; }
};

const Registry<Shape>::Add<Square, SquareParams> kSquare{"square", "Four equal sides", "Euclid"};
const Registry<Shape>::Add<Point> kPoint{"point", "Nothing"};

TEST(RegistryTest, KnowsWhatWasAdded) {
    EXPECT_THAT(Registry<Shape>::names(), ElementsAre("point", "square"));
    EXPECT_EQ(Registry<Shape>::find("circle"), nullptr);
    const auto* square = Registry<Shape>::find("square");
    ASSERT_NE(square, nullptr);
    EXPECT_EQ(square->summary, "Four equal sides");
    EXPECT_EQ(square->reference, "Euclid");
    ASSERT_EQ(square->fields.size(), 1U);
    EXPECT_EQ(square->fields[0].spec.unit, "m");
}

TEST(RegistryTest, MakesPluginsFromTheirOwnFields) {
    Value table;
    table.set("name", Value(std::string("square")));
    table.set("side", Value(3.0));
    const auto made = Registry<Shape>::find("square")->create(table, {"name"});
    ASSERT_TRUE(made);
    EXPECT_EQ((*made)->area(), 9.0);
    const auto resolved = Registry<Shape>::find("square")->resolve(Value(), {});
    ASSERT_TRUE(resolved);
    EXPECT_EQ(resolved->toToml(), "{ side = 2.0 }");
}

TEST(RegistryTest, RefusesWhatTheFieldsRefuse) {
    Value table;
    table.set("side", Value(-1.0));
    EXPECT_FALSE(Registry<Shape>::find("square")->create(table, {}));
    const auto unknown = Registry<Shape>::find("point")->create(table, {});
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().message, HasSubstr("unknown key 'side'"));
}

TEST(RegistryDeathTest, OneNameIsTakenOnce) {
    EXPECT_DEATH((Registry<Shape>::Add<Point>{"square", "again"}), "two plug-ins with one name");
}

}  // namespace
}  // namespace dasgd
