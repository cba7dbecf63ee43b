// Reading TOML: places, order, limits, hostile input.
#include "core/base/schema/toml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temp_dir.h"

namespace dasgd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(TomlReader, KeepsOrderAndPlaces) {
    const auto root = parseToml("b = 1\n[z]\n  y = \"t\"\n  a = [1,\n    2.5]\n", "f.toml");
    ASSERT_TRUE(root) << root.error().message;
    EXPECT_EQ(root->as<Value::Table>()->at(0).first, "b");
    const Value* z = root->find("z");
    ASSERT_TRUE(z && z->isTable());
    EXPECT_EQ(z->as<Value::Table>()->at(0).first, "y");
    EXPECT_EQ(z->find("y")->position().prefix(), "f.toml:3:7: ");
    EXPECT_EQ(z->find("y")->keyPosition().prefix(), "f.toml:3:3: ");
    EXPECT_EQ(z->find("a")->as<Value::Array>()->at(1).position().prefix(), "f.toml:5:5: ");
    EXPECT_EQ(*z->find("a")->as<Value::Array>()->at(1).as<double>(), 2.5);
}

struct BadText {
    std::string text, message;
};
class BadToml : public ::testing::TestWithParam<BadText> {};

TEST_P(BadToml, IsRefusedAtItsPlace) {
    const auto root = parseToml(GetParam().text, "f.toml");
    ASSERT_FALSE(root);
    EXPECT_THAT(root.error().message, StartsWith(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Table, BadToml,
                         ::testing::Values(BadText{"a = 1\na = 2\n", "f.toml:2:"}, BadText{"a = \n", "f.toml:1:"},
                                           BadText{"[t]\nx = 1\n[t]\n", "f.toml:3:"},
                                           BadText{"a = 1979-05-27\n", "f.toml:1:5: a date"},
                                           BadText{"a = \"open\n", "f.toml:1:"},
                                           BadText{std::string("a = 1\0", 6), "f.toml:1:"},
                                           BadText{"a = \"\xff\"\n", "f.toml:1:"}, BadText{"\n\n  = 3", "f.toml:3:3"}));

TEST(TomlReader, BoundsNesting) {
    EXPECT_THAT(parseToml("a = " + std::string(100'000, '['), "f").error().message, HasSubstr("nested deeper"));
    std::string key = "a";
    for (int i = 0; i < 100'000; ++i) key += ".a";
    EXPECT_THAT(parseToml("\n" + key + " = 1", "f").error().message, StartsWith("f:2:48: nested deeper"));
    std::string inlineTables;
    for (int i = 0; i < 50'000; ++i) inlineTables += "{ a = ";
    EXPECT_THAT(parseToml("a = " + inlineTables, "f").error().message, HasSubstr("nested deeper"));
    EXPECT_TRUE(
        parseToml("a = \"" + std::string(1000, '[') + std::string(1000, '.') + "\" # " + std::string(500, '['), "f"));
    EXPECT_TRUE(
        parseToml("a = \"\"\"\n" + std::string(1000, '[') + "\n\"\"\"\nb = '" + std::string(90, '{') + "'", "f"));
}

TEST(TomlReader, BoundsSize) {
    EXPECT_TRUE(parseToml(std::string(kMaxTomlBytes, '\n'), "f"));
    EXPECT_THAT(parseToml(std::string(kMaxTomlBytes + 1, '\n'), "f").error().message, HasSubstr("1 MiB"));
    const test::TempDir folder;
    const auto large = folder.write("large.toml", std::string(2 << 20, '\n'));
    EXPECT_THAT(readTomlFile(large).error().message, HasSubstr("1 MiB"));
}

TEST(TomlReader, NamesFilesThatCannotBeRead) {
    const test::TempDir folder;
    EXPECT_THAT(readTomlFile(folder / "none.toml").error().message, HasSubstr("none.toml: no such"));
    EXPECT_THAT(readTomlFile(folder.path()).error().message, HasSubstr("is a folder"));
    // Opening it would wait for a writer that may never come.
    ASSERT_EQ(::mkfifo((folder / "fifo.toml").c_str(), 0600), 0);
    EXPECT_THAT(readTomlFile(folder / "fifo.toml").error().message, HasSubstr("fifo.toml: is no regular file"));
    EXPECT_THAT(readTomlFile("/dev/zero").error().message, HasSubstr("is no regular file"));
}

TEST(TomlReader, TakesArguments) {
    EXPECT_EQ(*parseArgument("8", "--set a=8")->as<std::int64_t>(), 8);
    EXPECT_EQ(*parseArgument("\"x\"", "")->as<std::string>(), "x");
    EXPECT_EQ(*parseArgument("dirichlet(0.5)", "")->as<std::string>(), "dirichlet(0.5)");
    EXPECT_TRUE(parseArgument("{name = \"dasgd\"}", "")->isTable());
    const auto value = parseArgument("[1, 2]", "--set a=[1, 2]");
    EXPECT_EQ(value->as<Value::Array>()->at(1).position().prefix(), "--set a=[1, 2]: ");
    for (const char* bad : {"", "1\nb = 2", "[1", "a b", "$(reboot)"}) EXPECT_FALSE(parseArgument(bad, "s")) << bad;
}

TEST(TomlReader, TakesKeyPaths) {
    EXPECT_THAT(*parseKeyPath("a.b-1.\"c d\"", {}), ElementsAre("a", "b-1", "c d"));
    for (const char* bad : {"", "a.", "a b", "a=1", "[a]", "a\n.b"}) EXPECT_FALSE(parseKeyPath(bad, {})) << bad;
}

}  // namespace
}  // namespace dasgd
