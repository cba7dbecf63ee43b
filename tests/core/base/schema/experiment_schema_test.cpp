#include "core/base/schema/experiment_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dasgd {
namespace {

using ::testing::ElementsAre;

// One section with plug-ins, one that few algorithms read, one of some backends, and a field of every shape.
ExperimentSchema small() {
    const FieldInfo name{
        .name = "name", .type = "string", .defaultToml = "", .optional = false, .spec = {}, .children = {}};
    const FieldInfo delay{.name = "delay",
                          .type = "integer",
                          .defaultToml = "1",
                          .optional = false,
                          .spec = {.min = 0, .unit = "steps", .symbol = "d", .help = "Lag of the merge"},
                          .children = {}};
    const FieldInfo weight{.name = "local_weight",
                           .type = "float",
                           .defaultToml = "0.25",
                           .optional = false,
                           .spec = {.min = 0, .max = 1, .maxOpen = true},
                           .children = {}};
    const FieldInfo backend{.name = "backend",
                            .type = "string",
                            .defaultToml = "\"gloo\"",
                            .optional = false,
                            .spec = {.choices = {"gloo", "virtual"}},
                            .children = {}};
    const FieldInfo link{
        .name = "link", .type = "table", .defaultToml = "", .optional = true, .spec = {}, .children = {name, delay}};
    return {{{.name = "algorithm",
              .fields = {name, backend},
              .plugins = {{.name = "dasgd",
                           .summary = "Late",
                           .reference = "arXiv 1",
                           .fields = {delay, weight},
                           .reads = {"graph"}},
                          {.name = "local_sgd", .summary = "On time"}}},
             {.name = "graph", .fields = {name}},
             {.name = "network", .fields = {name}, .backends = {"virtual"}},
             {.name = "cluster", .fields = {backend, link}}}};
}

std::vector<std::string> namesOf(const std::vector<const FieldInfo*>& fields) {
    std::vector<std::string> names;
    for (const FieldInfo* field : fields) names.push_back(field->name);
    return names;
}

TEST(ExperimentSchema, FieldsOfAPluginStandBetweenItsNameAndTheCommonOnes) {
    const ExperimentSchema schema = small();
    const SchemaSection& algorithm = *schema.section("algorithm");
    EXPECT_THAT(namesOf(algorithm.fieldsOf("dasgd")), ElementsAre("name", "delay", "local_weight", "backend"));
    EXPECT_THAT(namesOf(algorithm.fieldsOf("local_sgd")), ElementsAre("name", "backend"));
    EXPECT_THAT(namesOf(algorithm.fieldsOf("unknown")), ElementsAre("name", "backend"));
    EXPECT_EQ(algorithm.plugin("dasgd")->field("delay")->spec.symbol, "d");
    EXPECT_EQ(algorithm.plugin("dasgd")->field("backend"), nullptr);
    EXPECT_EQ(schema.section("elsewhere"), nullptr);
    EXPECT_THAT(schema.sectionNames(), ElementsAre("algorithm", "graph", "network", "cluster"));
}

TEST(ExperimentSchema, SectionsThatAreNotReadFollowFromAlgorithmAndBackend) {
    EXPECT_THAT(small().sectionsUnreadBy("local_sgd"), ElementsAre("graph"));
    EXPECT_THAT(small().sectionsUnreadBy("dasgd"), ElementsAre());
    EXPECT_THAT(small().sectionsUnreadBy("unknown"), ElementsAre());
    EXPECT_THAT(small().sectionsRefusedBy("gloo"), ElementsAre("network"));
    EXPECT_THAT(small().sectionsRefusedBy("virtual"), ElementsAre());
}

TEST(ExperimentSchema, ComesBackFromItsJson) {
    const std::string json = schemaJson(small());
    const auto read = readSchema(json);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(schemaJson(*read), json);
    const FieldInfo& weight = *read->section("algorithm")->plugin("dasgd")->field("local_weight");
    EXPECT_EQ(weight.spec.max, 1);
    EXPECT_TRUE(weight.spec.maxOpen);
    EXPECT_FALSE(weight.spec.minOpen);
    const FieldInfo& link = *read->section("cluster")->field("link");
    EXPECT_TRUE(link.optional);
    ASSERT_EQ(link.children.size(), 2u);
    EXPECT_EQ(link.children[1].spec.unit, "steps");
    EXPECT_EQ(fieldsJson(read->section("graph")->fields), fieldsJson(small().section("graph")->fields));
}

TEST(ExperimentSchema, TextWithoutSectionsIsRefused) {
    for (const char* text :
         {"", "nonsense", "{}", R"({"sections": []})", R"({"sections": 3})", R"({"sections": [{"name": 1}]})"}) {
        EXPECT_FALSE(readSchema(text)) << text;
    }
}

TEST(ExperimentSchema, RangesAreWords) {
    EXPECT_EQ(rangeInWords({.min = 1, .max = 1e9}), "at least 1") << "a bound against overflow is none";
    EXPECT_EQ(rangeInWords({.min = 0, .max = 1, .maxOpen = true}), "at least 0, below 1");
    EXPECT_EQ(rangeInWords({.min = 0, .max = 2.5}), "0 to 2.5");
    EXPECT_EQ(rangeInWords({.min = 0, .minOpen = true}), "above 0");
    EXPECT_EQ(rangeInWords({.max = 4}), "at most 4");
    EXPECT_EQ(rangeInWords({.choices = {"keep", "reset"}}), "one of keep, reset");
    EXPECT_EQ(rangeInWords({}), "");
}

}  // namespace
}  // namespace dasgd
