#include "core/train/rank_state.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include "core/models/default_generator.h"
#include "core/train/data/training_data.h"
#include "tests/support/document.h"
#include "tests/support/script_modules.h"
#include "tests/support/sim/networks.h"
#include "tests/support/temp_dir.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

// One rank's objects, alone.
class OneRank {
public:
    explicit OneRank(Communicator& comm, Clock& clock, std::unique_ptr<Model> model = nullptr)
        : model_(model ? std::move(model) : buildModel("mlp", {.shape = {4}, .classes = 3})),
          params_(model_->module(), at::kFloat),
          executor_(clock, sink_, TraceLevel::Full),
          optimizer_(OptimizerRegistry::find("adam")->create({}, {}).value()),
          algorithm_(AlgorithmRegistry::find("dasgd")->create({}, {}).value()),
          context_(comm, clock, params_, executor_, 1, {.optimizer = optimizer_.get()}),
          forward_(makeGenerator(at::kCPU, 5)) {}

    [[nodiscard]] RankParts parts() { return {*model_, *optimizer_, *algorithm_, context_, forward_, selection_}; }
    void step(std::int64_t k) {
        context_.moveTo(k, 0.1);
        params_.gradients().fill_(static_cast<double>(k));
        optimizer_->step(params_, 0.1);
        algorithm_->afterStep(context_);
    }
    [[nodiscard]] Archive saved() {
        const Archive algorithm = saveAlgorithm(parts());
        return saveRank(parts(), algorithm, {.step = context_.step(), .bytesSent = 11, .wall = 22, .trained = 33});
    }
    [[nodiscard]] at::Tensor weights() const { return const_cast<FlatParams&>(params_).weights(); }
    [[nodiscard]] Model& model() { return *model_; }
    [[nodiscard]] at::Generator& forward() { return forward_; }
    [[nodiscard]] StepContext& context() { return context_; }

private:
    MemorySink sink_;
    std::unique_ptr<Model> model_;
    FlatParams params_;
    CpuExecutor executor_;
    std::unique_ptr<Optimizer> optimizer_;
    std::unique_ptr<Algorithm> algorithm_;
    StepContext context_;
    at::Generator forward_;
    ModelSelection selection_;
};

void onOneRank(const std::function<void(Communicator&, Clock&)>& body) { runRanks(Backend::Threads, 1, body); }

TEST(RankState, NewObjectsAreAsTheOldOnesWere) {
    onOneRank([](Communicator& comm, Clock& clock) {
        OneRank before(comm, clock);
        for (std::int64_t k = 1; k <= 5; ++k) before.step(k);
        static_cast<void>(at::rand({7}, before.forward()));
        static_cast<void>(at::rand({3}, before.context().random()));
        const Archive archive = before.saved();
        EXPECT_TRUE(archive.has("weights/hidden1.weight") || archive.has("weights/fc1.weight") ||
                    archive.tensors().lower_bound("weights/") != archive.tensors().end());
        OneRank after(comm, clock);
        const auto counters = restoreRank(after.parts(), archive);
        ASSERT_TRUE(counters) << counters.error().message;
        EXPECT_EQ(counters->step, 5);
        EXPECT_EQ(counters->bytesSent, 11);
        EXPECT_EQ(counters->wall, 22);
        EXPECT_EQ(counters->trained, 33);
        EXPECT_EQ(after.context().step(), 5);
        EXPECT_TRUE(at::rand({7}, before.forward()).equal(at::rand({7}, after.forward())));
        EXPECT_TRUE(at::rand({7}, before.context().random()).equal(at::rand({7}, after.context().random())));
        for (std::int64_t k = 6; k <= 12; ++k) {
            before.step(k);
            after.step(k);
            EXPECT_TRUE(before.weights().equal(after.weights())) << k;
        }
    });
}

TEST(RankState, WhatIsMissingIsNamed) {
    onOneRank([](Communicator& comm, Clock& clock) {
        OneRank rank(comm, clock);
        rank.step(1);
        const Archive whole = rank.saved();
        for (const auto& [name, tensor] : whole.tensors()) {
            Archive less;
            for (const auto& [other, kept] : whole.tensors()) {
                if (other != name) less.put(other, kept);
            }
            for (const auto& [other, kept] : whole.integers()) less.put(other, kept);
            OneRank fresh(comm, clock);
            const auto restored = restoreRank(fresh.parts(), less);
            ASSERT_FALSE(restored) << name << " was not missed";
            const std::string last = name.substr(name.rfind('/') + 1);
            EXPECT_THAT(restored.error().message, HasSubstr(last));
        }
        EXPECT_FALSE(countersOf(Archive()));
    });
}

// With another number of ranks all begin with the counters of rank 0. A rank of the checkpoint takes its own random
// numbers up again, and a new one begins those of its seed. A recurrent state begins anew.
TEST(RankState, CountersGoOnWithAnotherNumberOfRanks) {
    const TempDir folder;
    const std::string path = (folder / "net.pt").string();
    torch::jit::Module net =
        scriptOf({{"weight", torch::ones({3, 4})}},
                 "    self.calls += 1\n    return x.matmul(self.weight.t()) * float(self.calls)\n", {{"calls", 0}});
    net.save(path);
    const InputSpec input{.shape = {4}, .classes = 3};
    const InputSpec words{.shape = {5}, .classes = 7, .task = Task::kLanguage};
    const Value counting = table({{"path", text(path)}});
    const Value noisy =
        table({{"matrix", matrix({{2, 0.5}, {0.5, 1}})}, {"targets", matrix({{1, 2}})}, {"noise", number(0.5)}});
    const auto passStateAfter = [&](const std::string& name, const InputSpec& data, const Value& fields,
                                    bool isNew = false) {
        std::pair<std::vector<at::Tensor>, std::vector<at::Tensor>> states;
        onOneRank([&](Communicator& comm, Clock& clock) {
            OneRank before(comm, clock, buildModel(name, data, fields));
            for (int batch = 0; batch < 3; ++batch) {
                static_cast<void>(before.model().loss(data.shape.empty() ? Batch{} : randomBatch(data, 2)));
            }
            before.step(1);
            const Archive archive = before.saved();
            OneRank after(comm, clock, buildModel(name, data, fields));
            const Status restored = restoreCommon(after.parts(), archive, isNew ? Archive() : archive);
            ASSERT_TRUE(restored) << restored.error().message;
            states = {before.model().passState(), after.model().passState()};
        });
        return states;
    };
    const auto [counted, goesOn] = passStateAfter("torchscript", input, counting);
    ASSERT_EQ(goesOn.size(), 1U);
    EXPECT_TRUE(goesOn[0].equal(torch::tensor({3}, torch::kInt64)));
    const auto [carried, anew] = passStateAfter("char_lstm", words, {});
    EXPECT_FALSE(carried.empty());
    EXPECT_TRUE(anew.empty());
    for (const bool isNew : {false, true}) {
        const auto [drawn, restored] = passStateAfter("quadratic", {}, noisy, isNew);
        ASSERT_EQ(restored.size(), 1U);
        EXPECT_EQ(restored[0].equal(drawn[0]), !isNew);
    }
}

}  // namespace
}  // namespace dasgd::test
