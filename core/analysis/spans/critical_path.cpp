#include "core/analysis/spans/critical_path.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/analysis/spans/intervals.h"

namespace dasgd {

namespace {

// PathParts of a path that ends at some instant of a rank.
struct PathParts {
    Ns compute = 0, transfer = 0, messages = 0, other = 0, idle = 0;
};

bool isOther(SpanKind kind) {
    return kind == SpanKind::Data || kind == SpanKind::Eval || kind == SpanKind::Checkpoint || kind == SpanKind::Other;
}

// One rank's part in a collective.
struct ArrivalPart {
    Ns arrived = std::numeric_limits<Ns>::max();
    Ns transfers = std::numeric_limits<Ns>::max();  // start of its transfer; max: not divided
    Ns ended = 0;
    std::int64_t step = 0;
};

// A rank arrives at a collective, or ends a wait for one.
struct Event {
    Ns at = 0;
    std::uint64_t collective = 0;
    Ns waitedFrom = 0;
    bool isWait = false;
};

struct RankLine {
    int rank = 0;
    Intervals compute, orMessages, orOther;  // each with those before it
    std::vector<Event> events;               // by instant
    std::size_t next = 0;
    Ns start = 0, end = 0;
    // The state after the newest event: the path to `at`, and the instant that it moves to where transfers are free.
    Ns at = 0, moved = 0;
    PathParts path;
};

// The last arrival at a collective among the ranks that came to it so far.
struct Meeting {
    std::map<int, ArrivalPart> parts;
    std::size_t expected = 0, arrived = 0;  // ranks that can be followed
    Ns last = std::numeric_limits<Ns>::min(), lastMoved = std::numeric_limits<Ns>::min();
    PathParts path;  // of the rank that arrived last, to its arrival
};

class PathFinder {
public:
    explicit PathFinder(std::span<const RankSpan> spans) {
        std::map<int, std::vector<Span>> ofRank;
        for (const auto& [rank, span] : spans) {
            if (span.kind == SpanKind::Window) continue;
            ofRank[rank].push_back(span);
            if (span.collective != 0 && isReduce(span.kind)) note(rank, span);
        }
        for (const auto& [rank, own] : ofRank) addLine(rank, own);
        range_ = {std::numeric_limits<Ns>::max(), std::numeric_limits<Ns>::min()};
        for (const RankLine& line : lines_) {
            range_.start = std::min(range_.start, line.start);
            range_.end = std::max(range_.end, line.end);
        }
        for (RankLine& line : lines_) {
            line.at = line.moved = range_.start;
            advance(line, line.start);
        }
    }

    [[nodiscard]] bool any() const { return !lines_.empty(); }

    CriticalPath find() {
        while (RankLine* stuck = runUntilStuck()) process(*stuck);
        CriticalPath found{.range = range_};
        Ns lastMoved = std::numeric_limits<Ns>::min();
        const RankLine* last = nullptr;
        for (RankLine& line : lines_) {
            advance(line, line.end);
            lastMoved = std::max(lastMoved, line.moved);
            if (!last || line.end > last->end) last = &line;
        }
        found.rank = last->rank;
        found.compute = last->path.compute;
        found.transfer = last->path.transfer;
        found.messages = last->path.messages;
        found.other = last->path.other;
        found.idle = last->path.idle;
        found.withoutTransfers = lastMoved - range_.start;
        return found;
    }

private:
    void note(int rank, const Span& span) {
        ArrivalPart& part = meetings_[span.collective].parts[rank];
        part.arrived = std::min(part.arrived, span.start);
        part.ended = std::max(part.ended, span.end);
        part.step = span.step;
        if (span.kind == SpanKind::Transfer) part.transfers = std::min(part.transfers, span.start);
    }

    void addLine(int rank, const std::vector<Span>& own) {
        RankLine line{.rank = rank, .start = std::numeric_limits<Ns>::max(), .end = std::numeric_limits<Ns>::min()};
        Intervals compute, messages, other;
        for (const Span& span : own) {
            const bool isWait = span.kind == SpanKind::Wait;
            if (isReduce(span.kind)) continue;
            line.start = std::min(line.start, span.start);
            line.end = std::max(line.end, span.end);
            if (isCompute(span.kind)) compute.push_back({span.start, span.end});
            if (isOther(span.kind)) other.push_back({span.start, span.end});
            const bool isLinked = isWait && span.collective != 0 && meets(span.collective, rank);
            if (isLinked) line.events.push_back({span.end, span.collective, span.start, true});
            if (isWait && !isLinked) messages.push_back({span.start, span.end});
        }
        // A rank of which only collectives are known computes nothing that could be followed.
        if (line.start > line.end) return;
        addNeeds(line, own);
        for (auto& [collective, meeting] : meetings_) {
            const auto part = meeting.parts.find(rank);
            if (part == meeting.parts.end()) continue;
            line.events.push_back({part->second.arrived, collective});
            ++meeting.expected;
        }
        // At one instant a rank arrives before a wait ends.
        std::ranges::sort(line.events, {}, [](const Event& one) { return std::pair(one.at, one.isWait); });
        line.compute = unionOf(compute);
        std::ranges::copy(compute, std::back_inserter(messages));
        line.orMessages = unionOf(messages);
        std::ranges::copy(messages, std::back_inserter(other));
        line.orOther = unionOf(std::move(other));
        lines_.push_back(std::move(line));
    }

