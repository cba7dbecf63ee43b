// Properties that all optimisers have in common.
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
    for (const char* name : {"adam", "adamw", "lars", "lamb", "muon"}) {
        createOptimizer(name, table({{"weight_decay", number(0.1)}}))->step(flat, 0.5);
    }
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

    for (const char* name : {"adam", "adamw", "lars", "lamb", "muon"}) {
        auto optimizer = createOptimizer(name, {});
        EXPECT_TRUE(optimizer->state().empty()) << name;
        optimizer->step(flat, 0.1);
        ASSERT_EQ(static_cast<std::int64_t>(optimizer->state().size()), optimizer->stateTensors()) << name;
        for (const at::Tensor& state : optimizer->state()) EXPECT_EQ(state.sizes(), flat.weights().sizes()) << name;
    }

    auto plain = createOptimizer("sgd", table({{"momentum", number(0)}}));
    plain->step(flat, 0.1);
    EXPECT_TRUE(plain->state().empty());
}

// The step that is saved after, from none to several, and with reset() before the save.
TEST(OptimizerTest, WhatIsSavedGoesOnInANewOne) {
    for (const char* name : {"sgd", "adam", "adamw", "lars", "lamb", "muon"}) {
        const Value fields = std::string(name) == "sgd" ? table({{"dampening", number(0.3)}}) : Value();
        for (const int steps : {0, 1, 4}) {
            for (const bool resets : {false, true}) {
                auto model = optimizedNetwork(), other = optimizedNetwork();
                FlatParams flat(model->module(), at::kDouble), copy(other->module(), at::kDouble);
                const auto before = createOptimizer(name, fields), after = createOptimizer(name, fields);
                const auto step = [](Optimizer& optimizer, FlatParams& params, int k) {
                    params.gradients().fill_(0.5 + k);
                    optimizer.step(params, 0.1);
                };
                for (int k = 0; k < steps; ++k) step(*before, flat, k);
                if (resets) before->reset();
                Archive archive;
                before->save(archive);
                copy.weights().copy_(flat.weights());
                ASSERT_TRUE(after->load(archive, copy)) << name;
                for (int k = steps; k < steps + 3; ++k) {
                    step(*before, flat, k);
                    step(*after, copy, k);
                    EXPECT_TRUE(flat.weights().equal(copy.weights())) << name << " after step " << k;
                }
            }
        }
    }
}

// A copy for one parameter makes of it what the whole step makes, and leaves the optimiser as it is.
TEST(OptimizerTest, ACopyOfAPartStepsThatPartAlike) {
    for (const char* name : {"sgd", "adam", "adamw", "lars", "lamb", "muon"}) {
        for (const int steps : {0, 3}) {
            auto model = optimizedNetwork();
            FlatParams flat(model->module(), at::kDouble);
            const auto optimizer = createOptimizer(name, table({{"weight_decay", number(0.1)}}));
            const auto gradients = [&](int k) {
                flat.gradients().copy_(at::sin(at::arange(flat.size(), flat.weights().options()) + k));
            };
            for (int k = 0; k < steps; ++k) {
                gradients(k);
                optimizer->step(flat, 0.1);
            }
            gradients(steps);
            std::vector<at::Tensor> ahead;
            for (const FlatParams::Slot& slot : flat.slots()) {
                const std::int64_t end = slot.offset + slot.numel;
                FlatParams part = FlatParams::copyOf(flat, {{slot.offset, end}},
                                                     flat.gradients().narrow(0, slot.offset, slot.numel).clone());
                optimizer->copyOfPart(slot.offset, end)->step(part, 0.1);
                ahead.push_back(part.weights());
            }
            const at::Tensor before = flat.weights().clone();
            optimizer->step(flat, 0.1);
            EXPECT_FALSE(before.equal(flat.weights())) << name;
            EXPECT_TRUE(at::cat(ahead).allclose(flat.weights(), 1e-14, 1e-15)) << name << " after " << steps;
        }
    }
}

TEST(OptimizerTest, AStateOfAnotherModelIsRefused) {
    for (const char* name : {"sgd", "adam", "adamw", "lars", "lamb", "muon"}) {
        auto model = optimizedNetwork();
        FlatParams flat(model->module(), at::kDouble), single(optimizedNetwork()->module(), at::kFloat);
        const auto optimizer = createOptimizer(name, {});
        flat.gradients().fill_(1);
        optimizer->step(flat, 0.1);
        Archive archive;
        optimizer->save(archive);
        EXPECT_FALSE(createOptimizer(name, {})->load(archive, single)) << name;
        EXPECT_FALSE(createOptimizer(name, {})->load(Archive(), flat)) << name;
    }
}

TEST(OptimizerTest, AResetOptimiserIsANewOne) {
    for (const char* name : {"sgd", "adam", "adamw", "lars", "lamb", "muon"}) {
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
        flat.weights().fill_(0.5);
        const at::Tensor expected = after(*fresh, {1, 2, -1});
        flat.weights().fill_(0.5);
        EXPECT_TRUE(after(*used, {1, 2, -1}).equal(expected)) << name;
    }
    EXPECT_EQ(createOptimizer("sgd", table({{"momentum", number(0)}}))->stateTensors(), 0);
}

TEST(OptimizerTest, DefaultsAreTheDocumentedOnes) {
    EXPECT_EQ(createOptimizer("sgd", {})->learningRate(), 0.05);
    EXPECT_EQ(createOptimizer("adamw", {})->learningRate(), 0.001);
    EXPECT_EQ(createOptimizer("adam", {})->learningRate(), 0.001);
    EXPECT_EQ(createOptimizer("lamb", {})->learningRate(), 0.001);
    EXPECT_EQ(createOptimizer("lars", {})->learningRate(), 1);
    EXPECT_EQ(createOptimizer("muon", {})->learningRate(), 0.02);
}

// Equal to the last bit: no slice of the flat tensors is left out, whatever they are cut into.
TEST(OptimizerTest, WithoutDecayTheGroupsChangeNothing) {
    for (const char* name : {"sgd", "adam", "adamw"}) {
        const auto trained = [&](const char* noDecay, double decay) {
            auto model = optimizedNetwork();
            FlatParams flat(model->module(), at::kDouble);
            auto optimizer =
                createOptimizer(name, table({{"weight_decay", number(decay)}, {"no_decay", text(noDecay)}}));
            for (int k = 0; k < 3; ++k) {
                flat.gradients().fill_(0.5 + k);
                optimizer->step(flat, 0.1);
            }
            return flat.weights().clone();
        };
        const at::Tensor plain = trained("none", 0), exempt = trained("bias-norm", 0.5);
        EXPECT_TRUE(trained("bias-norm", 0).equal(plain)) << name;
        auto model = optimizedNetwork();
        const FlatParams flat(model->module(), at::kDouble);
        for (const FlatParams::Slot& slot : flat.slots()) {
            const auto part = [&](const at::Tensor& whole) { return whole.narrow(0, slot.offset, slot.numel); };
            EXPECT_EQ(part(exempt).allclose(part(plain), 1e-12, 1e-12), slot.parameter.dim() == 1) << name;
        }
    }
}

}  // namespace
}  // namespace dasgd
