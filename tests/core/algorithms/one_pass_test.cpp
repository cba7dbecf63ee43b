// Device cost of snapshots and merges: the operators that go over the weights in a step, from what arrives to the
// weights with which the next step begins. A merge may take one and a snapshot one; a trial says where it is more.
#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <algorithm>
#include <mutex>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/exec/executor.h"
#include "core/optimizers/optimizer.h"
#include "core/step/step_context.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/ranks.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

// The operators of this thread that touch more than one number, views and those inside others left out. One a thread.
class Passes {
public:
    Passes() {
        current_ = this;
        handle_ = at::addThreadLocalCallback(
            at::RecordFunctionCallback(&begin, &end).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
    }
    ~Passes() {
        at::removeCallback(handle_);
        current_ = nullptr;
    }
    Passes(const Passes&) = delete;
    Passes& operator=(const Passes&) = delete;

    std::vector<std::string> names;

private:
    struct Call final : at::ObserverContext {};

    static bool isLarge(const c10::IValue& value) {
        if (value.isTensor()) return value.toTensor().defined() && value.toTensor().numel() > 1;
        return value.isTensorList() && !value.toTensorVector().empty();
    }
    static bool isView(const c10::Argument& result) { return result.alias_info() && !result.alias_info()->isWrite(); }

    static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
        const auto schema = function.operator_schema();
        const auto& results = schema ? schema->returns() : std::vector<c10::Argument>();
        const bool views = !results.empty() && std::ranges::all_of(results, isView);
        if (current_->depth_ == 0 && !views && std::ranges::any_of(function.inputs(), isLarge)) {
            current_->names.emplace_back(function.name());
        }
        ++current_->depth_;
        return std::make_unique<Call>();
    }
    static void end(const at::RecordFunction&, at::ObserverContext*) { --current_->depth_; }

    inline static thread_local Passes* current_ = nullptr;
    int depth_ = 0;
    at::CallbackHandle handle_ = 0;
};

class CountingExecutor final : public Executor {
public:
    CountingExecutor(Clock& clock, EventSink& sink) : Executor(clock, sink, TraceLevel::Full), clock_(clock) {}
    void gradientReady(std::size_t) override {}
    void layerDone(SpanKind, std::size_t) override {}
    void setBatchShare(double, bool) override {}
    void setUntimed(bool) override {}

    // Operators of the present step, by kind of work.
    std::vector<std::string> snapshot, merge;

private:
    // The executor reads this clock as work begins and as it ends.
    [[nodiscard]] Ns instant() override {
        passes_.names.clear();
        return clock_.now();
    }
    void finished(const Work& work) override {
        if (work.kind == SpanKind::Snapshot) add(snapshot);
        if (work.kind == SpanKind::Merge) add(merge);
    }
    void add(std::vector<std::string>& names) const {
        names.insert(names.end(), passes_.names.begin(), passes_.names.end());
    }
    void abandoned() noexcept override {}

    Clock& clock_;
    Passes passes_;
};

class OnePass : public ::testing::TestWithParam<AlgorithmTrial> {};

TEST_P(OnePass, IsWhatASnapshotAndAMergeTake) {
    const AlgorithmTrial& trial = GetParam();
    constexpr int kRanks = 8;
    std::mutex mutex;
    std::size_t snapshot = 0, merge = 0;
    runRanks(Backend::Threads, kRanks, [&](Communicator& comm, Clock& clock) {
        torch::nn::Sequential net(torch::nn::Linear(4, 3), torch::nn::Linear(3, 2));
        FlatParams params(*net, torch::kFloat64);
        params.gradients().fill_(0.5);
        params.weights().fill_(0.25);
        MemorySink sink;
        CountingExecutor executor(clock, sink);
        const auto optimizer = OptimizerRegistry::find("sgd")->create(Value(Value::Table{}), {}).value();
        StepContext context(comm, clock, params, executor, 1, {.optimizer = optimizer.get()});
        const auto algorithm = trial.make();
        auto* const ownUpdate = dynamic_cast<OwnUpdate*>(algorithm.get());
        auto* const roles = dynamic_cast<HasRoles*>(algorithm.get());
        const bool serves = roles && !roles->roles(kRanks).trains(comm.rank());
        const at::NoGradGuard guard;
        algorithm->start(context);
        for (int step = 1; step <= 13; ++step) {
            executor.snapshot.clear();
            executor.merge.clear();
            context.moveTo(step, 0.01);
            if (serves) {
                roles->serve(context);
            } else {
                algorithm->afterBackward(context);
                ownUpdate ? ownUpdate->update(context, *optimizer) : optimizer->step(params, 0.01);
                algorithm->afterStep(context);
            }
            // A server's optimiser makes its state in the first step, which does not count.
            if (step == 1) continue;
            EXPECT_LE(executor.snapshot.size(), trial.snapshotPasses) << ::testing::PrintToString(executor.snapshot);
            EXPECT_LE(executor.merge.size(), trial.mergePasses) << ::testing::PrintToString(executor.merge);
            const std::lock_guard lock(mutex);
            snapshot = std::max(snapshot, executor.snapshot.size());
            merge = std::max(merge, executor.merge.size());
        }
        algorithm->drain(context);
    });
    EXPECT_EQ(snapshot, trial.snapshotPasses);
    EXPECT_EQ(merge, trial.mergePasses);
}

// Where the result depends on who comes first, so does the number of updates that a server makes in a step. What is
// coded goes over the weights on the host, by no operators.
INSTANTIATE_TEST_SUITE_P(Registry, OnePass, ::testing::ValuesIn(trialsThat([](const AlgorithmTrial& trial) {
                             return trial.repeats && !trial.isTimeOnly() && !trial.measures && !trial.isCoded();
                         })),
                         trialName);

// Settings that change the number of passes.
const std::vector<AlgorithmTrial> kOtherSettings{
    // The optimiser's state lies apart from the weights: a pass for each of its tensors, here the momentum.
    {.algorithm = "dasgd",
     .fields = {{"period", integer(4)}, {"optimizer_state", text("average")}},
     .what = "with_state",
     .snapshotPasses = 2,
     .mergePasses = 2},
    // All ranks are peers.
    {.algorithm = "sgp", .fields = {{"peers", integer(7)}}, .what = "to_all"},
    // The pass of the merge also takes the share that leaves. Before the update, by whatever optimiser, the weights
    // become x again.
    {.algorithm = "sgp",
     .fields = {{"overlap", boolean(true)}},
     .what = "overlapped",
     .snapshotPasses = 0,
     .mergePasses = 2}};

INSTANTIATE_TEST_SUITE_P(OtherSettings, OnePass, ::testing::ValuesIn(kOtherSettings), trialName);

}  // namespace
}  // namespace dasgd::test
