// Communication operations for algorithms. Every operation returns at once with a Pending and has a deadline.
//
// The tensors are contiguous and stay untouched by the caller from the launch until wait() has returned. All ranks of a
// communicator launch the same collectives in the same order. Owner: the rank's training thread; one communicator a
// rank and group. Operations may be launched from other threads too (Pending::then does), as long as the order of
// collectives stays the same on every rank.
//
// A backend implements three functions: start() for collectives, start() for messages, and open() for groups; and a
// fourth, startExchange(), where it can carry many messages better than one after the other.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/comm/pending.h"

namespace dasgd {

enum class Reduce : std::uint8_t { Sum, Mean, Max };

enum class CollectiveKind : std::uint8_t { AllReduce, ReduceScatter, AllGather, AllGatherV, AllToAll, Broadcast };

// One rank's part in a collective: what it gives and where the result goes; one tensor for both where the operation
// works in place.
struct CollectiveCall {
    CollectiveKind kind{};
    Reduce op = Reduce::Sum;
    Rank root{};  // for a broadcast
    at::Tensor in;
    at::Tensor out;
    std::vector<std::int64_t> counts;  // for AllGatherV: elements of each rank
};

// One end of a message.
struct MessageCall {
    bool sends = false;
    std::optional<Rank> peer;  // nullopt: a receive from any rank
    int tag = 0;
    at::Tensor tensor;
};

// Membership of a communicator: the ranks of the run that it joins, as one of them sees it.
struct Group {
    Rank rank{};                // this rank's number within
    std::vector<Rank> members;  // their numbers in the run, in the group's order
    std::string name;           // " of ranks 0,2,4"; empty for the whole run
    std::uint32_t key = 0;  // part of the collectives' numbers: equal on all members, no other group's; whole run: 0
    std::string path;       // where the group's members meet: unique within the run, equal on all members

    [[nodiscard]] int size() const { return static_cast<int>(members.size()); }
    // "rank 2", "rank 1 of ranks 0,2,4".
    [[nodiscard]] std::string nameOf(Rank rank) const { return "rank " + std::to_string(rank.value()) + name; }
    [[nodiscard]] static Group whole(Rank rank, int size);
};

class Communicator {
public:
    virtual ~Communicator() = default;
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    // Reduces in place over all ranks; same shape and type everywhere, empty allowed.
    Pending allReduce(at::Tensor& tensor, Reduce op);
    // `in` has shape [size, …out.shape]: row r, reduced over all ranks, goes to rank r.
    Pending reduceScatter(const at::Tensor& in, at::Tensor& out, Reduce op);
    // `out` has shape [size, …in.shape]: row r is rank r's `in`.
    Pending allGather(const at::Tensor& in, at::Tensor& out);
    // `in` has counts[rank] elements, `out` the sum of `counts`: rank 0's elements, then rank 1's, …. The same counts
    // on every rank; 0 allowed.
    Pending allGatherV(const at::Tensor& in, at::Tensor& out, std::vector<std::int64_t> counts);
    // Both tensors have shape [size, …]: row r of `in` goes to rank r, row r of `out` comes from rank r. Not in place.
    Pending allToAll(const at::Tensor& in, at::Tensor& out);
    Pending broadcast(at::Tensor& tensor, Rank root);

    // Point to point, matched by (peer, tag) in order; both ends name as many bytes. tag ≥ 0. A message whose receiver
    // has not asked for it yet may wait in the memory of either.
    Pending send(const at::Tensor& tensor, Rank to, int tag);
    Pending receive(at::Tensor& tensor, Rank from, int tag);
    // Receives from whichever rank sends first with this tag; Pending::source() names it. Can be cancelled.
    Pending receiveAny(at::Tensor& tensor, int tag);
    // All that this rank sends to its neighbours and receives from them, in the order given. Each message has a peer;
    // all have one tag, which only exchanges use. As with collectives, all ranks launch the same exchanges in the same
    // order among their collectives, and each message is in the same exchange at both of its ends; a rank without a
    // neighbour gives no messages. Answers one Pending a message, in their order, or a single one for all of them where
    // a device's stream carries them: then no wait() makes the host wait, and the interval is a collective's.
    [[nodiscard]] std::vector<Pending> exchange(std::vector<MessageCall> messages);

