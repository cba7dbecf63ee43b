// Whole runs on the stand-in accelerator against the same runs on the processor: data that are resident and data that
// are brought, captured passes, and what makes the host wait. Every algorithm:
// tests/core/algorithms/on_device_test.cpp.
#include <ATen/Context.h>
#include <gmock/gmock.h>
#include <torch/types.h>

#include <algorithm>

#include "core/backends/gpu_backend.h"
#include "tests/support/gpu/trained_on_device.h"
#include "tests/support/hosted.h"
#include "tests/support/nccl/standin_machine.h"
#include "tests/support/trained_algorithms.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

// The communicator is that of GPUs: no tensor of a device may come to the group of the host beside it.
TEST(WorkerOnDevice, AlgorithmsThatSendMessagesTrainOverTheCommunicatorOfGpus) {
    for (const char* name : {"sgp", "oldsgd", "ssp"}) {
        const Value document = digits(often(name));
        const Experiment experiment = std::move(readExperiment(document).value());
        const GpuBackend backend({}, []() -> Result<GpuRuntime> { return standInRuntime({.tensors = kAccelerator}); });
        const int ranks = experiment.cluster.ranks();
        std::vector<RankRecord> there(static_cast<std::size_t>(ranks));
        std::vector<std::string> waits;
        StepsBetween between(
            ranks, kWatchedFrom, kWatchedUntil, [] { (void)HostWaits::take(); }, [&] { waits = HostWaits::take(); });
        EXPECT_THAT(onBackend(backend, experiment.cluster,
                              [&](RankHost&, HostedRank& rank) {
                                  RankRecord& record = there[static_cast<std::size_t>(rank.comm.rank().value())];
                                  record.outcome = runWorker(experiment, {.comm = rank.comm,
                                                                          .clock = rank.clock,
                                                                          .sink = record.sink,
                                                                          .control = &between,
                                                                          .executor = rank.executor,
                                                                          .device = rank.device});
                              }),
                    IsEmpty());
        // Messages that go by way of the host make no copy that the host waits for either.
        EXPECT_THAT(waits, Each(Not(HasSubstr("copy")))) << name;
        const std::vector<RankRecord> here = train(document);
        ASSERT_EQ(there.size(), here.size());
        for (std::size_t rank = 0; rank < there.size(); ++rank) {
            EXPECT_EQ(there[rank].outcome.error, "") << name;
            EXPECT_EQ(valuesOf(there[rank], "train/loss"), valuesOf(here[rank], "train/loss")) << name;
        }
    }
}

TEST(WorkerOnDevice, TensorFloat32IsUsedWhereItIsAskedForAlone) {
    const auto allowed = [] {
        return std::pair(at::globalContext().allowTF32CuBLAS(), at::globalContext().allowTF32CuDNN());
    };
    Value document = digits(often("local_sgd"), {{"tf32", boolean(true)}});
    document.find("cluster")->set("workers", integer(1));
    static_cast<void>(trainOnDevice(document));
    EXPECT_EQ(allowed(), std::pair(true, true));
    document.find("train")->set("tf32", boolean(false));
    static_cast<void>(trainOnDevice(document));
    EXPECT_EQ(allowed(), std::pair(false, false)) << "LibTorch's own default for convolutions is on";
}

// Dropout draws, statistics of batches, micro-batches: none of it knows of the pass that is made before training.
TEST(WorkerOnDevice, AFirstPassLeavesNoTrace) {
    for (const Value& model : {table({{"name", text("mlp")}, {"dropout", number(0.4)}}),
                               table({{"name", text("resnet20")}, {"width", integer(2)}})}) {
        Value document = digits(often("dasgd"), {{"accumulate", integer(3)}, {"steps", integer(4)}});
        document.set("model", model);
        document.find("cluster")->set("workers", integer(2));
        const OnDevice there = trainOnDevice(document);
        const auto here = train(document);
        for (std::size_t rank = 0; rank < here.size(); ++rank) {
            EXPECT_EQ(there.records[rank].outcome.error, "");
            const auto expected = valuesOf(here[rank], "train/loss"),
                       found = valuesOf(there.records[rank], "train/loss");
            ASSERT_EQ(found.size(), 4U);
            for (std::size_t step = 0; step < found.size(); ++step) EXPECT_NEAR(found[step], expected[step], 1e-5);
        }
        EXPECT_NEAR(valuesOf(there.records[0], "eval/loss").back(), valuesOf(here[0], "eval/loss").back(), 1e-5)
            << "by the statistics of the batches";
    }
}

TEST(WorkerOnDevice, BroughtBatchesAreTheSame) {
    for (const int accumulate : {1, 3}) {
        // 1,000 digits of 3 ranks: the last batch of an epoch is short.
        Fields train{{"accumulate", integer(accumulate)}};
        const Value resident = digits(often("dasgd"), train, {{"device_data", text("resident")}});
        const Value brought = digits(often("dasgd"), train, {{"device_data", text("prefetch")}});
        const OnDevice one = trainOnDevice(resident), two = trainOnDevice(brought);
        expectSameTraining(two.records, one.records, "prefetch");
        expectSameTraining(two.records, dasgd::test::train(brought), "the processor");
        EXPECT_EQ(one.brought, 0);
        EXPECT_GT(two.brought, 3 * kDigitSteps * accumulate) << "and those of the evaluations";
    }
}

