#include "core/comm/threads.h"

#include <torch/types.h>
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/check.h"
#include "core/comm/group_maths.h"

namespace dasgd {

using std::chrono::milliseconds;

namespace {

// One collective of the whole group.
struct Round {
    CollectiveKind kind{};
    Reduce op{};
    Rank root;
    Rank opener;
    std::uint64_t number = 0;
    std::vector<std::optional<Contribution>> arrivals;
    int arrived = 0;
    bool done = false;
    Ns ended = 0;
    Ns linkFree = 0;  // when the round before it ended
};

struct Message {
    at::Tensor tensor;
    bool done = false;
    Ns launched = 0;
    Ns ended = 0;
};

using Channel = std::tuple<int, int, int>;  // from, to, tag

}  // namespace

class ThreadsGroup::Impl {
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

    std::shared_ptr<Round> join(Rank rank, CollectiveKind kind, Reduce op, Rank root, std::uint64_t number,
                                Contribution contribution) {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<Round>& round = rounds_[number];
        if (!round) {
            round = std::make_shared<Round>();
            round->kind = kind;
            round->op = op;
            round->root = root;
            round->opener = rank;
            round->number = number;
            round->arrivals.resize(static_cast<std::size_t>(size_));
        }
        if (round->arrived > 0) {
            const auto& opened = round->arrivals[static_cast<std::size_t>(round->opener.value())];
            checkSame(number, {round->opener, round->kind, round->op, round->root, opened->in},
                      {rank, kind, op, root, contribution.in});
        }
        round->arrivals[static_cast<std::size_t>(rank.value())] = std::move(contribution);
        std::shared_ptr<Round> mine = round;
        if (++round->arrived == size_) {
            ready_.push_back(round);
            rounds_.erase(number);
            condition_.notify_all();
        }
        return mine;
    }

    void await(const Round& round, const std::string& label) {
        std::unique_lock lock(mutex_);
        const bool ended = condition_.wait_for(lock, timeout_, [&] { return round.done || !aborted_.empty(); });
        if (round.done) return;
        if (!aborted_.empty()) throw CommError(label + " failed: " + aborted_);
        DASGD_CHECK(!ended);
        std::string absent;
        for (int r = 0; r < size_; ++r) {
            if (!round.arrivals[static_cast<std::size_t>(r)])
                absent += (absent.empty() ? "" : ", ") + std::to_string(r);
        }
        throw CommError(label + " did not end within " + std::to_string(timeout_.count()) + " ms; not arrived: rank " +
                        absent);
    }

    bool isDone(const Round& round) {
        const std::lock_guard lock(mutex_);
        return round.done;
    }

    std::shared_ptr<Message> post(Channel channel, at::Tensor tensor, bool sending) {
        const std::lock_guard lock(mutex_);
        auto mine = std::make_shared<Message>(Message{.tensor = std::move(tensor), .launched = clock_.now()});
        auto& peers = sending ? receives_[channel] : sends_[channel];
        if (peers.empty()) {
            (sending ? sends_ : receives_)[channel].push_back(mine);
            return mine;
        }
        const std::shared_ptr<Message> peer = peers.front();
        peers.pop_front();
        const at::NoGradGuard guard;
        (sending ? peer : mine)->tensor.copy_((sending ? mine : peer)->tensor);
        mine->ended = peer->ended = clock_.now();
        mine->done = peer->done = true;
        condition_.notify_all();
        return mine;
    }

    void await(const Message& message, const std::string& label) {
        std::unique_lock lock(mutex_);
        condition_.wait_for(lock, timeout_, [&] { return message.done || !aborted_.empty(); });
        if (message.done) return;
        throw CommError(aborted_.empty() ? label + " did not end within its deadline" : label + " failed: " + aborted_);
    }

    bool isDone(const Message& message) {
        const std::lock_guard lock(mutex_);
        return message.done;
    }

    void abort(const std::string& reason) {
        const std::lock_guard lock(mutex_);
        if (aborted_.empty()) aborted_ = reason;
        condition_.notify_all();
    }

    [[nodiscard]] const Clock& clock() const { return clock_; }
    [[nodiscard]] int size() const { return size_; }

private:
    void serve() {
        std::unique_lock lock(mutex_);
        while (true) {
            condition_.wait(lock, [&] { return closing_ || !ready_.empty(); });
            if (ready_.empty()) return;
            const std::shared_ptr<Round> round = ready_.front();
            ready_.pop_front();
            lock.unlock();
            carryOut(round->kind, round->op, round->root, round->arrivals);
            lock.lock();
            round->linkFree = lastEnd_;
            round->ended = lastEnd_ = clock_.now();
            round->done = true;
            condition_.notify_all();
        }
    }

