// What a snapshot or a merge costs a device: one operator that goes over the weights, for each piece of such work.
#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/exec/executor.h"
#include "core/optimizers/optimizer.h"
#include "core/step/step_context.h"
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

    std::vector<std::vector<std::string>> works;  // the passes of each snapshot and merge

private:
    // Asked for as work begins and as it ends.
    [[nodiscard]] Ns instant() override {
        passes_.names.clear();
        return clock_.now();
    }
    void finished(const Work& work) override {
        if (work.kind == SpanKind::Snapshot || work.kind == SpanKind::Merge) works.push_back(passes_.names);
    }
    void abandoned() noexcept override {}

    Clock& clock_;
    Passes passes_;
};

class OnePass : public ::testing::TestWithParam<std::string> {};

TEST_P(OnePass, IsWhatEachSnapshotAndEachMergeTakes) {
    Value fields(Value::Table{});
    for (const FieldInfo& field : AlgorithmRegistry::find(GetParam())->fields) {
        if (field.name == "period") fields.set("period", integer(4));
        if (field.name == "fragments") fields.set("fragments", integer(2));
        if (field.name == "overlap") fields.set("overlap", Value(true));
        if (field.name == "share") fields.set("share", number(0.4));
    }
    runRanks(Backend::Threads, 3, [&](Communicator& comm, Clock& clock) {
        torch::nn::Sequential net(torch::nn::Linear(4, 3), torch::nn::Linear(3, 2));
        FlatParams params(*net, torch::kFloat64);
        params.gradients().fill_(0.5);
        MemorySink sink;
        CountingExecutor executor(clock, sink);
        const auto optimizer = OptimizerRegistry::find("sgd")->create(Value(Value::Table{}), {}).value();
        StepContext context(comm, clock, params, executor, 1, {.optimizer = optimizer.get()});
        const auto algorithm = AlgorithmRegistry::find(GetParam())->create(fields, {}).value();
        auto* const ownUpdate = dynamic_cast<OwnUpdate*>(algorithm.get());
        const at::NoGradGuard guard;
        // What happens once a run, as the first centre of easgd is kept, is not counted.
        algorithm->start(context);
        executor.works.clear();
        for (int step = 1; step <= 13; ++step) {
            context.moveTo(step, 0.01);
            algorithm->afterBackward(context);
            ownUpdate ? ownUpdate->update(context, *optimizer) : optimizer->step(params, 0.01);
            algorithm->afterStep(context);
        }
        EXPECT_FALSE(executor.works.empty());
        for (const std::vector<std::string>& work : executor.works)
            EXPECT_LE(work.size(), 1U) << ::testing::PrintToString(work);
        algorithm->drain(context);
    });
}

INSTANTIATE_TEST_SUITE_P(Registered, OnePass,
                         ::testing::Values("adacomm", "bmuf", "co2", "cocod_sgd", "dasgd", "dga", "diloco",
                                           "eager_diloco", "easgd", "local_sgd", "loscar", "oldsgd",
                                           "overlap_local_sgd", "sgp", "slowmo", "streaming_diloco"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dasgd::test