    // Where a collective had ended when it was needed, no wait is recorded; where transfers are free, the rank may come
    // there before the others. A merge needs its collective, and an update the gradients of its step.
    void addNeeds(RankLine& line, const std::vector<Span>& own) const {
        std::set<std::uint64_t> asked;
        for (const Event& event : line.events) asked.insert(event.collective);
        std::map<std::int64_t, Ns> updates;
        for (const Span& span : own) {
            if (span.kind == SpanKind::Update) updates.try_emplace(span.step, span.start);
            const bool merges =
                span.kind == SpanKind::Merge && span.collective != 0 && meets(span.collective, line.rank);
            if (merges && asked.insert(span.collective).second) {
                line.events.push_back({span.start, span.collective, span.start, true});
            }
        }
        for (const auto& [collective, meeting] : meetings_) {
            const auto part = meeting.parts.find(line.rank);
            if (part == meeting.parts.end() || asked.contains(collective)) continue;
            const auto update = updates.find(part->second.step);
            if (update == updates.end() || update->second < part->second.arrived) continue;
            line.events.push_back({update->second, collective, update->second, true});
        }
    }

    [[nodiscard]] bool meets(std::uint64_t collective, int rank) const {
        const auto meeting = meetings_.find(collective);
        return meeting != meetings_.end() && meeting->second.parts.contains(rank);
    }

    // The rank works on to `instant` as it did.
    static void advance(RankLine& line, Ns instant) {
        if (instant <= line.at) return;
        const TimeRange stretch{line.at, instant};
        const Ns compute = coveredOf(stretch, line.compute), orMessages = coveredOf(stretch, line.orMessages),
                 orOther = coveredOf(stretch, line.orOther);
        line.path.compute += compute;
        line.path.messages += orMessages - compute;
        line.path.other += orOther - orMessages;
        line.path.idle += instant - line.at - orOther;
        line.moved += instant - line.at;
        line.at = instant;
    }

    void process(RankLine& line) {
        const Event& event = line.events[line.next++];
        Meeting& meeting = meetings_.at(event.collective);
        event.isWait ? endWait(line, event, meeting) : arrive(line, event, meeting);
    }

    void arrive(RankLine& line, const Event& event, Meeting& meeting) const {
        advance(line, event.at);
        ++meeting.arrived;
        // An arrival before the first span is where it was.
        meeting.lastMoved = std::max(meeting.lastMoved, line.moved - (line.at - event.at));
        if (event.at <= meeting.last) return;
        meeting.last = event.at;
        meeting.path = line.path;
        meeting.path.idle -= line.at - std::max(event.at, range_.start);
    }

    // Where the collective ended within the wait, the path comes from the last arrival over the transfer.
    void endWait(RankLine& line, const Event& event, const Meeting& meeting) const {
        advance(line, event.waitedFrom);
        if (event.at < line.at) return;
        const ArrivalPart& part = meeting.parts.at(line.rank);
        const Ns ended = std::min(part.ended, event.at);
        const bool isDivided = part.transfers != std::numeric_limits<Ns>::max();
        // Clocks differ: the transfer begins a little off the last arrival, and stays so much off it.
        const Ns begun = std::min(isDivided ? part.transfers : meeting.last, ended);
        const Ns late = event.at - std::max(line.at, ended);
        if (ended > line.at) {
            line.path = meeting.path;
            line.path.transfer += ended - std::max(meeting.last, range_.start);
        }
        line.path.idle += late;
        line.moved = std::max(line.moved, meeting.lastMoved + (begun - meeting.last)) + late;
        line.at = event.at;
    }

    [[nodiscard]] bool mayGoOn(const RankLine& line) const {
        if (line.next == line.events.size()) return false;
        const Event& event = line.events[line.next];
        if (!event.isWait) return true;
        const Meeting& meeting = meetings_.at(event.collective);
        return meeting.arrived >= meeting.expected;
    }

    // Null when every event is done. Else no rank can go on, as clocks that differ may make it seem: the earliest
    // event, which is then taken with the arrivals that are known.
    RankLine* runUntilStuck() {
        for (bool moves = true; moves;) {
            moves = false;
            for (RankLine& line : lines_) {
                for (; mayGoOn(line); moves = true) process(line);
            }
        }
        RankLine* earliest = nullptr;
        for (RankLine& line : lines_) {
            if (line.next == line.events.size()) continue;
            if (!earliest || line.events[line.next].at < earliest->events[earliest->next].at) earliest = &line;
        }
        return earliest;
    }

    std::map<std::uint64_t, Meeting> meetings_;
    std::vector<RankLine> lines_;
    TimeRange range_;
};

}  // namespace

double CriticalPath::saved() const {
    const Ns all = range.end - range.start;
    return all > 0 ? 1 - static_cast<double>(withoutTransfers) / static_cast<double>(all) : 0;
}

std::optional<CriticalPath> criticalPathOf(std::span<const RankSpan> spans) {
    PathFinder finder(spans);
    if (!finder.any()) return std::nullopt;
    return finder.find();
}

std::vector<RankSpan> spansOfSteps(std::span<const RankSpan> spans, std::int64_t first, std::int64_t last) {
    std::vector<RankSpan> kept;
    std::map<int, TimeRange> ofRank;
    for (const RankSpan& one : spans) {
        const Span& span = one.span;
        if (isReduce(span.kind) || span.kind == SpanKind::Window || span.step < first || span.step > last) continue;
        kept.push_back(one);
        const auto [own, isNew] = ofRank.try_emplace(one.rank, TimeRange{span.start, span.end});
        own->second = {std::min(own->second.start, span.start), std::max(own->second.end, span.end)};
    }
    for (const RankSpan& one : spans) {
        const auto own = ofRank.find(one.rank);
        if (own == ofRank.end() || !isReduce(one.span.kind)) continue;
        if (one.span.start < own->second.end && one.span.end > own->second.start) kept.push_back(one);
    }
    return kept;
}

}  // namespace dasgd