    const int size_;
    const milliseconds timeout_;
    const Clock& clock_;
    std::mutex mutex_;
    std::condition_variable condition_;
    std::map<std::uint64_t, std::shared_ptr<Round>> rounds_;
    std::deque<std::shared_ptr<Round>> ready_;
    std::map<Channel, std::deque<std::shared_ptr<Message>>> sends_;
    std::map<Channel, std::deque<std::shared_ptr<Message>>> receives_;
    std::string aborted_;
    Ns lastEnd_ = 0;
    bool closing_ = false;
    std::thread thread_;
};

namespace {

class RoundOperation final : public Pending::Operation {
public:
    RoundOperation(std::shared_ptr<ThreadsGroup::Impl> group, std::shared_ptr<Round> round, Ns launched,
                   std::string label)
        : group_(std::move(group)), round_(std::move(round)), launched_(launched), label_(std::move(label)) {}
    void wait() override { group_->await(*round_, label_); }
    bool done() override { return group_->isDone(*round_); }
    Interval interval() override { return {std::max(launched_, round_->linkFree), round_->ended}; }

private:
    std::shared_ptr<ThreadsGroup::Impl> group_;
    std::shared_ptr<Round> round_;
    Ns launched_;
    std::string label_;
};

class MessageOperation final : public Pending::Operation {
public:
    MessageOperation(std::shared_ptr<ThreadsGroup::Impl> group, std::shared_ptr<Message> message, std::string label)
        : group_(std::move(group)), message_(std::move(message)), label_(std::move(label)) {}
    void wait() override { group_->await(*message_, label_); }
    bool done() override { return group_->isDone(*message_); }
    Interval interval() override { return {message_->launched, message_->ended}; }

private:
    std::shared_ptr<ThreadsGroup::Impl> group_;
    std::shared_ptr<Message> message_;
    std::string label_;
};

class ThreadsCommunicator final : public Communicator {
public:
    ThreadsCommunicator(std::shared_ptr<ThreadsGroup::Impl> group, Rank rank)
        : Communicator(rank, group->size()), group_(std::move(group)) {}

    Pending allReduce(at::Tensor& tensor, Reduce op) override {
        countSent(2 * bytesOf(tensor) * (size() - 1) / size());
        return launch(CollectiveKind::AllReduce, op, Rank{0}, tensor, tensor);
    }
    Pending allGather(const at::Tensor& in, at::Tensor& out) override {
        countSent(bytesOf(in) * (size() - 1));
        return launch(CollectiveKind::AllGather, Reduce::Sum, Rank{0}, in, out);
    }
    Pending broadcast(at::Tensor& tensor, Rank root) override {
        if (root == rank()) countSent(bytesOf(tensor) * (size() - 1));
        return launch(CollectiveKind::Broadcast, Reduce::Sum, root, tensor, tensor);
    }
    Pending send(const at::Tensor& tensor, Rank to, int tag) override {
        countSent(bytesOf(tensor));
        return message({rank().value(), to.value(), tag}, tensor, true);
    }
    Pending receive(at::Tensor& tensor, Rank from, int tag) override {
        return message({from.value(), rank().value(), tag}, tensor, false);
    }

private:
    static std::int64_t bytesOf(const at::Tensor& tensor) { return static_cast<std::int64_t>(tensor.nbytes()); }

    Pending launch(CollectiveKind kind, Reduce op, Rank root, const at::Tensor& in, const at::Tensor& out) {
        const std::uint64_t number = nextCollective();
        const Ns launched = group_->clock().now();
        auto round = group_->join(rank(), kind, op, root, number, {in, out});
        std::string label = labelOf(rank(), kind, number, in);
        return Pending(std::make_shared<RoundOperation>(group_, std::move(round), launched, std::move(label)), number);
    }

    Pending message(Channel channel, const at::Tensor& tensor, bool sending) {
        const std::string label = "rank " + std::to_string(rank().value()) + (sending ? ": send" : ": receive");
        return Pending(std::make_shared<MessageOperation>(group_, group_->post(channel, tensor, sending), label));
    }

    std::shared_ptr<ThreadsGroup::Impl> group_;
};

}  // namespace

ThreadsGroup::ThreadsGroup(int size, milliseconds timeout, const Clock& clock)
    : impl_(std::make_shared<Impl>(size, timeout, clock)) {}
ThreadsGroup::~ThreadsGroup() = default;

std::unique_ptr<Communicator> ThreadsGroup::communicator(Rank rank) {
    return std::make_unique<ThreadsCommunicator>(impl_, rank);
}

void ThreadsGroup::abort(const std::string& reason) { impl_->abort(reason); }

}  // namespace dasgd
