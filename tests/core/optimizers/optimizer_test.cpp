// What every optimiser has in common.
#include "core/optimizers/optimizer.h"

#include <gtest/gtest.h>

#include "tests/support/optimizers.h"

namespace dasgd {
namespace {

using namespace dasgd::test;

TEST(OptimizerTest, LeavesTheGradientAlone) {
    auto model = optimizedNetwork();
    FlatParams flat(model->module(), at::kDouble);
    flat.gradients().fill_(2);
    createOptimizer("sgd", table({{"weight_decay", number(0.1)}, {"nesterov", boolean(true)}}))->step(flat, 0.5);
    createOptimizer("adamw", {})->step(flat, 0.5);
    EXPECT_TRUE(flat.gradients().eq(2).all().item<bool>());
}

TEST(OptimizerTest, StateIsFlatAndComesWithTheFirstStep) {
    auto model = optimizedNetwork();
    FlatParams flat(model->module(), at::kDouble);
    flat.gradients().fill_(2);
    auto sgd = createOptimizer("sgd", {});
    EXPECT_TRUE(sgd->state().empty());
    sgd->step(flat, 0.1);
    ASSERT_EQ(sgd->state().size(), 1U);
    EXPECT_TRUE(sgd->state()[0].eq(2).all().item<bool>());

    auto adamw = createOptimizer("adamw", {});
    EXPECT_TRUE(adamw->state().empty());
    adamw->step(flat, 0.1);
    ASSERT_EQ(adamw->state().size(), 2U);
    EXPECT_EQ(adamw->state()[1].sizes(), flat.weights().sizes());

    auto plain = createOptimizer("sgd", table({{"momentum", number(0)}}));
    plain->step(flat, 0.1);
    EXPECT_TRUE(plain->state().empty());
}

TEST(OptimizerTest, AResetOptimiserIsANewOne) {
    for (const char* name : {"sgd", "adamw"}) {
        const Value fields = std::string(name) == "sgd" ? table({{"dampening", number(0.3)}}) : Value();
        auto model = optimizedNetwork();
        FlatParams flat(model->module(), at::kDouble);
        const auto used = createOptimizer(name, fields), fresh = createOptimizer(name, fields);
        const auto after = [&](Optimizer& optimizer, const std::vector<double>& gradients) {
            for (const double gradient : gradients) {
                flat.gradients().fill_(gradient);
                optimizer.step(flat, 0.1);
            }
            return flat.weights().clone();
        };
        (void)after(*used, {5, -3});
        ASSERT_EQ(static_cast<std::int64_t>(used->state().size()), used->stateTensors());
        used->reset();
        EXPECT_TRUE(used->state().empty());
        flat.weights().zero_();
        const at::Tensor expected = after(*fresh, {1, 2, -1});
        flat.weights().zero_();
        EXPECT_TRUE(after(*used, {1, 2, -1}).equal(expected)) << name;
    }
    EXPECT_EQ(createOptimizer("sgd", table({{"momentum", number(0)}}))->stateTensors(), 0);
}

TEST(OptimizerTest, DefaultsAreTheDocumentedOnes) {
    EXPECT_EQ(createOptimizer("sgd", {})->learningRate(), 0.05);
    EXPECT_EQ(createOptimizer("adamw", {})->learningRate(), 0.001);
}

}  // namespace
}  // namespace dasgd
