#include "core/cost/messages/message_schedule.h"

#include <algorithm>
#include <string>

#include "core/base/check.h"
#include "core/cost/messages/log2.h"

namespace dasgd {

void Round::clear() {
    sends.clear();
    receives.clear();
    reduceBytes = 0;
}

void Round::addSend(int peer, const PayloadRange& slice, bool adds) {
    if (slice.bytes > 0) sends.push_back({peer, slice.bytes, slice.offset, adds});
}

void Round::addReceive(int peer, const PayloadRange& slice, bool adds) {
    if (slice.bytes == 0) return;
    receives.push_back({peer, slice.bytes, slice.offset, adds});
    if (adds) reduceBytes += slice.bytes;
}

PayloadRange partOf(const Payload& payload, int part, int parts) {
    const std::int64_t elements = payload.bytes / payload.elementBytes;
    const std::int64_t begin = elements * part / parts;
    const std::int64_t end = elements * (part + 1) / parts;
    return {begin * payload.elementBytes, (end - begin) * payload.elementBytes};
}

namespace {

// Members 0 … members−1 of a ring, which are the ranks first, first + stride, …; `slice` of the payload goes around in
// as many parts.
class Ring {
public:
    Ring(int members, int first, int stride, const PayloadRange& slice, std::int64_t elementBytes)
        : members_(members), first_(first), stride_(stride), base_(slice.offset), cut_{slice.bytes, elementBytes} {}

    // Rounds 0 … members−2; at the end member i holds the sum of part i.
    void reduceScatter(int member, int round, Round& out) const { pass(member, member - round - 1, true, out); }
    // Rounds 0 … members−2; at the beginning member i holds part i.
    void allGather(int member, int round, Round& out) const { pass(member, member - round, false, out); }

private:
    void pass(int member, int part, bool adds, Round& out) const {
        out.addSend(rankOf(member + 1), slice(part), adds);
        out.addReceive(rankOf(member - 1), slice(part - 1), adds);
    }
    [[nodiscard]] int wrapped(int member) const {
        if (member < 0) return member + members_;
        return member < members_ ? member : member - members_;
    }
    [[nodiscard]] int rankOf(int member) const { return first_ + wrapped(member) * stride_; }
    [[nodiscard]] PayloadRange slice(int part) const {
        PayloadRange slice = partOf(cut_, wrapped(part), members_);
        slice.offset += base_;
        return slice;
    }

    int members_, first_, stride_;
    std::int64_t base_;
    Payload cut_;
};

enum class RingPhases : std::uint8_t { ReduceScatter = 1, AllGather = 2, Both = 3 };

class RingSchedule final : public MessageSchedule {
public:
    RingSchedule(RingPhases phases, const Payload& payload, int ranks)
        : phases_(phases),
          steps_(payload.bytes > 0 ? ranks - 1 : 0),
          ring_(ranks, 0, 1, {0, payload.bytes}, payload.elementBytes) {}

    [[nodiscard]] int rounds() const override { return phases_ == RingPhases::Both ? 2 * steps_ : steps_; }
    void fill(int rank, int round, Round& out) const override {
        out.clear();
        const bool gathers = phases_ == RingPhases::AllGather || round >= steps_;
        if (gathers) {
            ring_.allGather(rank, phases_ == RingPhases::Both ? round - steps_ : round, out);
        } else {
            ring_.reduceScatter(rank, round, out);
        }
    }

private:
    RingPhases phases_;
    int steps_;
    Ring ring_;
};

class HierarchicalSchedule final : public MessageSchedule {
public:
    HierarchicalSchedule(const Payload& payload, int ranks, int groupSize)
        : payload_(payload),
          groupSize_(groupSize),
          groups_(ranks / groupSize),
          within_(payload.bytes > 0 ? groupSize - 1 : 0),
          between_(payload.bytes > 0 ? groups_ - 1 : 0) {}

    [[nodiscard]] int rounds() const override { return 2 * within_ + 2 * between_; }
    void fill(int rank, int round, Round& out) const override {
        out.clear();
        const int group = rank / groupSize_;
        const int member = rank % groupSize_;
        const Ring inside(groupSize_, group * groupSize_, 1, {0, payload_.bytes}, payload_.elementBytes);
        if (round < within_) return inside.reduceScatter(member, round, out);
        round -= within_;
        if (round >= 2 * between_) return inside.allGather(member, round - 2 * between_, out);
        const Ring across(groups_, member, groupSize_, partOf(payload_, member, groupSize_), payload_.elementBytes);
        if (round < between_) return across.reduceScatter(group, round, out);
        across.allGather(group, round - between_, out);
    }

private:
    Payload payload_;
    int groupSize_, groups_, within_, between_;
};

// The binomial tree over ranks counted from `root`; level k joins i and i + 2^k where i is a multiple of 2^(k+1).
class Tree {
public:
    Tree(std::int64_t bytes, int ranks, int root) : all_{0, bytes}, ranks_(ranks), root_(root) {}

