// Communication of one communicator's ranks in SimGrid's context: the operations that exist, the ranks that have
// arrived, what is done. Collectives of a rank run one at a time, in launch order; messages between two ranks run at
// once. Groups do not wait for each other: by messages they share the links' bandwidth, by formula they use the ranks'
// links one after the other. Everything here runs in SimGrid's own context.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time_range.h"
#include "core/comm/communicator.h"
#include "core/comm/matching.h"
#include "core/sim/collectives/collective_walk.h"
#include "core/sim/network/network.h"
#include "core/sim/network/wire.h"

namespace dasgd {

// One rank's end of an operation. Owner: the operation that the rank holds.
struct VirtualEnd {
    double began = -1;  // simulated seconds: launched, and the rank's turn came; for a message: both ends were there
    double ended = 0;
    bool done = false;
    std::string error;  // reason of a failure; `done` is set then
    std::optional<Rank> source;
    std::function<void()> whenDone;
};

// State of one collective, shared by all of its ranks.
struct SharedCollective {
    struct Part {
        std::optional<CollectiveCall> call;  // set once the rank has arrived
        std::shared_ptr<VirtualEnd> end;
        bool walked = false;        // the rank's share of the messages is through
        bool occupiesLink = false;  // counted in RankLinks::busy
    };
    int opener = 0;     // the rank that arrived first
    bool free = false;  // untimed: takes no time and ignores the queue of the link
    std::vector<Part> parts;
    int arrived = 0;
    int began = 0;
    std::string error;
    std::shared_ptr<CollectiveWalk> walk;
};

// State of each rank's link, shared by all groups of the run.
struct RankLinks {
    explicit RankLinks(int ranks) : busy(static_cast<std::size_t>(ranks)), formulaUntil(busy.size()) {}
    std::vector<int> busy;             // number of collectives that transfer
    std::vector<double> formulaUntil;  // end of the last collective by formula
};

class VirtualGroup {
public:
    // `ranks`: the group's members, as numbers in the run. `changed` is called with such a number whenever something
    // ended for a rank, or began to transfer. A method of all-reduce that does not fit the number of members
    // is replaced by the ring.
    VirtualGroup(Wire& wire, const NetworkParams& network, std::vector<int> ranks, std::shared_ptr<RankLinks> links,
                 std::function<void(int rank)> changed);

    // Launches the next collective of a rank of `group`, which ends `end`. `free`: it takes no time. Throws CommError
    // where others launched another one in its place.
    void arrive(const Group& group, std::uint64_t number, CollectiveCall call, bool free,
                std::shared_ptr<VirtualEnd> end);
    // Posts one end of a message of rank `own` of the group.
    void post(int own, const MessageCall& call, bool free, std::shared_ptr<VirtualEnd> end);
    // Takes a receive back; false where its message is under way.
    bool withdraw(const VirtualEnd& end);

    // Bytes that a rank of the group puts on the wire in such a collective: its own messages of the schedule, a ring's
    // counted as 2S(P−1)/P, as real backends do; for a formula of the authors', the bytes that the formula counts.
    [[nodiscard]] std::int64_t bytesSentBy(int rank, const CollectiveCall& call) const;

    [[nodiscard]] int size() const { return static_cast<int>(queues_.size()); }

private:
    using Collective = std::shared_ptr<SharedCollective>;
    struct MessageEnd {
        int rank = 0;
        at::Tensor tensor;
        std::shared_ptr<VirtualEnd> end;
    };

    void begin(int rank);
    void occupyLinks(SharedCollective& collective);
    void beginFormula(const Collective& collective);
    void walked(const Collective& collective, int rank);
    void settle(const Collective& collective, int rank);
    void carry(const MessageEnd& from, const MessageEnd& to, bool free);
    void end(int rank, VirtualEnd& end, const std::string& error);
    [[nodiscard]] double formulaSeconds(const CollectiveCall& call) const;
    [[nodiscard]] std::unique_ptr<MessageSchedule> scheduleOf(const CollectiveCall& call) const;
    // Number in the run of a rank of the group.
    [[nodiscard]] int hostOf(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

    Wire& wire_;
    const std::vector<int> ranks_;
    const std::shared_ptr<RankLinks> links_;
    const AllReduceKind allReduce_;
    const std::optional<AuthorsExchange> authors_;
    const bool byFormula_;
    const LinkCost link_;              // between neighbours
    const LinkCost within_, between_;  // for a hierarchical all-reduce: in the groups, and in the rings between them
    std::function<void(int rank)> changed_;
    std::vector<std::deque<Collective>> queues_;  // one queue for each rank
    std::map<std::uint64_t, Collective> open_;    // collectives at which not every rank has arrived
    Matching<MessageEnd, MessageEnd> messages_;
};

}  // namespace dasgd
