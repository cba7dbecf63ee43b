// The ranks' communication as SimGrid's context sees it: which operations are there, who has arrived, what is done.
// Collectives of a rank go one at a time, in launch order, as on a real rank's link; messages between two ranks go at
// once. Everything here runs in SimGrid's own context.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/time_range.h"
#include "core/comm/group_maths.h"
#include "core/sim/collectives/collective_walk.h"
#include "core/sim/network/network.h"
#include "core/sim/network/wire.h"

namespace dasgd {

// What all ranks know of one collective.
struct SharedCollective {
    struct Part {
        double began = 0;  // simulated seconds: launched, and the rank's link was free
        double ended = 0;
        bool walked = false;  // the rank's share of the messages is through
        bool done = false;    // and its result is there
    };
    CollectiveKind kind{};
    Reduce op{};
    Rank root;
    int opener = 0;     // the rank that arrived first
    bool free = false;  // takes no time and passes by what is on the link
    std::int64_t elementBytes = 4;
    std::int64_t bytes = 0;  // of one rank's input
    std::vector<std::optional<Contribution>> contributions;
    std::vector<Part> parts;
    int arrived = 0;
    int began = 0;
    std::shared_ptr<CollectiveWalk> walk;
};

struct SharedMessage {
    at::Tensor out;  // the sender's
    at::Tensor in;   // the receiver's
    double launched = 0;
    double ended = 0;
    bool done = false;
};

class VirtualGroup {
public:
    // `changed` is called whenever something ended for a rank, or began to occupy its link.
    VirtualGroup(Wire& wire, const NetworkParams& network, int ranks, std::function<void(int rank)> changed);

    struct Arrival {
        CollectiveKind kind{};
        Reduce op{};
        Rank root;
        bool free = false;
        Contribution contribution;
    };
    // The next collective of `rank`, launched now. Throws CommError where others launched another one in its place.
    std::shared_ptr<SharedCollective> arrive(int rank, std::uint64_t number, Arrival arrival);
    // One end of a message; the first that is open at the other end is its partner.
    std::shared_ptr<SharedMessage> post(int from, int to, int tag, const at::Tensor& tensor, bool sending, bool free);

    // What `rank` puts on the wire in such a collective: its own messages of the schedule, a ring's counted as
    // 2S(P−1)/P, as real backends do; by a formula of the authors' the bytes that the formula counts.
    [[nodiscard]] std::int64_t bytesSentBy(int rank, const Arrival& arrival) const;

    // A collective of this rank is under way.
    [[nodiscard]] bool isBusy(int rank) const;
    [[nodiscard]] int size() const { return static_cast<int>(queues_.size()); }

private:
    using Channel = std::tuple<int, int, int>;  // from, to, tag

    void begin(int rank);
    void beginFormula(const std::shared_ptr<SharedCollective>& collective);
    void walked(const std::shared_ptr<SharedCollective>& collective, int rank);
    void settle(const std::shared_ptr<SharedCollective>& collective, int rank);
    [[nodiscard]] double formulaSeconds(const SharedCollective& collective) const;
    [[nodiscard]] std::unique_ptr<MessageSchedule> scheduleOf(const SharedCollective& collective) const;

    Wire& wire_;
    const AllReduceKind allReduce_;
    const std::optional<AuthorsExchange> authors_;
    const bool byFormula_;
    const LinkCost link_;              // between neighbours
    const LinkCost within_, between_;  // of a hierarchical all-reduce: in the groups, and in the rings between them
    std::function<void(int rank)> changed_;
    std::vector<std::deque<std::shared_ptr<SharedCollective>>> queues_;  // of each rank
    std::map<std::uint64_t, std::shared_ptr<SharedCollective>> open_;    // not everyone has arrived
    std::map<Channel, std::deque<std::shared_ptr<SharedMessage>>> sends_, receives_;
};

}  // namespace dasgd
