#include "core/comm/threads.h"

#include <torch/types.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "core/comm/completion.h"
#include "core/comm/group_keys.h"
#include "core/comm/group_maths.h"
#include "core/comm/matching.h"

namespace dasgd {

using std::chrono::milliseconds;

namespace {

using Ended = std::shared_ptr<Completion>;

// One collective of all ranks of a communicator.
struct GroupRound {
    std::uint64_t number = 0;
    int opener = 0;
    std::vector<std::optional<CollectiveCall>> calls;  // one for each rank that has arrived
    std::vector<Ended> ends;
    int arrived = 0;
};

// One end of a message that waits for the other.
struct End {
    at::Tensor tensor;
    Ended ended;
};

// State shared by the ranks of one communicator; guarded by the mutex of ThreadsGroup::Impl.
struct GroupState {
    std::map<std::uint64_t, std::shared_ptr<GroupRound>> rounds;  // not everyone has arrived
    Matching<End, End> messages;
    Ns lastEnd = 0;  // end of its newest collective
};

}  // namespace

class ThreadsGroup::Impl : public std::enable_shared_from_this<Impl> {
public:
    Impl(int size, milliseconds timeout, const Clock& clock) : size_(size), timeout_(timeout), clock_(clock) {
        thread_ = std::thread([this] { serve(); });
    }
    ~Impl() {
        {
            const std::lock_guard lock(mutex_);
            closing_ = true;
        }
        condition_.notify_all();
        thread_.join();
    }

    std::shared_ptr<GroupState> stateOf(const std::string& path) {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<GroupState>& state = groups_[path];
        if (!state) state = std::make_shared<GroupState>();
        return state;
    }
    std::uint32_t keyOf(const std::string& path) {
        const std::lock_guard lock(mutex_);
        return keys_.of(path);
    }

    Ended join(const std::shared_ptr<GroupState>& state, const Group& group, CollectiveCall call,
               std::uint64_t number) {
        std::unique_lock lock(mutex_);
        std::shared_ptr<GroupRound>& slot = state->rounds[number];
        if (!slot) {
            slot = std::make_shared<GroupRound>();
            slot->number = number;
            slot->opener = group.rank.value();
            slot->calls.resize(group.members.size());
            slot->ends.resize(group.members.size());
        }
        const std::shared_ptr<GroupRound> round = slot;
        if (round->arrived > 0) {
            checkSame(group, number, Rank(round->opener), *round->calls[static_cast<std::size_t>(round->opener)],
                      group.rank, call);
        }
        const auto own = static_cast<std::size_t>(group.rank.value());
        const Ended ended = std::make_shared<Completion>(
            Completion::Facts{.label = group.nameOf(group.rank) + ": " + describe(call, number),
                              .launched = clock_.now(),
                              .timeout = timeout_,
                              .missing = [weak = weak_from_this(), open = std::weak_ptr(round)] {
                                  return missingFrom(weak, open.lock());
                              }});
        round->calls[own] = std::move(call);
        round->ends[own] = ended;
        ++round->arrived;
        if (!aborted_.empty()) {
            lock.unlock();
            ended->fail(aborted_);
        } else if (round->arrived == group.size()) {
            ready_.push_back({state, round});
            state->rounds.erase(number);
            condition_.notify_all();
        }
        return ended;
    }

    Ended post(const std::shared_ptr<GroupState>& state, const Group& group, const MessageCall& call) {
        Completion::Facts facts{
            .label = group.nameOf(group.rank) + ": " + describe(call), .launched = clock_.now(), .timeout = timeout_};
        // Set once the operation exists. The callback below belongs to that operation, so the pointer is valid whenever
        // it is called.
        const auto self = std::make_shared<const Completion*>();
        if (!call.sends) {
            facts.withdraw = [weak = weak_from_this(), open = std::weak_ptr(state), self] {
                return withdraw(weak, open.lock(), *self);
            };
        }
        const End mine{call.tensor, std::make_shared<Completion>(std::move(facts))};
        *self = mine.ended.get();
        match(*state, group.rank.value(), call, mine);
        return mine.ended;
    }

    void abort(const std::string& reason) {
        std::vector<Ended> open;
        {
            const std::lock_guard lock(mutex_);
            if (!aborted_.empty()) return;
            aborted_ = reason;
            for (auto& [path, state] : groups_) {
                for (auto& [number, round] : state->rounds) {
                    open.insert(open.end(), round->ends.begin(), round->ends.end());
                }
                state->messages.takeReceives([](const auto&, const End&) { return true; },
                                             [&](const End& end) { open.push_back(end.ended); });
                state->messages.takeSends([&](const End& end) { open.push_back(end.ended); });
            }
        }
        for (const Ended& each : open) {
            if (each) each->fail(reason);
        }
    }

    [[nodiscard]] int size() const { return size_; }

private:
    struct Ready {
        std::shared_ptr<GroupState> state;
        std::shared_ptr<GroupRound> round;
    };

