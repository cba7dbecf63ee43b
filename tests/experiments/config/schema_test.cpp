// The schema as commands see it.
#include "experiments/config/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/schema/toml_reader.h"

namespace dasgd::experiments {
namespace {

TEST(Schema, DescribesEverySection) {
    std::vector<std::string> names;
    for (const SchemaSection& section : experimentSchema().sections) names.push_back(section.name);
    EXPECT_THAT(names,
                ::testing::IsSupersetOf({"algorithm", "model", "data", "train", "optimizer", "cluster", "record"}));
}

TEST(Schema, AnotherAlgorithmLeavesOutWhatItDoesNotRead) {
    const auto nameOnly = [](const char* name) {
        return parseToml("name = \"" + std::string(name) + "\"\n", "a").value();
    };
    Value document =
        parseToml("[algorithm]\nname = \"dpsgd\"\n[graph]\nname = \"line\"\n[train]\nsteps = 4\n", "f").value();
    EXPECT_THAT(unreadSections(document), ::testing::ElementsAre());
    setAlgorithm(document, nameOnly("oldsgd"));
    EXPECT_TRUE(document.find("graph"));
    setAlgorithm(document, nameOnly("local_sgd"));
    EXPECT_FALSE(document.find("graph"));
    EXPECT_TRUE(document.find("train"));
}

}  // namespace
}  // namespace dasgd::experiments