    void reduce(int rank, int level, Round& out) const { join(rank, level, true, out); }
    void broadcast(int rank, int level, Round& out) const { join(rank, level, false, out); }

private:
    void join(int rank, int level, bool up, Round& out) const {
        const int place = (rank - root_ + ranks_) % ranks_;
        const int distance = 1 << level;
        if (place % distance != 0) return;
        const bool child = (place & distance) != 0;
        const int other = child ? place - distance : place + distance;
        if (other >= ranks_) return;
        const int peer = (other + root_) % ranks_;
        if (child == up) {
            out.addSend(peer, all_, up);
        } else {
            out.addReceive(peer, all_, up);
        }
    }

    PayloadRange all_;
    int ranks_, root_;
};

class TreeSchedule final : public MessageSchedule {
public:
    TreeSchedule(bool reduces, std::int64_t bytes, int ranks, int root)
        : reduces_(reduces), levels_(bytes > 0 ? ceilLog2(ranks) : 0), tree_(bytes, ranks, root) {}

    [[nodiscard]] int rounds() const override { return reduces_ ? 2 * levels_ : levels_; }
    void fill(int rank, int round, Round& out) const override {
        out.clear();
        const int back = rounds() - 1 - round;
        if (back >= levels_) {
            tree_.reduce(rank, round, out);
        } else {
            tree_.broadcast(rank, back, out);
        }
    }

private:
    bool reduces_;
    int levels_;
    Tree tree_;
};

// Common part of the two doubling methods: a power of two of members, the excess ranks folded into their neighbours.
class FoldedSchedule : public MessageSchedule {
public:
    FoldedSchedule(const Payload& payload, int ranks)
        : payload_(payload), levels_(floorLog2(ranks)), extras_(ranks - (1 << levels_)) {}

    [[nodiscard]] int rounds() const final {
        if (payload_.bytes == 0) return 0;
        return exchanges() + (extras_ > 0 ? 2 : 0);
    }
    void fill(int rank, int round, Round& out) const final {
        out.clear();
        const bool folding = extras_ > 0 && (round == 0 || round == rounds() - 1);
        if (folding) return fold(rank, round == 0, out);
        const bool paired = rank < 2 * extras_;
        if (paired && rank % 2 != 0) return;
        exchange(paired ? rank / 2 : rank - extras_, extras_ > 0 ? round - 1 : round, out);
    }

protected:
    [[nodiscard]] virtual int exchanges() const = 0;
    virtual void exchange(int member, int step, Round& out) const = 0;

    [[nodiscard]] const Payload& payload() const { return payload_; }
    [[nodiscard]] int levels() const { return levels_; }
    [[nodiscard]] int rankOf(int member) const { return member < extras_ ? 2 * member : member + extras_; }

private:
    void fold(int rank, bool in, Round& out) const {
        if (rank >= 2 * extras_) return;
        const bool odd = rank % 2 != 0;
        if (odd == in) {
            out.addSend(odd ? rank - 1 : rank + 1, {0, payload_.bytes}, in);
        } else {
            out.addReceive(odd ? rank - 1 : rank + 1, {0, payload_.bytes}, in);
        }
    }

    Payload payload_;
    int levels_, extras_;
};

class RecursiveDoublingSchedule final : public FoldedSchedule {
    using FoldedSchedule::FoldedSchedule;

    [[nodiscard]] int exchanges() const override { return levels(); }
    void exchange(int member, int step, Round& out) const override {
        const int peer = rankOf(member ^ (1 << step));
        out.addSend(peer, {0, payload().bytes}, true);
        out.addReceive(peer, {0, payload().bytes}, true);
    }
};

class HalvingDoublingSchedule final : public FoldedSchedule {
    using FoldedSchedule::FoldedSchedule;

    [[nodiscard]] int exchanges() const override { return 2 * levels(); }
    void exchange(int member, int step, Round& out) const override {
        const bool halves = step < levels();
        const int level = halves ? step : 2 * levels() - 1 - step;
        const int other = member ^ (1 << level);
        const PayloadRange mine = kept(member, level);
        const PayloadRange theirs = kept(other, level);
        out.addSend(rankOf(other), halves ? theirs : mine, halves);
        out.addReceive(rankOf(other), halves ? mine : theirs, halves);
    }

    // Range that `member` keeps after halving at levels 0 … level: bit k of its number chose the half at level k.
    [[nodiscard]] PayloadRange kept(int member, int level) const {
        const int blocks = 1 << levels();
        int first = 0;
        for (int k = 0; k <= level; ++k) first += ((member >> k) & 1) * (blocks >> (k + 1));
        const PayloadRange begin = partOf(payload(), first, blocks);
        const PayloadRange last = partOf(payload(), first + (blocks >> (level + 1)) - 1, blocks);
        return {begin.offset, last.offset + last.bytes - begin.offset};
    }
};

class ParameterServerSchedule final : public MessageSchedule {
public:
    ParameterServerSchedule(const Payload& payload, int ranks, int servers)
        : payload_(payload), ranks_(ranks), servers_(servers) {}

