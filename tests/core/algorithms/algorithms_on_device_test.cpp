// Real algorithms over the model of a device: they must wait on nothing but events, and no access to memory may be
// unordered. A wait that is left out must be found, whatever the times.
#include <gmock/gmock.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/comm/stream/stream_queue.h"
#include "core/exec/device_executor.h"
#include "core/optimizers/optimizer.h"
#include "core/step/step_context.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/device/observed_ops.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Ns kMicro = 1000;

// Predicate on a stream: its waits are kept.
using Keeps = std::function<bool(StreamHandle)>;
const Keeps kOfCompute = [](StreamHandle stream) { return stream == nullptr; };
const Keeps kOfCommunication = [](StreamHandle stream) { return stream != nullptr; };

class OnDeviceTest : public ::testing::Test {
protected:
    [[nodiscard]] DeviceApi apiThatKeeps(const Keeps& keeps) {
        DeviceApi api = model.api();
        if (!keeps) return api;
        api.streamWaitEvent = [keeps, wait = api.streamWaitEvent](StreamHandle stream, EventHandle event,
                                                                  unsigned flags) {
            return keeps(stream) ? wait(stream, event, flags) : DeviceApi::kSuccess;
        };
        return api;
    }
    [[nodiscard]] std::vector<Span> spansOf(SpanKind kind) const {
        std::vector<Span> found;
        for (const Span& span : sink.spans) {
            if (span.kind == kind) found.push_back(span);
        }
        return found;
    }
    void end(StreamQueue& queue, DeviceExecutor& executing, Algorithm& algorithm, StepContext& context) {
        // Other threads go on while the host waits for the end.
        clock.whenSleeping = [&] { EXPECT_EQ(queue.poll(), std::nullopt); };
        executing.trainingDone();
        algorithm.drain(context);
        executing.flush();
        clock.whenSleeping = nullptr;
    }

    ModelClock clock;
    ModelDevice model{clock};
    MemorySink sink;
};

// One of two ranks with equal data; the other is not run. A sum over both is twice this rank's tensor; what the other
// would gather stays as it was.
class TwinCommunicator final : public Communicator {
public:
    TwinCommunicator(ModelDevice& model, StreamQueue& queue, Ns transfer)
        : Communicator(Rank{0}, 2), model_(model), queue_(queue), transfer_(transfer) {}

private:
    Pending start(CollectiveCall call, std::uint64_t number) override {
        const bool isInPlace = call.kind == CollectiveKind::AllReduce;
        const std::string name = isInPlace ? "all_reduce" : "of_rows";
        std::vector<Access> accesses{accessOf(call.out, true, name)};
        if (!isInPlace) accesses.push_back(accessOf(call.in, false, name));
        const auto enqueue = [&](StreamHandle stream) {
            model_.launch(stream, transfer_, accesses);
            const at::RecordFunctionGuard notOfTheComputeStream(false);
            if (isInPlace && call.op == Reduce::Sum) call.out.mul_(2);
            if (call.kind == CollectiveKind::ReduceScatter) call.out.copy_(call.in.narrow(0, 0, call.out.numel()));
            if (call.kind == CollectiveKind::AllGather) call.out.narrow(0, 0, call.in.numel()).copy_(call.in);
        };
        return queue_.launch(
            {.label = "rank 0: " + name, .collective = number, .tensors = {call.in, call.out}, .enqueue = enqueue});
    }
    Pending start(MessageCall) override { throw CommError("no messages between twins"); }
    // Both twins send the same, so each receives a copy of its own messages.
    std::vector<Pending> startExchange(std::vector<MessageCall> messages) override {
        std::vector<at::Tensor> tensors, sent;
        std::vector<Access> accesses;
        for (const MessageCall& message : messages) {
            tensors.push_back(message.tensor);
            if (message.sends) sent.push_back(message.tensor);
            accesses.push_back(accessOf(message.tensor, !message.sends, "exchange"));
        }
        const auto enqueue = [&](StreamHandle stream) {
            model_.launch(stream, transfer_, accesses);
            const at::RecordFunctionGuard notOfTheComputeStream(false);
            auto next = sent.begin();
            for (const MessageCall& message : messages) {
                if (!message.sends) at::Tensor(message.tensor).copy_(*next++);
            }
        };
        std::vector<Pending> pending;
        pending.push_back(queue_.launch({.label = "rank 0: exchange", .tensors = tensors, .enqueue = enqueue}));
        return pending;
    }
    std::unique_ptr<Communicator> open(Group) override { throw CommError("no groups of twins"); }

