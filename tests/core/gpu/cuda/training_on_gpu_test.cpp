// Whole runs of one rank on the GPU of this machine: mixed precision, channels last and captured steps together, and
// the kernels of profiled steps. Skipped where there is no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/named_spans.h"
#include "tests/support/hosted.h"
#include "tests/support/nccl/on_this_machine.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int kTrainedSteps = 30;

class NamingSink final : public EventSink, public NamedSpanSink {
public:
    void span(const Span& span) override { memory.span(span); }
    void metric(const Metric& metric) override { memory.metric(metric); }
    void state(RankState state, std::int64_t step, std::string_view text) override { memory.state(state, step, text); }
    void namedSpan(const Span& span, std::string_view name) override { named.emplace_back(span, name); }
    [[nodiscard]] std::vector<double> losses() const {
        std::vector<double> values;
        for (const auto& point : memory.metrics.at("train/loss")) values.push_back(point.value);
        return values;
    }

    MemorySink memory;
    std::vector<std::pair<Span, std::string>> named;
};

class CudaTraining : public testing::Test {
protected:
    void SetUp() override {
        machine_ = onThisMachine(1);
        if (!machine_.lacks.empty()) GTEST_SKIP() << machine_.lacks;
    }
    [[nodiscard]] NamingSink train(const Fields& more, const Fields& record = {}) const {
        Fields of{{"steps", integer(kTrainedSteps)}, {"batch_size", integer(16)}, {"eval_every", integer(1000)}};
        of.insert(of.end(), more.begin(), more.end());
        const Value document = table(
            {{"algorithm", table({{"name", text("independent")}})},
             {"model", table({{"name", text("lenet")}})},
             {"data",
              table({{"name", text("synthetic")}, {"train_samples", integer(512)}, {"test_samples", integer(64)}})},
             {"train", table(std::move(of))},
             {"optimizer", table({{"name", text("sgd")}, {"learning_rate", number(0.02)}})},
             {"record", table(record)},
             {"cluster", table({{"backend", text("nccl")}, {"workers", integer(1)}})}});
        const Experiment experiment = std::move(readExperiment(document).value());
        NamingSink sink;
        EXPECT_THAT(onBackend(*machine_.backend, machine_.cluster,
                              [&](RankHost&, HostedRank& rank) {
                                  const WorkerOutcome outcome = runWorker(experiment, {.comm = rank.comm,
                                                                                       .clock = rank.clock,
                                                                                       .sink = sink,
                                                                                       .executor = rank.executor,
                                                                                       .device = rank.device});
                                  EXPECT_EQ(outcome.error, "");
                              }),
                    IsEmpty());
        return sink;
    }
    OnThisMachine machine_;
};

TEST_F(CudaTraining, CapturedStepsInMixedPrecisionAreThoseOfEveryKernelByItself) {
    const Fields mixed{{"autocast", text("bfloat16")}, {"channels_last", boolean(true)}};
    Fields captured = mixed;
    captured.emplace_back("cuda_graph", boolean(true));
    const NamingSink plain = train({}), eager = train(mixed), graph = train(captured);
    for (const auto& [state, note] : graph.memory.states) EXPECT_THAT(note, Not(HasSubstr("cuda_graph")));
    const std::vector<double> one = plain.losses(), two = eager.losses(), three = graph.losses();
    ASSERT_EQ(three.size(), static_cast<std::size_t>(kTrainedSteps));
    EXPECT_LT(one.back(), 0.5 * one.front()) << "it trains";
    for (std::size_t step = 0; step < three.size(); ++step) {
        // Sums of a gradient are in no fixed order on a GPU; of bfloat16 8 bits are kept.
        EXPECT_NEAR(three[step], two[step], 0.01 * one.front()) << "step " << step + 1;
        EXPECT_NEAR(two[step], one[step], 0.05 * one.front()) << "step " << step + 1;
    }
    EXPECT_NE(one, two) << "it is another precision";
}

TEST_F(CudaTraining, ProfiledStepsHaveTheirKernels) {
    const NamingSink run = train({}, {{"profile", table({{"first", integer(10)}, {"steps", integer(2)}})}});
    std::vector<std::string> names;
    Ns from = 0, until = 0;
    for (const Span& span : run.memory.spans) {
        if (span.step == 10 && span.kind == SpanKind::Forward) from = span.start;
        if (span.step == 11 && span.kind == SpanKind::Update) until = span.end;
    }
    ASSERT_LT(from, until);
    for (const auto& [span, name] : run.named) {
        names.push_back(name);
        EXPECT_TRUE(span.step == 10 || span.step == 11) << name;
        // CUPTI and the events of a stream read two clocks, which are set by each other.
        EXPECT_GT(span.start, from - 2'000'000) << name;
        EXPECT_LT(span.end, until + 2'000'000) << name;
    }
    EXPECT_THAT(names, Contains(HasSubstr("softmax")));
    EXPECT_THAT(names, Contains(HasSubstr("max_pool_backward")));
    EXPECT_GT(names.size(), 40U) << "two steps of some thirty kernels each";
}

}  // namespace
}  // namespace dasgd::test