// The rate changes in every step. It is rounded to float32 as weights are: a captured step has no more of it.
TEST(WorkerOnDevice, CapturedStepsTrainAlike) {
    for (const char* algorithm : {"dasgd", "adacomm", "dga"}) {
        Value document = digits(often(algorithm));
        document.set("schedule", table({{"name", text("cosine")}}));
        const auto plain = train(document);
        document.find("train")->set("cuda_graph", boolean(true));
        const OnDevice run = trainOnDevice(document, HostDevice::Capture::Keeps);
        expectSameTraining(run.records, plain, algorithm);
        EXPECT_EQ(run.captured, 3 * 3) << "forward pass, backward pass and update of each rank";
        EXPECT_EQ(run.replayed, 3 * 3 * (kDigitSteps - 3)) << "after three steps without";
    }
}

TEST(WorkerOnDevice, AnUpdateThatTheAlgorithmMakesIsNotCaptured) {
    Value graph = digits(often("ssp"), {{"cuda_graph", boolean(true)}});
    const OnDevice run = trainOnDevice(graph, HostDevice::Capture::Keeps);
    expectSameTraining(run.records, train(digits(often("ssp"))), "captured");
    EXPECT_EQ(run.captured, 2 * 2) << "forward and backward pass of the two that train";
    EXPECT_THAT(run.records[1].sink.states,
                Contains(Pair(RankState::Running, HasSubstr("cuda_graph leaves the update out: ssp makes it itself"))));
}

TEST(WorkerOnDevice, WhereNothingIsCapturedTheRunSaysSoAndGoesOn) {
    const Value graph = digits(often("dasgd"), {{"cuda_graph", boolean(true)}});
    const OnDevice run = trainOnDevice(graph, HostDevice::Capture::Refuses);
    expectSameTraining(run.records, train(digits(often("dasgd"))), "refused");
    EXPECT_THAT(run.records[1].sink.states,
                Contains(Pair(RankState::Running, HasSubstr("cuda_graph has no effect: the step cannot be captured"))));
}

TEST(WorkerOnDevice, ClippingAndLayerwiseStepsAgreeToRounding) {
    for (const char* optimizer : {"lars", "lamb", "muon", "adam", "adamw", "sgd"}) {
        Value document = digits(often("local_sgd"), {{"gradient_clip", number(0.5)}});
        document.set("optimizer", table({{"name", text(optimizer)}}));
        const auto there = trainOnDevice(document).records, here = train(document);
        const std::vector<double> ours = valuesOf(there[0], "train/loss"), theirs = valuesOf(here[0], "train/loss");
        ASSERT_EQ(there[0].outcome.error, "") << optimizer;
        ASSERT_EQ(ours.size(), theirs.size());
        for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], theirs[i], 1e-4 * theirs[i]) << optimizer;
    }
}

TEST(WorkerOnDevice, TheProbeMeasures) {
    const Value probe = table({{"name", text("probe")}, {"alone", integer(4)}, {"overlapped", integer(3)}});
    const OnDevice run = trainOnDevice(digits(probe));
    const MemorySink& sink = run.records[0].sink;
    EXPECT_EQ(run.records[0].outcome.error, "");
    EXPECT_GT(valuesOf(run.records[0], "probe/gradient_before_end_ms/0").at(0), 0);
    EXPECT_GE(std::ranges::count_if(sink.metrics,
                                    [](const auto& one) { return one.first.starts_with("probe/all_reduce_ms/"); }),
              2);
}

TEST(WorkerOnDevice, RecordedWeightsAreParametersAlone) {
    Value document = digits(often("local_sgd"));
    document.set("model", table({{"name", text("logistic")}}));
    document.set("record", table({{"weights", boolean(true)}}));
    const auto there = trainOnDevice(document).records, here = train(document);
    const auto weights = [](const RankRecord& record) {
        std::map<std::string, double> last;
        for (const auto& [name, points] : record.sink.metrics) {
            if (name.starts_with("weight/")) last[name] = points.back().value;
        }
        return last;
    };
    EXPECT_EQ(weights(there[1]).size(), 7'850U) << "784 x 10 and 10, whatever the padding";
    EXPECT_EQ(weights(there[1]), weights(here[1]));
}

TEST(WorkerOnDevice, OutOfMemorySaysWhatTheRankDid) {
    Value document = digits(often("independent"));
    document.find("cluster")->set("workers", integer(1));
    AcceleratorMemory& memory = AcceleratorMemory::instance();
    memory.limit = memory.used() + 600'000;  // parameters and gradients, not the images
    const OnDevice data = trainOnDevice(document);
    memory.limit = ~std::size_t{0};
    EXPECT_EQ(data.records[0].outcome.kind, WorkerOutcome::Kind::Failed);
    EXPECT_THAT(data.records[0].outcome.error, HasSubstr("out of memory in copying the training set"));
    EXPECT_THAT(data.records[0].outcome.error, HasSubstr("bytes were asked for"));

    document.find("data")->set("device_data", text("prefetch"));
    memory.limit = memory.used() + 600'000;
    const OnDevice step = trainOnDevice(document);
    memory.limit = ~std::size_t{0};
    EXPECT_THAT(step.records[0].outcome.error, HasSubstr("out of memory in a first pass, before training: "));
    EXPECT_THAT(step.records[0].outcome.error, HasSubstr("bytes were asked for by the operator "));
    EXPECT_THAT(step.records[0].outcome.error, HasSubstr("bytes are LibTorch's"));
}

}  // namespace
}  // namespace dasgd::test