    // A communicator of these ranks of this one, in the order given, itself among them. All of them call it, in the
    // same order where they do so more than once; the others do not. It has collective numbers and tags of its own, and
    // its operations do not queue behind those of other groups. Blocks until all members are connected. Throws
    // CommError past the deadline. The communicator that was split outlives it. `counted`: what it sends counts as sent
    // by this one too; false for messages that are no part of the training.
    [[nodiscard]] std::unique_ptr<Communicator> split(const std::vector<Rank>& ranks, bool counted = true);

    // Launches an operation given as data, for communicators that wrap another one.
    Pending launch(CollectiveCall call);
    Pending launch(MessageCall call);

    [[nodiscard]] const Group& group() const { return group_; }
    [[nodiscard]] Rank rank() const { return group_.rank; }
    [[nodiscard]] int size() const { return group_.size(); }
    // Payload that this rank has put on the wire so far, counted groups included, by the algorithm in use
    // (ring: 2S(P−1)/P per all-reduce of S bytes).
    [[nodiscard]] std::int64_t bytesSent() const { return *bytesSent_; }
    // Counts bytes that a communicator has sent which was split off with counted = false: for operations that leave at
    // an instant of their own (Pending::then), which are to count in the step that awaits them. Negative: takes back
    // bytes that this one has sent and counted, of messages that are no part of the training, as those for a save.
    void countSent(std::int64_t bytes) { *bytesSent_ += bytes; }
    // Number of collectives launched on this group; the next one gets the number after it.
    [[nodiscard]] std::uint32_t collectives() const { return collectives_; }
    // Pending::collective() of the next one.
    [[nodiscard]] std::uint64_t nextCollective() const {
        return (std::uint64_t{group_.key} << 32U) | (collectives_ + 1);
    }
    // Gives the next collective a number after `collectives`. All ranks call this with the same value, between the same
    // two collectives.
    void countCollectivesFrom(std::uint32_t collectives) {
        collectives_ = std::max(collectives_.load(), collectives);
        countedFrom(collectives);
    }

protected:
    Communicator(Rank rank, int size) : group_(Group::whole(rank, size)) {}
    explicit Communicator(Group group) : group_(std::move(group)) {}

    // Carries out an exchange of at least one message. Default: each by start(), in order.
    virtual std::vector<Pending> startExchange(std::vector<MessageCall> messages);

private:
    // `number`: the value of Pending::collective.
    virtual Pending start(CollectiveCall call, std::uint64_t number) = 0;
    virtual Pending start(MessageCall call) = 0;
    // Called by countCollectivesFrom(), for communicators that wrap another one, which numbers its own collectives.
    virtual void countedFrom(std::uint32_t /*collectives*/) {}
    // Connects the members of `group`, whose key it chooses (group_keys.h); returns this rank's communicator of it.
    virtual std::unique_ptr<Communicator> open(Group group) = 0;

    const Group group_;
    std::shared_ptr<std::atomic<std::int64_t>> bytesSent_ = std::make_shared<std::atomic<std::int64_t>>(0);
    std::atomic<std::uint32_t> collectives_ = 0;
    std::mutex splitMutex_;
    std::map<std::vector<Rank>, int> splits_;  // number of times that each group was split off
};

// Bytes that rank `rank` of `size` puts on the wire in a collective by the methods of the real backends: ring
// all-reduce, reduce-scatter and all-gather, a broadcast counted at its root, direct exchange.
[[nodiscard]] std::int64_t bytesOnWire(const CollectiveCall& call, Rank rank, int size);

// Text for errors: "all_reduce #17 (246824 bytes)"; the bytes are what this rank gives.
[[nodiscard]] std::string describe(CollectiveKind kind, std::uint64_t number, std::size_t bytes);
[[nodiscard]] std::string describe(const CollectiveCall& call, std::uint64_t number);
// Text for errors: "send to rank 3, tag 7 (64 bytes)", "receive from any rank, tag 7 (64 bytes)".
[[nodiscard]] std::string describe(const MessageCall& call);
// Text for errors: "exchange #17 with ranks 1,3 (246824 bytes)"; the bytes are what this rank gives.
[[nodiscard]] std::string describe(const std::vector<MessageCall>& exchange, std::uint64_t number);

}  // namespace dasgd
