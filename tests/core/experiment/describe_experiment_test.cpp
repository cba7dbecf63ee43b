// The schema that `dasgd describe` prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/experiment/experiment.h"
#include "tests/support/document.h"
#include "tests/support/small_experiments.h"

namespace dasgd {
namespace {

using test::minimal;
using test::table;
using test::text;
using testing::ElementsAre;

TEST(DescribeTest, NamesEverySectionWithItsPlugins) {
    std::vector<std::string> names;
    for (const SchemaSection& info : describeExperiment().sections) {
        names.push_back(info.name);
        EXPECT_FALSE(info.fields.empty()) << info.name;
    }
    EXPECT_THAT(names, ElementsAre("algorithm", "graph", "compression", "model", "data", "train", "optimizer",
                                   "schedule", "cluster", "network", "compute", "faults", "record"));
}

TEST(DescribeTest, SaysWhichAlgorithmsReadASectionThatOthersDoNot) {
    EXPECT_THAT(sectionsReadBy("dpsgd"), ElementsAre("graph", "compression"));
    EXPECT_THAT(sectionsReadBy("sync_sgd"), ElementsAre("compression"));
    EXPECT_THAT(sectionsUnreadBy("dpsgd"), ElementsAre());
    EXPECT_THAT(sectionsUnreadBy("sync_sgd"), ElementsAre("graph"));
    EXPECT_THAT(sectionsUnreadBy("none"), ElementsAre()) << "its name is at fault";
    const ExperimentSchema schema = describeExperiment();
    for (const SchemaPlugin& plugin : schema.section("algorithm")->plugins) {
        EXPECT_EQ(plugin.reads, sectionsReadBy(plugin.name)) << plugin.name;
    }
}

// `describe` announces what reading accepts: the defaults it prints, written into a document, change nothing.
TEST(DescribeTest, AnnouncedDefaultsAreTheOnesInForce) {
    Value document = minimal();
    document.set("cluster", table({{"backend", text("virtual")}}));
    document.set("faults", table({}));  // a section that may be absent
    const auto resolved = readExperiment(document).value().resolved;
    for (const SchemaSection& info : describeExperiment().sections) {
        if (!resolved.find(info.name)) continue;  // the algorithm mixes over no graph
        std::vector<FieldInfo> fields = info.fields;
        for (const auto& plugin : info.plugins) {
            if (plugin.name != *resolved.find(info.name)->find("name")->as<std::string>()) continue;
            fields.insert(fields.end(), plugin.fields.begin(), plugin.fields.end());
        }
        for (const FieldInfo& field : fields) {
            const Value* value = resolved.find(info.name)->find(field.name);
            // A table may be absent; a plug-in may have no default; a document without epochs and steps has one epoch.
            if (field.optional || field.defaultToml.empty() || field.name == "epochs" || field.name == "backend")
                continue;
            ASSERT_TRUE(value) << info.name << "." << field.name;
            EXPECT_EQ(value->toToml(), field.defaultToml) << info.name << "." << field.name;
        }
    }
}

}  // namespace
}  // namespace dasgd