    ModelDevice& model_;
    StreamQueue& queue_;
    Ns transfer_;
};

struct DasgdSettings {
    std::int64_t period = 4, delay = 3;
    double localWeight = 0.25, correction = 0;
    Ns transfer = 500 * kMicro;  // a step takes about 200
};

class DasgdOnDeviceTest : public OnDeviceTest {
protected:
    static constexpr int kSteps = 40;

    // Trains over an API table that leaves out the waits of the streams that `keeps` does not keep.
    void train(const DasgdSettings& settings, const Keeps& keeps = nullptr) {
        Device own(apiThatKeeps(keeps), 0);
        DeviceClock ownTimes(own, clock);
        StreamQueue queue(own, ownTimes, clock, {});
        TwinCommunicator comm(model, queue, settings.transfer);
        DeviceExecutor executing(clock, sink, TraceLevel::Full, {own, ownTimes});
        torch::nn::Linear layer(2, 1);
        FlatParams params(*layer, torch::kFloat64);
        params.weights().fill_(0);
        StepContext context(comm, clock, params, executing);
        const auto algorithm =
            AlgorithmRegistry::find("dasgd")->create(table({{"period", integer(settings.period)},
                                                            {"delay", integer(settings.delay)},
                                                            {"local_weight", number(settings.localWeight)},
                                                            {"correction", number(settings.correction)}}),
                                                     {});
        ASSERT_TRUE(algorithm) << algorithm.error().message;
        {
            const ObservedOps ops(model, kMicro);
            const at::NoGradGuard guard;
            for (int step = 1; step <= kSteps; ++step) {
                context.moveTo(step, 0.1);
                executing.run({SpanKind::Forward}, [&] { model.launch(nullptr, 200 * kMicro); });
                executing.run({SpanKind::Update}, [&] { params.weights().add_(1); });
                (*algorithm)->afterStep(context);
                executing.stepDone(clock.now());
            }
            EXPECT_GT(ops.seen(), kSteps) << "the operators are really observed";
        }
        hostWaits = own.hostWaits();
        modelWaits = model.hostWaits();
        weight = params.weights()[0].item<double>();
        end(queue, executing, **algorithm, context);
    }
    // The rule of delayed_average.h on one number, where all ranks hold the same.
    static double expected(const DasgdSettings& s) {
        double w = 0, snapshot = 0;
        std::int64_t launchedAt = -1;
        for (std::int64_t k = 1; k <= kSteps; ++k) {
            w += 1;
            if (launchedAt >= 0 && k == launchedAt + s.delay) {
                w = s.localWeight * w + (1 - s.localWeight) * (snapshot + s.correction * (w - snapshot));
                launchedAt = -1;
            }
            if (k % s.period == 0) {
                snapshot = w;
                launchedAt = k;
            }
        }
        return w;
    }
    std::int64_t hostWaits = -1;
    std::vector<std::string> modelWaits;
    double weight = 0;
};

TEST_F(DasgdOnDeviceTest, TheHostNeverWaitsAndEveryAccessIsOrdered) {
    train({});
    EXPECT_EQ(hostWaits, 0);
    EXPECT_THAT(modelWaits, IsEmpty());
    EXPECT_THAT(model.races(), IsEmpty());
    EXPECT_THAT(model.faults(), IsEmpty());
    EXPECT_DOUBLE_EQ(weight, expected({}));
    EXPECT_THAT(spansOf(SpanKind::Reduce), SizeIs(kSteps / 4));
    EXPECT_THAT(spansOf(SpanKind::Forward), SizeIs(kSteps));
}

TEST_F(DasgdOnDeviceTest, MergesOfTheWholeFamilyAreOrderedToo) {
    for (const DasgdSettings& settings :
         {DasgdSettings{.delay = 1}, DasgdSettings{.localWeight = 0, .correction = 1},
          DasgdSettings{.localWeight = 0.5, .correction = 0.5}, DasgdSettings{.period = 1, .delay = 1}}) {
        train(settings);
        EXPECT_EQ(hostWaits, 0);
        EXPECT_THAT(model.races(), IsEmpty());
        EXPECT_DOUBLE_EQ(weight, expected(settings));
    }
}

