#include "core/experiment/stages_check.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/support/document.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

std::string refusalOf(const std::string& algorithm, std::int64_t workers, std::int64_t stages,
                      const Fields& train = {}) {
    Value document = table({{"algorithm", table({{"name", text(algorithm)}})},
                            {"model", table({{"name", text("mlp")}})},
                            {"cluster", table({{"workers", integer(workers)}, {"stages", integer(stages)}})}});
    Fields settings{{"steps", integer(4)}};
    for (const auto& field : train) settings.push_back(field);
    document.set("train", table(settings));
    const auto experiment = readExperiment(document);
    return experiment ? "" : experiment.error().message;
}

TEST(StagesCheck, RefusesWhatNeedsAWholeModel) {
    EXPECT_EQ(refusalOf("pipeline", 4, 2), "");
    EXPECT_EQ(refusalOf("sync_sgd", 4, 1), "");
    EXPECT_THAT(refusalOf("pipeline", 4, 3), HasSubstr("stages is 3, and workers is 4"));
    EXPECT_THAT(refusalOf("sync_sgd", 4, 2),
                HasSubstr("sync_sgd trains whole models: set stages = 1, or choose an algorithm of stages: "));
    EXPECT_THAT(refusalOf("sync_sgd", 4, 2), HasSubstr("pipeline"));
    EXPECT_THAT(refusalOf("pipeline", 4, 2, {{"gradient_clip", number(1)}}), HasSubstr("remove gradient_clip"));
    EXPECT_THAT(refusalOf("pipeline", 4, 2, {{"autocast", text("bfloat16")}}), HasSubstr("remove autocast"));
}

}  // namespace
}  // namespace dasgd::test
