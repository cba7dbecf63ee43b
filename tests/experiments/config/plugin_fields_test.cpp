// Fields that are left over when a section's plug-in changes.
#include "experiments/config/plugin_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/schema/toml_reader.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SchemaPlugin plugin(const std::string& name, const std::vector<std::string>& fields) {
    SchemaPlugin made{.name = name};
    for (const std::string& field : fields) made.fields.push_back({.name = field});
    return made;
}

PluginFields twoSections() {
    return PluginFields(
        ExperimentSchema{{{.name = "algorithm",
                           .fields = {{.name = "name"}, {.name = "shared"}},
                           .plugins = {plugin("a", {"x", "y"}), plugin("b", {"y", "z"}), plugin("c", {"w"})}},
                          {.name = "optimizer",
                           .fields = {{.name = "name", .defaultToml = "\"sgd\""}},
                           .plugins = {plugin("sgd", {"momentum"}), plugin("adamw", {"beta"})}},
                          {.name = "train", .fields = {{.name = "steps"}}}}});
}

std::vector<std::string> leftOver(const std::string& text, const std::string& section,
                                  const std::vector<std::string>& others = {}) {
    return twoSections().leftOver(*parseToml(text, "f"), section, others);
}

TEST(PluginFields, AreThoseThatOnlyAnotherPluginKnows) {
    EXPECT_THAT(leftOver("[algorithm]\nname = \"a\"\nx = 1\ny = 1\nz = 1\nw = 1\nshared = 1\ntypo = 1\n", "algorithm"),
                ElementsAre("z", "w"));
    EXPECT_THAT(leftOver("[algorithm]\nname = \"a\"\nz = 1\nw = 1\n", "algorithm", {"a", "b"}), ElementsAre("z"));
}

TEST(PluginFields, GoByTheDefaultWhereTheSectionNamesNone) {
    EXPECT_THAT(leftOver("[optimizer]\nbeta = 1\nmomentum = 1\n", "optimizer"), ElementsAre("beta"));
}

TEST(PluginFields, LeaveEverythingElseToTheReader) {
    EXPECT_THAT(leftOver("[algorithm]\nname = \"unknown\"\nz = 1\n", "algorithm"), IsEmpty());
    EXPECT_THAT(leftOver("[algorithm]\nname = 3\nz = 1\n", "algorithm"), IsEmpty());
    EXPECT_THAT(leftOver("algorithm = 3\n", "algorithm"), IsEmpty());
    EXPECT_THAT(leftOver("[train]\nmomentum = 1\n", "train"), IsEmpty());
    EXPECT_THAT(twoSections().sections(), ElementsAre("algorithm", "optimizer"));
}

}  // namespace
}  // namespace dasgd::experiments