TEST_F(DasgdOnDeviceTest, ATransferThatFitsIsHiddenAndALongerOneIsAWaitOfTheDevice) {
    train({.delay = 3, .transfer = 500 * kMicro});
    auto waits = spansOf(SpanKind::Wait);
    ASSERT_THAT(waits, SizeIs(10));
    waits.pop_back();  // at the end of the run nothing is computed meanwhile
    for (const Span& wait : waits) EXPECT_LT(wait.end - wait.start, 20 * kMicro);
    for (const Span& reduce : spansOf(SpanKind::Reduce)) {
        EXPECT_NEAR(static_cast<double>(reduce.end - reduce.start), 500 * kMicro, 20 * kMicro);
    }
    sink.spans.clear();
    train({.delay = 1, .transfer = 1000 * kMicro});
    waits = spansOf(SpanKind::Wait);
    ASSERT_THAT(waits, SizeIs(10));
    waits.pop_back();
    for (const Span& wait : waits) {
        EXPECT_NEAR(static_cast<double>(wait.end - wait.start), 780 * kMicro, 60 * kMicro)
            << "what one step does not cover";
    }
}

TEST_F(DasgdOnDeviceTest, AMissingWaitOfTheCommunicationIsFound) {
    train({}, kOfCompute);
    EXPECT_THAT(model.races(), Contains(AllOf(HasSubstr("all_reduce on stream"), HasSubstr("what aten::"),
                                              HasSubstr("on compute writes"))));
}

TEST_F(DasgdOnDeviceTest, AMissingWaitOfTheMergeIsFound) {
    train({}, kOfCommunication);
    EXPECT_THAT(model.races(),
                Contains(AllOf(HasSubstr("on compute reads what all_reduce on stream"), HasSubstr("writes"))));
}

TEST_F(DasgdOnDeviceTest, AValueThatTheHostReadsIsFound) {
    const ObservedOps ops(model, kMicro);
    at::Tensor loss = torch::ones({4});
    EXPECT_EQ(loss.sum().item<float>(), 4);
    EXPECT_THAT(model.hostWaits(), Contains(HasSubstr("_local_scalar_dense")));
}

// ------------------------------------------------------------------------------------- twins that take gradients

class TwinsOnDeviceTest : public OnDeviceTest {
protected:
    // One of the twins, with a network whose gradients are really taken.
    struct TwinRank {
        // Uses an API table that leaves out the waits of the streams that `keeps` does not keep.
        TwinRank(TwinsOnDeviceTest& test, const Keeps& keeps)
            : device(test.apiThatKeeps(keeps), 0),
              times(device, test.clock),
              queue(device, times, test.clock, {}),
              comm(test.model, queue, 300 * kMicro),
              executing(test.clock, test.sink, TraceLevel::Full, {device, times}),
              params(*net, torch::kFloat64),
              context(comm, test.clock, params, executing, 1, {.optimizer = optimizer.get()}) {}

        // `before` is called at the start of the forward pass.
        void forwardAndBackward(const std::function<void()>& before = [] {}) {
            at::Tensor loss;
            executing.run({SpanKind::Forward}, [&] {
                before();
                loss = net->forward(input).pow(2).mean();
            });
            executing.run({SpanKind::Backward}, [&] {
                params.gradients().zero_();
                loss.backward();
            });
        }

        Device device;
        DeviceClock times;
        StreamQueue queue;
        TwinCommunicator comm;
        DeviceExecutor executing;
        // An even number of weights: where the twins exchange halves, these are equal.
        torch::nn::Sequential net{torch::nn::Linear(4, 8), torch::nn::Linear(8, 2)};
        FlatParams params;
        at::Tensor input = torch::ones({2, 4}, torch::kFloat64);
        std::unique_ptr<Optimizer> optimizer =
            OptimizerRegistry::find("sgd")->create(table({{"momentum", number(0.9)}}), {}).value();
        StepContext context;
    };
};

// ------------------------------------------------------------------------------------- gradients in buckets

class BucketsOnDeviceTest : public TwinsOnDeviceTest {
protected:
    // Synchronous SGD with a bucket for each parameter, which leaves from inside the backward pass.
    void train(const Keeps& keeps = nullptr) {
        TwinRank rank(*this, keeps);
        const auto algorithm =
            AlgorithmRegistry::find("sync_sgd")
                ->create(table({{"bucket_mb", number(1e-6)}, {"first_bucket_mb", number(1e-6)}}), {});
        ASSERT_TRUE(algorithm) << algorithm.error().message;
        const ObservedOps ops(model, kMicro);
        (*algorithm)->start(rank.context);
        for (int step = 1; step <= 5; ++step) {
            rank.context.moveTo(step, 0.1);
            rank.forwardAndBackward();
            (*algorithm)->afterBackward(rank.context);
            rank.executing.run({SpanKind::Update}, [&] {
                const at::NoGradGuard guard;
                rank.params.weights().sub_(rank.params.gradients(), 0.1);
            });
            (*algorithm)->afterStep(rank.context);
            rank.executing.stepDone(clock.now());
        }
        EXPECT_EQ(rank.device.hostWaits(), 0);
    }
};

