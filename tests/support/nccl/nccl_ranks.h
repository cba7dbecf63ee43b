// Ranks as threads of the test, each with a device and an NCCL of its own, both stand-ins.
#pragma once

#include <exception>
#include <thread>
#include <vector>

#include "core/comm/gloo/rendezvous.h"
#include "core/comm/group_places.h"
#include "core/comm/nccl/nccl.h"
#include "core/comm/threads.h"
#include "tests/support/comm/communicator_contract.h"
#include "tests/support/device/threaded_device.h"
#include "tests/support/nccl/standin_nccl.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {

// Waits on the host, as code does that looks at a tensor's values.
class HostWaits final : public Communicator {
public:
    explicit HostWaits(std::unique_ptr<Communicator> inner) : Communicator(inner->group()), inner_(std::move(inner)) {}

private:
    class Waiting final : public Pending::Operation {
    public:
        explicit Waiting(std::shared_ptr<Operation> inner) : inner_(std::move(inner)) {}
        void wait() override {
            inner_->wait();
            while (!inner_->done()) std::this_thread::sleep_for(std::chrono::microseconds(50));
            inner_->wait();
        }
        bool done() override { return inner_->done(); }
        bool cancel() override { return inner_->cancel(); }
        std::optional<Pending::Outcome> outcome() override { return inner_->outcome(); }
        void onEnd(std::function<void()> callback) override { inner_->onEnd(std::move(callback)); }

    private:
        std::shared_ptr<Operation> inner_;
    };

    Pending start(CollectiveCall call, std::uint64_t number) override {
        countSent(bytesOnWire(call, rank(), size()));
        return Pending(std::make_shared<Waiting>(inner_->launch(std::move(call)).operation()), number);
    }
    Pending start(MessageCall call) override {
        if (call.sends) countSent(static_cast<std::int64_t>(call.tensor.nbytes()));
        return Pending(std::make_shared<Waiting>(inner_->launch(std::move(call)).operation()));
    }
    std::vector<Pending> startExchange(std::vector<MessageCall> messages) override {
        for (const MessageCall& message : messages) {
            if (message.sends) countSent(static_cast<std::int64_t>(message.tensor.nbytes()));
        }
        std::vector<Pending> pending = inner_->exchange(std::move(messages));
        for (Pending& each : pending) each = Pending(std::make_shared<Waiting>(each.operation()));
        return pending;
    }
    std::unique_ptr<Communicator> open(Group group) override {
        return std::make_unique<HostWaits>(inner_->split(placesOf(group, this->group())));
    }

    std::unique_ptr<Communicator> inner_;
};

// Stand-ins that a rank's communicator runs on.
struct StandInRank {
    explicit StandInRank(const Clock& clock) : times(device, clock) {}
    ThreadedDevice streams;
    StandInNccl nccl{
        [this](StreamHandle stream, std::function<void()> work) { streams.launch(stream, std::move(work)); }};
    const NcclApi api = nccl.api();
    Device device{streams.api(), 0};
    DeviceClock times;
};

// Runs `body` once a rank; the first exception is thrown again here. `connected` is what the rank knows of its
// stand-ins.
inline void runNcclRanks(int size, const std::function<void(Communicator&, Clock&, StandInRank&)>& body,
                         std::chrono::milliseconds timeout) {
    MonotonicClock clock;
    const TempDir folder;
    ThreadsGroup control(size, timeout, clock);
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
    std::vector<std::thread> threads;
    for (int r = 0; r < size; ++r) {
        threads.emplace_back([&, r] {
            try {
                StandInRank rank(clock);
                auto meeting = Rendezvous::file(folder.path() / "store", size, std::chrono::milliseconds(20'000));
                if (!meeting) throw std::runtime_error(meeting.error().message);
                auto made = makeNccl(*meeting, {.rank = Rank{r}, .size = size, .timeout = timeout},
                                     {.nccl = rank.api,
                                      .device = rank.device,
                                      .times = rank.times,
                                      .holds = [](const at::Tensor&) { return true; }},
                                     control.communicator(Rank{r}), clock);
                if (!made) throw std::runtime_error(made.error().message);
                HostWaits comm(std::move(*made));
                body(comm, clock, rank);
            } catch (...) {
                errors[static_cast<std::size_t>(r)] = std::current_exception();
                control.abort("rank " + std::to_string(r) + " failed");
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors) {
        if (error) std::rethrow_exception(error);
    }
}

inline ContractBackend standInNcclBackend() {
    return {.name = "stand_in_nccl",
            .run = [](int ranks, const ContractBackend::Body& body, std::chrono::milliseconds timeout) {
                runNcclRanks(
                    ranks, [&](Communicator& comm, Clock& clock, StandInRank&) { body(comm, clock); }, timeout);
            }};
}

}  // namespace dasgd::test
