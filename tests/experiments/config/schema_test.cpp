// The schema as commands see it.
#include "experiments/config/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dasgd::experiments {
namespace {

TEST(Schema, DescribesEverySection) {
    std::vector<std::string> names;
    for (const SchemaSection& section : experimentSchema()) names.push_back(section.name);
    EXPECT_THAT(names,
                ::testing::IsSupersetOf({"algorithm", "model", "data", "train", "optimizer", "cluster", "record"}));
}

}  // namespace
}  // namespace dasgd::experiments
