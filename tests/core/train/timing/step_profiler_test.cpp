#include "core/train/timing/step_profiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <fstream>
#include <map>

#include "core/base/named_spans.h"
#include "core/exec/cpu_executor.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class NamesSink final : public EventSink, public NamedSpanSink {
public:
    void span(const Span& span) override { spans.push_back(span); }
    void namedSpan(const Span& span, std::string_view name) override { named.emplace_back(span, name); }
    void metric(const Metric&) override {}
    void state(RankState, std::int64_t, std::string_view) override {}
    std::vector<Span> spans;
    std::vector<std::pair<Span, std::string>> named;
};

// Steps of one product, forward and backward; each step's end is a clean boundary.
class StepProfilerTest : public testing::Test {
protected:
    void train(StepProfiler& profiler, std::int64_t steps) {
        at::Tensor weights = at::ones({32, 32}).set_requires_grad(true);
        for (std::int64_t step = 1; step <= steps; ++step) {
            profiler.beforeStep(step);
            executor.moveTo(step);
            const Ns start = clock.now();
            at::matmul(weights, weights).sum().backward();
            times[step] = {start, clock.now()};
            executor.stepDone(clock.now());
        }
        profiler.end();
        executor.trainingDone();
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& [span, name] : sink.named) all.push_back(name);
        return all;
    }

    MonotonicClock clock;
    NamesSink sink;
    CpuExecutor executor{clock, sink, TraceLevel::Full, {.waits = false}};
    std::map<std::int64_t, TimeRange> times;
    const TempDir folder;
};

TEST_F(StepProfilerTest, RecordsTheOutermostOperatorsOfItsStepsWhereTheyWere) {
    StepProfiler profiler(ProfileParams{.first = 3, .steps = 2}, "", clock, executor, sink);
    train(profiler, 6);
    ASSERT_THAT(sink.named, Not(IsEmpty()));
    EXPECT_THAT(names(), Contains("aten::matmul").Times(2));
    EXPECT_THAT(names(), Not(Contains("aten::mm"))) << "it is a part of aten::matmul";
    EXPECT_THAT(names(), Contains(HasSubstr("MmBackward")).Times(2));
    for (const auto& [span, name] : sink.named) {
        ASSERT_THAT(span.step, testing::AnyOf(3, 4)) << name;
        EXPECT_EQ(span.kind, SpanKind::Compute);
        EXPECT_EQ(span.lane, Lane::Io);
        // The profiler reads another clock, which is told from this one within microseconds.
        constexpr Ns kApart = 200'000;
        EXPECT_GE(span.start, times[span.step].start - kApart) << name;
        EXPECT_LE(span.end, times[span.step].end + kApart) << name;
    }
}

TEST_F(StepProfilerTest, NoWindowHasAProfiledStep) {
    StepProfiler profiler(ProfileParams{.first = 4, .steps = 3}, "", clock, executor, sink);
    train(profiler, 12);
    std::int64_t steps = 0;
    for (const CleanWindow& window : executor.takeWindows()) {
        EXPECT_TRUE(window.lastStep <= 3 || window.lastStep - window.steps >= 7) << window.lastStep;
        steps += window.steps;
    }
    // Counted are the steps from the end of step 1 to that of step 3, and from that of step 7 on.
    EXPECT_EQ(steps, 2 + 5);
}

TEST_F(StepProfilerTest, WritesATraceOfItsSteps) {
    const auto file = profileTraceIn(folder.path(), Rank(3));
    EXPECT_EQ(file.filename(), "profile-rank-0003.json");
    StepProfiler profiler(ProfileParams{.first = 2, .steps = 1}, file, clock, executor, sink);
    train(profiler, 4);
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_THAT(text, HasSubstr("aten::mm"));
}

TEST_F(StepProfilerTest, EndsWithTheRunAndCanBeginAgain) {
    StepProfiler first(ProfileParams{.first = 2, .steps = 100}, "", clock, executor, sink);
    train(first, 3);
    EXPECT_THAT(names(), Contains("aten::matmul").Times(2));
    sink.named.clear();
    StepProfiler second(ProfileParams{.first = 1, .steps = 1}, "", clock, executor, sink);
    train(second, 3);
    EXPECT_THAT(names(), Contains("aten::matmul").Times(1));
}

std::vector<std::string> namesOf(const std::vector<ProfiledAction>& actions) {
    std::vector<std::string> names;
    for (const ProfiledAction& action : actions) names.push_back(action.name);
    return names;
}

// Two threads, of which each has operators within operators.
TEST(RecordedOf, OperatorsAreTheOutermostOfTheirThread) {
    const std::vector<ProfiledAction> all{{.name = "mm", .thread = 1, .start = 20, .end = 30},
                                          {.name = "backward", .thread = 2, .start = 25, .end = 60},
                                          {.name = "matmul", .thread = 1, .start = 10, .end = 40},
                                          {.name = "mul", .thread = 2, .start = 30, .end = 50},
                                          {.name = "sum", .thread = 1, .start = 40, .end = 45}};
    EXPECT_EQ(namesOf(recordedOf(all)), (std::vector<std::string>{"matmul", "backward", "sum"}));
}

// Kernels of several streams overlap and all count; NCCL's are transfers, which are spans already.
TEST(RecordedOf, OfADeviceItIsWhatTheDeviceDidButForTransfers) {
    const std::vector<ProfiledAction> all{{.name = "aten::matmul", .thread = 1, .start = 10, .end = 90},
                                          {.name = "sgemm", .onDevice = true, .start = 30, .end = 60},
                                          {.name = "ncclDevKernel_AllReduce", .onDevice = true, .start = 20, .end = 80},
                                          {.name = "elementwise", .onDevice = true, .start = 40, .end = 50},
                                          {.name = "Memcpy HtoD", .onDevice = true, .start = 15, .end = 18}};
    const auto recorded = recordedOf(all);
    EXPECT_EQ(namesOf(recorded), (std::vector<std::string>{"Memcpy HtoD", "sgemm", "elementwise"}));
    EXPECT_EQ(recorded[1].end, 60);
}

TEST(RecordedOf, WhereADeviceOnlyTransferredTheOperatorsAreRecorded) {
    EXPECT_EQ(namesOf(recordedOf({{.name = "ncclDevKernel_AllReduce", .onDevice = true, .start = 20, .end = 80},
                                  {.name = "aten::add", .thread = 1, .start = 10, .end = 90}})),
              std::vector<std::string>{"aten::add"});
}

TEST_F(StepProfilerTest, NothingIsRecordedUnasked) {
    StepProfiler profiler(std::nullopt, folder.path() / "trace.json", clock, executor, sink);
    train(profiler, 3);
    EXPECT_THAT(sink.named, IsEmpty());
    EXPECT_THAT(sink.spans, IsEmpty());
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "trace.json"));
}

}  // namespace
}  // namespace dasgd::test