    [[nodiscard]] int rounds() const override { return payload_.bytes > 0 && ranks_ > 1 ? 2 : 0; }
    void fill(int rank, int round, Round& out) const override {
        out.clear();
        const bool push = round == 0;
        for (int server = 0; server < servers_; ++server) {
            if (server != rank) move(push, server, partOf(payload_, server, servers_), push, out);
        }
        if (rank >= servers_) return;
        const PayloadRange shard = partOf(payload_, rank, servers_);
        for (int worker = 0; worker < ranks_; ++worker) {
            if (worker != rank) move(!push, worker, shard, push, out);
        }
    }

private:
    static void move(bool away, int peer, const PayloadRange& slice, bool adds, Round& out) {
        if (away) {
            out.addSend(peer, slice, adds);
        } else {
            out.addReceive(peer, slice, adds);
        }
    }

    Payload payload_;
    int ranks_, servers_;
};

Status checkPayload(const Payload& payload) {
    if (payload.bytes < 0 || payload.elementBytes < 1) {
        return fail("payload of " + std::to_string(payload.bytes) + " bytes in elements of " +
                    std::to_string(payload.elementBytes) + "; give at least 0 bytes and elements of at least 1");
    }
    if (payload.bytes % payload.elementBytes == 0) return {};
    return fail("payload of " + std::to_string(payload.bytes) + " bytes is no whole number of elements of " +
                std::to_string(payload.elementBytes) + " bytes; give a multiple");
}

}  // namespace

Result<AllReduceMethod> allReduceMethodNamed(std::string_view name) {
    const auto* const found = std::ranges::find(kAllReduceMethodNames, name);
    if (found != kAllReduceMethodNames.end()) {
        return static_cast<AllReduceMethod>(found - kAllReduceMethodNames.begin());
    }
    std::string known;
    for (const std::string_view each : kAllReduceMethodNames) known += (known.empty() ? "" : ", ") + std::string(each);
    return fail("collective is \"" + std::string(name) + "\"; use one of " + known);
}

Status checkAllReduce(const AllReduceKind& kind, int ranks) {
    if (ranks < 1) return fail(std::to_string(ranks) + " ranks; a collective needs at least 1");
    const std::string among = " with " + std::to_string(ranks) + " ranks; ";
    const bool splits = kind.groupSize >= 1 && ranks % kind.groupSize == 0;
    if (kind.method == AllReduceMethod::Hierarchical && !splits) {
        return fail("hierarchical: groups of " + std::to_string(kind.groupSize) + among +
                    "choose a group size that divides the number of ranks, or collective = \"ring\"");
    }
    const bool held = kind.servers >= 1 && kind.servers <= ranks;
    if (kind.method == AllReduceMethod::ParameterServer && !held) {
        return fail("parameter-server: " + std::to_string(kind.servers) + " servers" + among +
                    "servers are ranks, choose 1 to " + std::to_string(ranks));
    }
    return {};
}

Result<std::unique_ptr<MessageSchedule>> allReduceSchedule(const AllReduceKind& kind, const Payload& payload,
                                                           int ranks) {
    DASGD_TRY(checkAllReduce(kind, ranks));
    DASGD_TRY(checkPayload(payload));
    switch (kind.method) {
        case AllReduceMethod::Ring: return std::make_unique<RingSchedule>(RingPhases::Both, payload, ranks);
        case AllReduceMethod::HalvingDoubling: return std::make_unique<HalvingDoublingSchedule>(payload, ranks);
        case AllReduceMethod::RecursiveDoubling: return std::make_unique<RecursiveDoublingSchedule>(payload, ranks);
        case AllReduceMethod::Tree: return std::make_unique<TreeSchedule>(true, payload.bytes, ranks, 0);
        case AllReduceMethod::Hierarchical:
            return std::make_unique<HierarchicalSchedule>(payload, ranks, kind.groupSize);
        case AllReduceMethod::ParameterServer:
            return std::make_unique<ParameterServerSchedule>(payload, ranks, kind.servers);
    }
    DASGD_CHECK(false && "a method outside the enumeration");
    return {};
}

std::unique_ptr<MessageSchedule> reduceScatterSchedule(const Payload& payload, int ranks) {
    DASGD_CHECK(ranks >= 1 && checkPayload(payload));
    return std::make_unique<RingSchedule>(RingPhases::ReduceScatter, payload, ranks);
}

std::unique_ptr<MessageSchedule> allGatherSchedule(std::int64_t bytesEach, int ranks) {
    DASGD_CHECK(ranks >= 1 && bytesEach >= 0);
    const Payload blocks{bytesEach * ranks, std::max<std::int64_t>(bytesEach, 1)};
    return std::make_unique<RingSchedule>(RingPhases::AllGather, blocks, ranks);
}

std::unique_ptr<MessageSchedule> broadcastSchedule(std::int64_t bytes, int ranks, int root) {
    DASGD_CHECK(ranks >= 1 && bytes >= 0 && root >= 0 && root < ranks);
    return std::make_unique<TreeSchedule>(false, bytes, ranks, root);
}

}  // namespace dasgd
