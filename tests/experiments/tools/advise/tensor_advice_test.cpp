#include "experiments/tools/advise/tensor_advice.h"

#include <gmock/gmock.h>

#include "core/base/schema/toml_reader.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

Result<TensorAdvice> adviceOf(const std::string& model, const std::string& more = "") {
    return tensorAdvice(test::orDie(checkExperiment(test::orDie(parseToml(
        "[algorithm]\nname = \"sync_sgd\"\n[model]\nname = " + model +
            "[train]\nsteps = 5\nbatch_size = 3\n[cluster]\nworkers = 8\nbackend = \"virtual\"\n[compute]\nmode = "
            "\"time-only\"\nstep_time = \"1ms\"\n" +
            more,
        "e.toml")))));
}

TEST(TensorAdvice, CountsTheBatchOfAllRanksAndTheNumbersOfTheFilesType) {
    const TensorAdvice advice = test::orDie(adviceOf("\"layer_table\"\ndense = [[10, 20], [20, 30]]\n"));
    EXPECT_EQ(advice.rows, 8 * 3);
    ASSERT_EQ(advice.products.size(), 4U);
    EXPECT_DOUBLE_EQ(advice.products[0].forwardBytes, 4 * 2 * 24 * 30 * 7 / 8.0);
    EXPECT_EQ(advice.products[1].why, "8 ranks are no square");
    EXPECT_DOUBLE_EQ(advice.products[2].forwardBytes,
                     4 * (24 * 10 + 10 * 20 + 24 * 20 + 24 * 20 + 20 * 30 + 24 * 30) / 8.0);
    EXPECT_DOUBLE_EQ(*advice.products[3].stepBytes, 4 * 2 * (10 * 20 + 20 * 30) * 7 / 8.0) << "gradients";
    EXPECT_DOUBLE_EQ(advice.sequences[0].forwardBytes, 4 * 2 * 24 * 10 * 7 / 64.0);
    EXPECT_FALSE(advice.sequences[0].stepBytes);
}

TEST(TensorAdvice, TakesTheTimeOfTheFilesNetwork) {
    const TensorAdvice advice =
        test::orDie(adviceOf("\"layer_table\"\ndense = [[10, 20], [20, 30]]\n",
                             "[network]\nname = \"star\"\nbandwidth = \"8Mbps\"\nlatency = \"1ms\"\n"));
    const LinkCost link{.alpha = 1e-3, .beta = 1e-6};
    EXPECT_DOUBLE_EQ(*advice.products[0].seconds,
                     ringAllReduceSeconds(link, 4 * 24 * 30, 8) + ringAllReduceSeconds(link, 4 * 24 * 10, 8));
    EXPECT_DOUBLE_EQ(*advice.sequences[0].seconds, 2 * allToAllSeconds(link, 4 * 24 * 10 / 8.0, 8));
}

TEST(TensorAdvice, LeavesConvolutionsOutAndNeedsDenseLayers) {
    const auto both = adviceOf("\"layer_table\"\nconv = [[1, 2, 3, 4, 4]]\ndense = [[10, 20]]\n");
    ASSERT_TRUE(both) << both.error().message;
    EXPECT_TRUE(both->hasConvolutions);
    EXPECT_EQ(both->layers.size(), 1U);
    const auto none = adviceOf("\"layer_table\"\nconv = [[1, 2, 3, 4, 4]]\n");
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, HasSubstr("in dense, as dense = [[1024, 4096]"));
}

}  // namespace
}  // namespace dasgd::experiments
