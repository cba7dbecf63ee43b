// Every trial of an algorithm on the stand-in accelerator: it trains as on the processor, and the host does not wait.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>

#include "core/comm/group_places.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/gpu/trained_on_device.h"

namespace dasgd::test {
namespace {

std::size_t collectivesWatched(const std::vector<RankRecord>& records) {
    std::size_t collectives = 0;
    for (const RankRecord& record : records) {
        collectives += static_cast<std::size_t>(std::ranges::count_if(record.sink.spans, [](const Span& span) {
            return span.kind == SpanKind::Reduce && span.step > kWatchedFrom && span.step <= kWatchedUntil;
        }));
    }
    return collectives;
}

class CountsReceives final : public Communicator {
public:
    CountsReceives(Communicator& inner, std::atomic<int>& received)
        : Communicator(inner.group()), inner_(inner), received_(received) {}

private:
    Pending start(CollectiveCall call, std::uint64_t) override { return inner_.launch(std::move(call)); }
    Pending start(MessageCall call) override {
        if (!call.sends) ++received_;
        return inner_.launch(std::move(call));
    }
    std::vector<Pending> startExchange(std::vector<MessageCall> messages) override {
        return inner_.exchange(std::move(messages));
    }
    std::unique_ptr<Communicator> open(Group group) override { return inner_.split(placesOf(group, this->group())); }

    Communicator& inner_;
    std::atomic<int>& received_;
};

class OnDeviceEvery : public ::testing::TestWithParam<AlgorithmTrial> {
protected:
    static void expectFewWaits(const OnDevice& run) {
        if (GetParam().hostReads != HostReads::OfDevice) {
            EXPECT_THAT(run.waits, ::testing::IsEmpty());
            return;
        }
        // Each rank waits once an average.
        const std::size_t averages = collectivesWatched(run.records);
        EXPECT_GE(averages, 3 * 2U);
        EXPECT_EQ(run.waits, std::vector<std::string>(averages, "aten::_local_scalar_dense"));
    }
    // `where`: data.device_data.
    static Value digitsKept(const std::string& where) {
        Fields data = GetParam().data();
        data.emplace_back("device_data", text(where));
        Value document = digits(GetParam().table(), {}, std::move(data));
        document.find("cluster")->set("workers", integer(GetParam().acceptedRanks(kDigitRanks)));
        return document;
    }
};

// A rank that receives single messages makes the host wait for them, on GPUs too (core/comm/nccl/device_messages.h), so
// the trial says how many there are.
TEST_P(OnDeviceEvery, TrainsAsOnTheProcessorAndNeverMakesTheHostWaitBetweenEvaluations) {
    const Value document = digitsKept("resident");
    const OnDevice run = trainOnDevice(document);
    std::atomic<int> received = 0;
    const auto counted = [&](Communicator& comm, Clock&) { return std::make_unique<CountsReceives>(comm, received); };
    const auto onProcessor = train(document, Backend::Threads, counted);
    for (const auto& records : {run.records, onProcessor}) {
        for (const RankRecord& record : records) EXPECT_EQ(record.outcome.error, "");
    }
    if (GetParam().repeats) {
        expectSameTraining(run.records, onProcessor, GetParam().name(), GetParam().deviceTolerance);
    }
    expectFewWaits(run);
    // A server asks for the next gradient ahead of a rank that it does not know yet, as often as the order has it.
    if (GetParam().repeats) {
        EXPECT_EQ(received, kDigitSteps * GetParam().messagesReceived);
    }
}

TEST_P(OnDeviceEvery, NeverMakesTheHostWaitForDataThatArePrefetched) {
    const OnDevice run = trainOnDevice(digitsKept("prefetch"));
    for (const RankRecord& record : run.records) EXPECT_EQ(record.outcome.error, "");
    expectFewWaits(run);
}

INSTANTIATE_TEST_SUITE_P(Registry, OnDeviceEvery, ::testing::ValuesIn(trialsThat([](const AlgorithmTrial& trial) {
                             return !trial.isTimeOnly() && !trial.measures && trial.hostReads != HostReads::EachStep &&
                                    trial.onGpus && !trial.isCoded();  // else refused
                         })),
                         trialName);

}  // namespace
}  // namespace dasgd::test
