#include <gmock/gmock.h>

#include "core/experiment/plan_experiment.h"
#include "core/train/data/count_flops.h"
#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/sim/networks.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<Model> build(const Value& layers) {
    auto model = createModel("layer_table", layers);
    EXPECT_TRUE(model->build({.timeOnly = true}));
    return model;
}

std::string refused(Fields fields) {
    const auto made = ModelRegistry::find("layer_table")->create(table(std::move(fields)), {});
    return made ? "" : made.error().message;
}

TEST(LayerTable, HasTheWeightsAndTheWorkOfItsRows) {
    const auto model =
        build(table({{"conv", matrix({{3, 8, 5, 20, 10}, {8, 16, 3, 7, 9}})}, {"dense", matrix({{30, 12}})}}));
    std::vector<std::int64_t> sizes;
    for (const at::Tensor& parameter : model->module().parameters()) sizes.push_back(parameter.numel());
    EXPECT_THAT(sizes, ElementsAre(3 * 8 * 25, 8 * 16 * 9, 30 * 12));
    const LayerWork work = countFlops(*model, {}, 1);
    const double first = 2.0 * 600 * 20 * 10, second = 2.0 * 1152 * 7 * 9, third = 2.0 * 360;
    EXPECT_THAT(work.forward, ElementsAre(first, second, third));
    EXPECT_THAT(work.backward, ElementsAre(first, 2 * second, 2 * third)) << "nobody needs the data's gradient";
}

TEST(LayerTable, TakesNoMemoryForWeights) {
    const auto model = build(table({{"dense", matrix({{1e6, 1e6}})}}));
    EXPECT_EQ(parameterCount(*model), 1'000'000'000'000);
    EXPECT_EQ(countFlops(*model, {}, 1).forwardFlops(), 2e12);
}

TEST(LayerTable, RefusesRowsThatAreNoLayers) {
    EXPECT_THAT(refused({}), HasSubstr("layer_table needs layers"));
    EXPECT_THAT(refused({{"conv", matrix({{3, 8, 5, 20, 10}, {8, 16, 3}})}}), HasSubstr("row 2 of conv has 3 numbers"));
    EXPECT_THAT(refused({{"dense", matrix({{30, 12.5}})}}), HasSubstr("row 1 of dense has a number that is not whole"));
    EXPECT_THAT(refused({{"dense", matrix({{0, 12}})}}), HasSubstr("dense is 0"));
}

Value experiment(Fields compute, const std::string& backend = "virtual") {
    Value document = table({{"algorithm", table({{"name", text("independent")}})},
                            {"model", table({{"name", text("layer_table")}, {"dense", matrix({{30, 12}})}})},
                            {"cluster", table({{"backend", text(backend)}})}});
    if (backend == "virtual") document.set("compute", table(std::move(compute)));
    return document;
}

std::string planned(const Value& document) {
    const auto plan = planExperiment(readExperiment(document).value());
    return plan ? std::to_string(plan->parameters) : plan.error().message;
}

TEST(LayerTable, IsForVirtualRunsAfterTimeAloneWithATimeToGoBy) {
    EXPECT_EQ(planned(experiment({{"mode", text("time-only")}, {"step_time", text("5ms")}})), "360");
    EXPECT_THAT(planned(experiment({{"step_time", text("5ms")}})), HasSubstr("mode = \"time-only\""));
    EXPECT_THAT(planned(experiment({}, "threads")), HasSubstr("backend = \"virtual\""));
    EXPECT_THAT(planned(experiment({{"mode", text("time-only")}})), HasSubstr("write step_time"));
}

const ModelTrial::Add kLayerTableTrial{{.model = "layer_table", .leftOut = "it computes nothing"}};

}  // namespace
}  // namespace dasgd::test
