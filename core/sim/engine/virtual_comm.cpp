#include "core/sim/engine/virtual_comm.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/sim/engine/rank_actor.h"

namespace dasgd {

namespace {

// An operation that is launched when its rank's simulated time has come so far: inside a backward pass that is later.
class VirtualOperation final : public Pending::Operation {
public:
    // Description of the operation for errors, put into words only once there is one.
    struct Launched {
        std::optional<MessageCall> message;  // otherwise a collective
        CollectiveKind kind{};
        std::uint64_t number = 0;
        std::size_t bytes = 0;  // of a collective
    };
    VirtualOperation(RankActor& actor, VirtualGroup& ranks, const Group& group, Launched launched)
        : actor_(actor),
          ranks_(ranks),
          rank_(group.rank),
          groupName_(group.name),
          launched_(std::move(launched)),
          free_(actor.isFree()) {
        end_.whenDone = [this] { runCallbacks(); };
    }

    void wait() override {
        if (!done()) actor_.await([this] { return end_.done; }, [this] { return label(); });
        if (!end_.error.empty()) throw CommError(label() + (cancelled_ ? " " : " failed: ") + end_.error);
    }
    void waitForAny(const std::vector<Operation*>& operations) override {
        const auto any = [&operations] {
            return std::ranges::any_of(
                operations, [](Operation* operation) { return dynamic_cast<VirtualOperation&>(*operation).end_.done; });
        };
        actor_.settle();
        if (!any()) actor_.await(any, [this] { return label(); });
    }
    bool done() override {
        actor_.settle();
        return end_.done;
    }
    bool cancel() override {
        bool taken = false;
        actor_.settle();
        actor_.launch([this, &taken] {
            taken = ranks_.withdraw(end_);
            if (!taken) return;
            cancelled_ = end_.done = true;
            end_.error = "was cancelled";
            runCallbacks();
        });
        return taken;
    }
    std::optional<Pending::Outcome> outcome() override {
        if (!end_.done || !end_.error.empty()) return std::nullopt;
        return Pending::Outcome{{toNs(end_.began), toNs(end_.ended)}, end_.source};
    }
    void onEnd(std::function<void()> callback) override {
        if (end_.done) return callback();
        callbacks_.push_back(std::move(callback));
    }

    [[nodiscard]] bool isFree() const { return free_; }
    VirtualEnd& end() { return end_; }

private:
    [[nodiscard]] std::string label() const {
        return Group{.rank = rank_, .name = groupName_}.nameOf(rank_) + ": " +
               (launched_.message ? describe(*launched_.message)
                                  : describe(launched_.kind, launched_.number, launched_.bytes));
    }

    // Runs the callbacks, in SimGrid's context.
    void runCallbacks() {
        if (callbacks_.empty()) return;
        const std::vector<std::function<void()>> callbacks = std::exchange(callbacks_, {});
        actor_.inCallback(free_, [&] {
            for (const auto& callback : callbacks) callback();
        });
    }

    RankActor& actor_;
    VirtualGroup& ranks_;
    const Rank rank_;
    const std::string groupName_;
    const Launched launched_;
    const bool free_;  // untimed
    bool cancelled_ = false;
    VirtualEnd end_;
    std::vector<std::function<void()>> callbacks_;
};

class VirtualCommunicator final : public Communicator {
public:
    VirtualCommunicator(RankActor& actor, Group group)
        : Communicator(std::move(group)), actor_(actor), ranks_(actor.world().groupOf(this->group())) {}

private:
    Pending start(CollectiveCall call, std::uint64_t number) override {
        count(call);
        const auto operation = makeOperation({.kind = call.kind, .number = number, .bytes = call.in.nbytes()});
        actor_.launch([this, operation, number, call = std::move(call)]() mutable {
            ranks_.arrive(group(), number, std::move(call), operation->isFree(), endOf(operation));
        });
        return Pending(operation, number);
    }

    Pending start(MessageCall call) override {
        if (call.sends) countSent(static_cast<std::int64_t>(call.tensor.nbytes()));
        const auto operation = makeOperation({.message = call});
        actor_.launch([this, operation, call = std::move(call)] {
            ranks_.post(rank().value(), call, operation->isFree(), endOf(operation));
        });
        return Pending(operation);
    }

    // Opening a group takes no simulated time: nobody has to meet.
    std::unique_ptr<Communicator> open(Group group) override {
        group.key = actor_.world().keys().of(group.path);
        return std::make_unique<VirtualCommunicator>(actor_, std::move(group));
    }

    std::shared_ptr<VirtualOperation> makeOperation(VirtualOperation::Launched launched) {
        return std::make_shared<VirtualOperation>(actor_, ranks_, group(), std::move(launched));
    }
    static std::shared_ptr<VirtualEnd> endOf(const std::shared_ptr<VirtualOperation>& operation) {
        return {operation, &operation->end()};
    }

    // Counts the bytes sent, computed once for each kind of call: an algorithm has few kinds and launches each of them
    // often.
    void count(const CollectiveCall& call) {
        if (!call.counts.empty()) return countSent(ranks_.bytesSentBy(rank().value(), call));
        const auto [known, isNew] =
            sent_.try_emplace({call.kind, call.root, call.in.nbytes(), call.in.element_size()}, std::int64_t{0});
        if (isNew) known->second = ranks_.bytesSentBy(rank().value(), call);
        countSent(known->second);
    }

    RankActor& actor_;
    VirtualGroup& ranks_;
    // bytes of one call of each kind
    std::map<std::tuple<CollectiveKind, Rank, std::size_t, std::size_t>, std::int64_t> sent_;
};

}  // namespace

std::unique_ptr<Communicator> makeVirtualCommunicator(RankActor& actor) {
    return std::make_unique<VirtualCommunicator>(actor,
                                                 Group::whole(Rank{actor.rank()}, actor.world().options().ranks));
}

}  // namespace dasgd
