#include "core/comm/clock_sync.h"

#include <torch/types.h>

#include <condition_variable>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/metric_names.h"

namespace dasgd {

namespace {

constexpr int kTag = 771;
constexpr int kRoundsAgain = 8;

Ns receiveTime(Communicator& comm, Rank from) {
    at::Tensor time = torch::zeros({1}, torch::kInt64);
    Pending pending = comm.receive(time, from, kTag);
    pending.wait();
    return time.item<std::int64_t>();
}

void sendTime(Communicator& comm, Rank to, Ns now) {
    Pending pending = comm.send(torch::full({1}, now, torch::kInt64), to, kTag);
    pending.wait();
}

RankClockOffset askRankZero(Communicator& comm, const Clock& clock, int rounds) {
    RankClockOffset best{.offset = 0, .error = std::numeric_limits<Ns>::max()};
    for (int i = 0; i < rounds; ++i) {
        const Ns asked = clock.now();
        sendTime(comm, Rank{0}, asked);
        const Ns there = receiveTime(comm, Rank{0});
        const Ns answered = clock.now();
        const Ns error = (answered - asked + 1) / 2;
        if (error < best.error) best = {.offset = there - (asked + error), .error = error};
    }
    return best;
}

}  // namespace

RankClockOffset estimateClockOffset(Communicator& comm, const Clock& clock, int rounds) {
    if (comm.rank() != Rank{0}) return askRankZero(comm, clock, rounds);
    for (int peer = 1; peer < comm.size(); ++peer) {
        for (int i = 0; i < rounds; ++i) {
            receiveTime(comm, Rank{peer});
            sendTime(comm, Rank{peer}, clock.now());
        }
    }
    return {};
}

class ClockKeeper::Impl {
public:
    Impl(Communicator& comm, const Clock& reference, SteeredClock* clock, std::chrono::milliseconds every)
        : comm_(wholeOf(comm)), reference_(reference), clock_(clock), every_(every) {
        if (comm_->rank() == Rank{0}) {
            awaitQuestion();
        } else if (clock_) {
            thread_ = std::thread([this] { serve(); });
        }
    }
    ~Impl() {
        std::shared_ptr<Pending::Operation> open;
        {
            const std::lock_guard lock(mutex_);
            closing_ = true;
            open = question_;
        }
        condition_.notify_all();
        if (open && !open->cancel()) awaitAnswer(*open);
        if (thread_.joinable()) thread_.join();
    }

    [[nodiscard]] Ns error() const { return error_; }
    [[nodiscard]] std::uint64_t measurements() const { return measurements_; }

private:
    static std::unique_ptr<Communicator> wholeOf(Communicator& comm) {
        std::vector<Rank> everyone;
        for (int rank = 0; rank < comm.size(); ++rank) everyone.emplace_back(rank);
        return comm.split(everyone, false);
    }

    // Rank 0: each question is answered by the thread on which it arrives, which then awaits the next. Once the keeper
    // closes and the newest question has ended, nothing here touches it any more.
    void awaitQuestion() {
        std::shared_ptr<Pending::Operation> question;
        {
            const std::lock_guard lock(mutex_);
            if (closing_) return;
            question = comm_->receiveAny(asked_, kTag).operation();
            question_ = question;
        }
        question->onEnd([this, raw = question.get()] { answer(*raw); });
    }
    void answer(Pending::Operation& question) {
        const auto outcome = question.outcome();
        if (!outcome) return;
        {
            const std::lock_guard lock(mutex_);
            if (closing_) return;
        }
        answered_ = comm_->send(torch::full({1}, reference_.now(), torch::kInt64), *outcome->source, kTag);
        awaitQuestion();
    }

    // Waits until the question's callback has run: only then has the operation ended.
    static void awaitAnswer(Pending::Operation& question) {
        try {
            question.wait();
        } catch (const CommError&) {
        }
    }

    void serve() {
        std::unique_lock lock(mutex_);
        while (!condition_.wait_for(lock, every_, [&] { return closing_; })) {
            lock.unlock();
            try {
                measure();
            } catch (const CommError&) {
                return;
            }
            lock.lock();
        }
    }

    // Measures on the raw clock, which is not steered meanwhile.
    void measure() {
        const MonotonicClock raw(0);
        const RankClockOffset found = askRankZero(*comm_, raw, kRoundsAgain);
        const Ns correction = std::abs(-found.offset - clock_->origin());
        clock_->steer(-found.offset);
        error_ = found.error + correction;
        ++measurements_;
    }

    const std::unique_ptr<Communicator> comm_;
    const Clock& reference_;
    SteeredClock* const clock_;
    const std::chrono::milliseconds every_;
    std::mutex mutex_;
    std::condition_variable condition_;
    bool closing_ = false;
    at::Tensor asked_ = torch::zeros({1}, torch::kInt64);
    std::shared_ptr<Pending::Operation> question_;  // the question that rank 0 awaits
    Pending answered_;
    std::atomic<Ns> error_ = 0;
    std::atomic<std::uint64_t> measurements_ = 0;
    std::thread thread_;
};

ClockKeeper::ClockKeeper(Communicator& comm, const Clock& reference, SteeredClock* clock,
                         std::chrono::milliseconds every)
    : impl_(std::make_unique<Impl>(comm, reference, clock, every)) {}
ClockKeeper::~ClockKeeper() = default;

Ns ClockKeeper::error() const { return impl_->error(); }
std::uint64_t ClockKeeper::measurements() const { return impl_->measurements(); }

Alignment alignClock(Communicator& comm, SteeredClock& clock, bool isOwn, std::chrono::milliseconds every) {
    const RankClockOffset found = estimateClockOffset(comm, clock);
    Alignment alignment;
    if (!isOwn) {
        clock.setOrigin(clock.origin() - found.offset);
        alignment.error = found.error;
    }
    at::Tensor others = torch::full({1}, isOwn ? 0.0F : 1.0F);
    Pending pending = comm.allReduce(others, Reduce::Max);
    pending.wait();
    if (others.item<float>() > 0) {
        alignment.keeper = std::make_unique<ClockKeeper>(comm, clock, isOwn ? nullptr : &clock, every);
    }
    return alignment;
}

void ClockErrorSink::span(const Span& span) {
    recordNew();
    sink_.span(span);
}

void ClockErrorSink::namedSpan(const Span& span, std::string_view name) {
    auto* named = dynamic_cast<NamedSpanSink*>(&sink_);
    if (!named) return this->span(span);
    recordNew();
    named->namedSpan(span, name);
}

void ClockErrorSink::metric(const Metric& metric) {
    recordNew();
    sink_.metric(metric);
}

void ClockErrorSink::state(RankState state, std::int64_t step, std::string_view text) {
    recordNew();
    sink_.state(state, step, text);
}

void ClockErrorSink::recordNew() {
    const std::uint64_t newest = keeper_ ? keeper_->measurements() : recorded_;
    if (newest == recorded_) return;
    recorded_ = newest;
    sink_.metric(
        {.name = metrics::kClockErrorS, .wall = clock_.now(), .value = static_cast<double>(keeper_->error()) * 1e-9});
}

}  // namespace dasgd
