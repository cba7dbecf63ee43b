#include "experiments/run/record/stored_schema.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/base/schema/toml_reader.h"
#include "experiments/config/checked_experiment.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

TEST(StoredSchema, NamesTheSettingsOfTheChosenPlugInsOnly) {
    const auto checked = checkExperiment(parseToml(test::quickExperiment(), "quick.toml").value());
    ASSERT_TRUE(checked) << checked.error().message;
    std::map<std::string, nlohmann::json> byKey;
    for (const nlohmann::json& field : nlohmann::json::parse(storedSchema(checked->resolved))) {
        byKey[field["key"]] = field;
    }
    EXPECT_EQ(byKey.at("algorithm.period")["symbol"], "τ");
    EXPECT_EQ(byKey.at("algorithm.delay")["symbol"], "d");
    EXPECT_EQ(byKey.at("algorithm.delay")["unit"], "steps");
    EXPECT_EQ(byKey.at("algorithm.correction")["default"], "0.0");
    EXPECT_EQ(byKey.at("optimizer.learning_rate")["symbol"], "η");
    EXPECT_EQ(byKey.at("cluster.workers")["symbol"], "P");
    EXPECT_FALSE(byKey.contains("algorithm.groups")) << "of hybrid_sgd";
    EXPECT_FALSE(byKey.contains("optimizer.beta1")) << "of adamw";
    EXPECT_FALSE(byKey.contains("algorithm.name")) << "it has neither symbol nor unit";
}

}  // namespace
}  // namespace dasgd::experiments
