#include "core/sim/engine/virtual_comm.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/sim/engine/rank_actor.h"

namespace dasgd {

namespace {

// `shared` is empty until the launch is played: inside a backward pass that is later.
class CollectiveOperation final : public Pending::Operation {
public:
    CollectiveOperation(RankActor& actor, std::string label) : actor_(actor), label_(std::move(label)) {}
    void start(VirtualGroup& group, std::uint64_t number, VirtualGroup::Arrival arrival) {
        shared_ = group.arrive(actor_.rank(), number, std::move(arrival));
    }
    void wait() override {
        actor_.await([this] { return part().done; }, label_);
    }
    bool done() override {
        actor_.settle();
        return part().done;
    }
    Interval interval() override { return {toNs(part().began), toNs(part().ended)}; }

private:
    [[nodiscard]] const SharedCollective::Part& part() const {
        return shared_->parts[static_cast<std::size_t>(actor_.rank())];
    }
    RankActor& actor_;
    std::string label_;
    std::shared_ptr<SharedCollective> shared_;
};

class MessageOperation final : public Pending::Operation {
public:
    MessageOperation(RankActor& actor, std::string label) : actor_(actor), label_(std::move(label)) {}
    void start(std::shared_ptr<SharedMessage> shared) { shared_ = std::move(shared); }
    void wait() override {
        actor_.await([this] { return shared_->done; }, label_);
    }
    bool done() override {
        actor_.settle();
        return shared_->done;
    }
    Interval interval() override { return {toNs(shared_->launched), toNs(shared_->ended)}; }

private:
    RankActor& actor_;
    std::string label_;
    std::shared_ptr<SharedMessage> shared_;
};

class VirtualCommunicator final : public Communicator {
public:
    explicit VirtualCommunicator(RankActor& actor)
        : Communicator(Rank{actor.rank()}, actor.world().group().size()), actor_(actor) {}

    Pending allReduce(at::Tensor& tensor, Reduce op) override {
        return launch({.kind = CollectiveKind::AllReduce, .op = op, .contribution = {tensor, tensor}});
    }
    Pending allGather(const at::Tensor& in, at::Tensor& out) override {
        return launch({.kind = CollectiveKind::AllGather, .contribution = {in, out}});
    }
    Pending broadcast(at::Tensor& tensor, Rank root) override {
        return launch({.kind = CollectiveKind::Broadcast, .root = root, .contribution = {tensor, tensor}});
    }
    Pending send(const at::Tensor& tensor, Rank to, int tag) override {
        countSent(static_cast<std::int64_t>(tensor.nbytes()));
        return message(rank(), to, tag, tensor);
    }
    Pending receive(at::Tensor& tensor, Rank from, int tag) override { return message(from, rank(), tag, tensor); }

private:
    // An algorithm has few kinds of collectives and launches each of them often.
    void count(const VirtualGroup::Arrival& arrival) {
        const at::Tensor& in = arrival.contribution.in;
        const auto [known, isNew] =
            sent_.try_emplace({arrival.kind, arrival.root, in.nbytes(), in.element_size()}, std::int64_t{0});
        if (isNew) known->second = actor_.world().group().bytesSentBy(actor_.rank(), arrival);
        countSent(known->second);
    }

    Pending launch(VirtualGroup::Arrival arrival) {
        const std::uint64_t number = nextCollective();
        count(arrival);
        arrival.free = actor_.isFree();
        auto operation = std::make_shared<CollectiveOperation>(
            actor_, labelOf(rank(), arrival.kind, number, arrival.contribution.in));
        actor_.launch([&group = actor_.world().group(), operation, number, arrival = std::move(arrival)] {
            operation->start(group, number, arrival);
        });
        return Pending(operation, number);
    }

    Pending message(Rank from, Rank to, int tag, const at::Tensor& tensor) {
        const bool sending = from == rank();
        auto operation = std::make_shared<MessageOperation>(
            actor_, "rank " + std::to_string(rank().value()) + ": " +
                        (sending ? "send to rank " + std::to_string(to.value())
                                 : "receive from rank " + std::to_string(from.value())) +
                        ", tag " + std::to_string(tag));
        actor_.launch([this, operation, from, to, tag, tensor, sending] {
            operation->start(
                actor_.world().group().post(from.value(), to.value(), tag, tensor, sending, actor_.isFree()));
        });
        return Pending(operation);
    }

    RankActor& actor_;
    std::map<std::tuple<CollectiveKind, Rank, std::size_t, std::size_t>, std::int64_t> sent_;  // in one of its kind
};

}  // namespace

std::unique_ptr<Communicator> makeVirtualCommunicator(RankActor& actor) {
    return std::make_unique<VirtualCommunicator>(actor);
}

}  // namespace dasgd