TEST_F(BucketsOnDeviceTest, EveryBucketIsOrderedWithThePassAndTheUpdate) {
    train();
    EXPECT_THAT(model.races(), IsEmpty());
    EXPECT_THAT(model.hostWaits(), IsEmpty());
    EXPECT_THAT(model.faults(), IsEmpty());
}

TEST_F(BucketsOnDeviceTest, ABucketThatLeavesBeforeItsGradientsAreThereIsFound) {
    train(kOfCompute);
    EXPECT_THAT(model.races(), Contains(AllOf(HasSubstr("all_reduce on stream"), HasSubstr("on compute writes"))));
}

TEST_F(BucketsOnDeviceTest, AnUpdateThatDoesNotWaitForTheMeansIsFound) {
    train(kOfCommunication);
    EXPECT_THAT(model.races(), Contains(HasSubstr("aten::sub_ on compute reads what all_reduce on stream")));
}

// ------------------------------------------------------------------------------------- the relatives of DaSGD

// Trials that train on every rank, since neither of the twins serves, and communicate by collectives and exchanges:
// what depends on who comes first has messages, which the host takes.
class RelativesOnDevice : public TwinsOnDeviceTest, public ::testing::WithParamInterface<AlgorithmTrial> {
protected:
    void train(const Keeps& keeps = nullptr) {
        TwinRank rank(*this, keeps);
        const auto own = GetParam().make();
        auto* const ownUpdate = dynamic_cast<OwnUpdate*>(own.get());
        own->start(rank.context);
        {
            const ObservedOps ops(model, kMicro);
            for (int step = 1; step <= 26; ++step) {
                rank.context.moveTo(step, 0.01);
                rank.forwardAndBackward([&] { model.launch(nullptr, 100 * kMicro); });
                const at::NoGradGuard guard;
                own->afterBackward(rank.context);
                rank.executing.run({SpanKind::Update}, [&] {
                    ownUpdate ? ownUpdate->update(rank.context, *rank.optimizer)
                              : rank.optimizer->step(rank.params, 0.01);
                });
                own->afterStep(rank.context);
                rank.executing.stepDone(clock.now());
            }
        }
        hostWaits = rank.device.hostWaits();
        modelWaits = model.hostWaits();
        end(rank.queue, rank.executing, *own, rank.context);
    }
    std::int64_t hostWaits = -1;
    std::vector<std::string> modelWaits;
};

TEST_P(RelativesOnDevice, TheHostNeverWaitsAndEveryAccessIsOrdered) {
    train();
    EXPECT_FALSE(spansOf(SpanKind::Reduce).empty());
    EXPECT_EQ(hostWaits, 0);
    // A tensor of the host looks no different here; on_device_test.cpp tells them apart.
    if (GetParam().hostReads == HostReads::Nothing) {
        EXPECT_THAT(modelWaits, IsEmpty());
    }
    EXPECT_THAT(model.races(), IsEmpty());
    EXPECT_THAT(model.faults(), IsEmpty());
}

TEST_P(RelativesOnDevice, AMissingWaitOfEitherStreamIsFound) {
    for (const Keeps& keeps : {kOfCompute, kOfCommunication}) {
        const std::size_t before = model.races().size();
        train(keeps);
        EXPECT_GT(model.races().size(), before);
    }
}

INSTANTIATE_TEST_SUITE_P(Registry, RelativesOnDevice, ::testing::ValuesIn(trialsThat([](const AlgorithmTrial& trial) {
                             const auto made = trial.make();
                             return trial.repeats && !made->isTimeOnly() && !trial.measures && made->roundSteps() > 0 &&
                                    trial.hostReads != HostReads::EachStep && trial.onGpus && !trial.isCoded() &&
                                    dynamic_cast<HasRoles*>(made.get()) == nullptr;
                         })),
                         trialName);
const AlgorithmTrial kOverlappedPush{.algorithm = "sgp", .fields = {{"overlap", boolean(true)}}, .what = "overlapped"};
INSTANTIATE_TEST_SUITE_P(OtherSettings, RelativesOnDevice, ::testing::Values(kOverlappedPush), trialName);

}  // namespace
}  // namespace dasgd::test