    static std::string missingFrom(const std::weak_ptr<Impl>& group, const std::shared_ptr<GroupRound>& round) {
        const auto self = group.lock();
        if (!self || !round) return {};
        const std::lock_guard lock(self->mutex_);
        std::string absent;
        for (std::size_t r = 0; r < round->ends.size(); ++r) {
            if (!round->ends[r]) absent += (absent.empty() ? "; not arrived: rank " : ", ") + std::to_string(r);
        }
        return absent;
    }

    static bool withdraw(const std::weak_ptr<Impl>& group, const std::shared_ptr<GroupState>& state,
                         const Completion* operation) {
        const auto self = group.lock();
        if (!self || !state) return false;
        const std::lock_guard lock(self->mutex_);
        bool taken = false;
        state->messages.takeReceives([&](const auto&, const End& end) { return end.ended.get() == operation; },
                                     [&](const End&) { taken = true; });
        return taken;
    }

    // Carries a message over at its second end; the first end to come waits.
    void match(GroupState& state, int own, const MessageCall& call, const End& mine) {
        std::optional<End> other;
        int from = own;
        std::string aborted;
        {
            const std::lock_guard lock(mutex_);
            aborted = aborted_;
            if (aborted.empty() && call.sends) {
                other = state.messages.offer(own, call.peer->value(), call.tag, mine);
            } else if (aborted.empty()) {
                const auto asked = call.peer ? std::optional(call.peer->value()) : std::nullopt;
                if (auto sent = state.messages.ask(asked, own, call.tag, mine)) {
                    from = sent->from;
                    other = std::move(sent->send);
                }
            }
        }
        if (!aborted.empty()) return mine.ended->fail(aborted);
        if (!other) return;
        const End& sender = call.sends ? mine : *other;
        const End& receiver = call.sends ? *other : mine;
        try {
            copyMessage(sender.tensor, Rank(from), receiver.tensor);
        } catch (const std::exception& error) {
            sender.ended->fail(firstLine(error));
            receiver.ended->fail(firstLine(error));
            return;
        }
        const Interval interval{std::max(sender.ended->launched(), receiver.ended->launched()), clock_.now()};
        sender.ended->end({interval, std::nullopt});
        receiver.ended->end({interval, Rank(from)});
    }

    void serve() {
        std::unique_lock lock(mutex_);
        while (true) {
            condition_.wait(lock, [&] { return closing_ || !ready_.empty(); });
            if (ready_.empty()) return;
            const Ready next = std::move(ready_.front());
            ready_.pop_front();
            lock.unlock();
            carry(*next.state, *next.round);
            lock.lock();
        }
    }

    void carry(GroupState& state, GroupRound& round) {
        try {
            carryOut(round.calls);
        } catch (const std::exception& error) {
            for (const Ended& each : round.ends) each->fail(firstLine(error));
            return;
        }
        const Ns now = clock_.now();
        const Ns free = std::exchange(state.lastEnd, now);
        for (const Ended& each : round.ends) each->end({{std::max(each->launched(), free), now}, std::nullopt});
    }

    const int size_;
    const milliseconds timeout_;
    const Clock& clock_;
    std::mutex mutex_;
    std::condition_variable condition_;
    std::map<std::string, std::shared_ptr<GroupState>> groups_;  // of each communicator, by the path of its group
    GroupKeys keys_;
    std::deque<Ready> ready_;
    std::string aborted_;
    bool closing_ = false;
    std::thread thread_;
};

namespace {

class ThreadsCommunicator final : public Communicator {
public:
    ThreadsCommunicator(std::shared_ptr<ThreadsGroup::Impl> ranks, Group group)
        : Communicator(std::move(group)), ranks_(std::move(ranks)), state_(ranks_->stateOf(this->group().path)) {}

private:
    Pending start(CollectiveCall call, std::uint64_t number) override {
        countSent(bytesOnWire(call, rank(), size()));
        return Pending(ranks_->join(state_, group(), std::move(call), number), number);
    }
    Pending start(MessageCall call) override {
        if (call.sends) countSent(static_cast<std::int64_t>(call.tensor.nbytes()));
        return Pending(ranks_->post(state_, group(), call));
    }
    // Needs no connection: the first member to call creates the state that the others find.
    std::unique_ptr<Communicator> open(Group group) override {
        group.key = ranks_->keyOf(group.path);
        return std::make_unique<ThreadsCommunicator>(ranks_, std::move(group));
    }

    std::shared_ptr<ThreadsGroup::Impl> ranks_;
    std::shared_ptr<GroupState> state_;
};

}  // namespace

ThreadsGroup::ThreadsGroup(int size, milliseconds timeout, const Clock& clock)
    : impl_(std::make_shared<Impl>(size, timeout, clock)) {}
ThreadsGroup::~ThreadsGroup() = default;

std::unique_ptr<Communicator> ThreadsGroup::communicator(Rank rank) {
    return std::make_unique<ThreadsCommunicator>(impl_, Group::whole(rank, impl_->size()));
}

void ThreadsGroup::abort(const std::string& reason) { impl_->abort(reason); }

}  // namespace dasgd
