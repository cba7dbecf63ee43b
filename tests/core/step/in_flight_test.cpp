#include "core/step/in_flight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/exec/cpu_executor.h"
#include "core/step/archive.h"
#include "core/step/step_context.h"
#include "tests/support/ranks.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Recorded = std::vector<std::pair<std::string, double>>;

// Two ranks at step 3, with what they record.
void atStepThree(const std::function<void(StepContext&, MemorySink&, const Recorded&)>& body) {
    runRanks(Backend::Threads, 2, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(2, 1);
        FlatParams params(*layer, torch::kFloat64);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Full);
        Recorded recorded;
        StepContext context(comm, clock, params, executor, 1, {.metric = [&](std::string_view name, double value) {
                                recorded.emplace_back(name, value);
                            }});
        context.moveTo(3, 0.1);
        body(context, sink, recorded);
    });
}

std::vector<Pending> sumsOf(StepContext& context, std::vector<at::Tensor>& tensors) {
    std::vector<Pending> sums;
    for (at::Tensor& tensor : tensors) sums.push_back(context.comm().allReduce(tensor, Reduce::Sum));
    return sums;
}

std::vector<std::int64_t> stepsOfReduces(const MemorySink& sink) {
    std::vector<std::int64_t> steps;
    for (const Span& span : sink.spans) {
        if (span.kind == SpanKind::Reduce) steps.push_back(span.step);
    }
    return steps;
}

TEST(InFlightTransfers, AreAwaitedOnceAndCarryTheStepThatLaunchedThem) {
    atStepThree([](StepContext& context, MemorySink& sink, const Recorded& recorded) {
        std::vector<at::Tensor> tensors{torch::ones({3}), torch::ones({5})};
        InFlight flight;
        flight.launch(context, sumsOf(context, tensors), 12);
        EXPECT_TRUE(flight.any());
        context.moveTo(5, 0.1);
        flight.await(context, 0);
        EXPECT_EQ(flight.collective(0), 1U);
        flight.await(context);
        flight.await(context);
        EXPECT_EQ(flight.collective(1), 2U);
        EXPECT_TRUE(torch::equal(tensors[1], torch::full({5}, 2.0)));
        EXPECT_THAT(stepsOfReduces(sink), ElementsAre(3, 3));
        EXPECT_THAT(recorded, IsEmpty());
        flight.finish(context);
        EXPECT_FALSE(flight.any());
        EXPECT_THAT(recorded, ElementsAre(std::pair<std::string, double>("staleness/steps", 2)));
    });
}

TEST(InFlightTransfers, OfARankWithoutNeighboursAreInFlightAllTheSame) {
    atStepThree([](StepContext& context, MemorySink& sink, const Recorded&) {
        InFlight flight;
        flight.launch(context, {}, 12);
        flight.await(context);
        EXPECT_TRUE(flight.any());
        EXPECT_EQ(flight.collective(), 0U);
        EXPECT_THAT(stepsOfReduces(sink), IsEmpty());
        flight.drop(context);
        EXPECT_FALSE(flight.any());
    });
}

TEST(InFlightTransfers, ASaveAwaitsAndARestoredOneIsUsedWhenItIsDue) {
    atStepThree([](StepContext& context, MemorySink&, const Recorded& recorded) {
        std::vector<at::Tensor> tensors{torch::ones({3})};
        InFlight flight, restored, none;
        flight.launch(context, sumsOf(context, tensors), 12);
        Archive archive, empty;
        flight.save(context, archive);
        EXPECT_TRUE(torch::equal(tensors[0], torch::full({3}, 2.0))) << "the caller saves it next";
        EXPECT_TRUE(flight.any()) << "the run continues";
        ASSERT_TRUE(restored.load(archive));
        EXPECT_TRUE(restored.any());
        EXPECT_FALSE(restored.isCoded());
        EXPECT_EQ(restored.launchedAt(), 3);
        EXPECT_EQ(restored.collective(), 0U);
        context.moveTo(7, 0.1);
        restored.await(context);
        restored.finish(context);
        EXPECT_THAT(recorded, ElementsAre(std::pair<std::string, double>("staleness/steps", 4)));
        none.save(context, empty);
        ASSERT_TRUE(restored.load(empty));
        EXPECT_FALSE(restored.any());
        EXPECT_THAT(restored.load(Archive()).error().message, HasSubstr("'in_flight'"));
    });
}

class Calls final : public CodedTransfer {
public:
    void arrive(StepContext&) override { calls.emplace_back("arrive"); }
    void finish() override { calls.emplace_back("finish"); }
    void drop(StepContext&) override { calls.emplace_back("drop"); }
    [[nodiscard]] std::uint64_t collective() const override { return 9; }

    std::vector<std::string> calls;
};

// A save awaits transfers that travel whole beside a coded part; the messages are the part's own to keep.
TEST(InFlightTransfers, OfCodedPartsAreKeptAsTheirMessages) {
    atStepThree([](StepContext& context, MemorySink& sink, const Recorded&) {
        Calls coded;
        at::Tensor beside = torch::ones({1});
        InFlight flight, restored;
        flight.begin(context, true);
        flight.add(coded);
        flight.add(context.comm().allReduce(beside, Reduce::Sum), 4);
        Archive archive;
        flight.save(context, archive);
        EXPECT_THAT(coded.calls, IsEmpty());
        EXPECT_THAT(stepsOfReduces(sink), ElementsAre(3));
        ASSERT_TRUE(restored.load(archive));
        ASSERT_TRUE(restored.isCoded());
        restored.add(coded);
        restored.await(context);
        EXPECT_EQ(restored.collective(), 9U);
        restored.finish(context);
        flight.drop(context);
        EXPECT_THAT(coded.calls, ElementsAre("arrive", "finish", "drop"));
    });
}

}  // namespace
}  // namespace dasgd::test
