#include "experiments/tools/traces/chakra_nodes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "core/analysis/spans/timings.h"

namespace dasgd::experiments {

namespace {

// A rank's part in a collective.
struct CollectivePart {
    Ns launched = std::numeric_limits<Ns>::max();
    Ns transfers = std::numeric_limits<Ns>::max();
    Ns ended = 0;
    std::int64_t step = 0, bytes = 0;
};

constexpr std::int64_t kNsOfMicro = 1000;
constexpr const char* kIdle = "idle";

std::int64_t inMicros(Ns time) { return (time + kNsOfMicro / 2) / kNsOfMicro; }

// Time from one instant to the next in micros, by the rounded instants: the sum over a chain is right to one micro.
std::uint64_t microsBetween(Ns from, Ns to) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(1, inMicros(to) - inMicros(from)));
}

class ChainOfRank {
public:
    explicit ChainOfRank(Ns begin) : begin_(begin) {}

    Status take(std::span<const Span> spans) {
        for (const Span& span : spans) {
            if (isReduce(span.kind)) {
                DASGD_TRY(note(span));
            } else if (span.lane == Lane::Compute && span.end > span.start) {
                work_.push_back(span);
            } else if (span.lane == Lane::Compute && span.kind == SpanKind::Merge && span.collective != 0) {
                merged_[span.start].push_back(span);
            }
        }
        for (const auto& [number, part] : parts_) {
            if (part.bytes <= 0) {
                return fail("collective " + std::to_string(number) +
                            " moves no bytes, and a simulator would take no time for it");
            }
            launches_[part.launched].push_back(number);
        }
        std::ranges::stable_sort(work_, {}, &Span::start);
        return {};
    }

    Result<std::vector<ChakraNode>> nodes(std::int64_t delay) {
        std::set<Ns> instants{begin_};
        for (const Span& span : work_) {
            instants.insert(span.start);
            instants.insert(span.end);
        }
        for (const auto& [at, numbers] : launches_) instants.insert(at);
        for (const auto& [at, merges] : merged_) instants.insert(at);
        std::vector<std::size_t> open;  // spans that have begun and not ended, the innermost last
        std::size_t next = 0;
        for (auto at = instants.begin(); at != instants.end(); ++at) {
            while (next < work_.size() && work_[next].start <= *at) open.push_back(next++);
            std::erase_if(open, [&](std::size_t one) { return work_[one].end <= *at; });
            DASGD_TRY(pass(*at));
            const auto after = std::next(at);
            if (after == instants.end()) break;
            const std::optional<std::size_t> innermost = open.empty() ? std::nullopt : std::optional(open.back());
            if (innermost == current_ && isOpen_) continue;
            DASGD_TRY(close(*at));
            current_ = innermost;
            from_ = *at;
            isOpen_ = true;
        }
        DASGD_TRY(close(*instants.rbegin()));
        for (const auto& [number, id] : idOf_) {
            if (!asked_.contains(id)) dependOn(parts_.at(number), id, delay);
        }
        return std::move(nodes_);
    }

private:
    Status note(const Span& span) {
        if (span.collective == 0) return fail("an operation of step " + std::to_string(span.step) + noPartner());
        CollectivePart& part = parts_[span.collective];
        part.launched = std::min(part.launched, span.start);
        if (span.kind == SpanKind::Transfer) part.transfers = std::min(part.transfers, span.start);
        part.ended = std::max(part.ended, span.end);
        part.step = span.step;
        part.bytes = std::max(part.bytes, span.bytes);
        return {};
    }

    static std::string noPartner() {
        return " is a message of one rank to another, of which the record does not tell the partner: a trace would "
               "lack "
               "what it depends on";
    }

    // Merges that take no time, and collectives that leave.
    Status pass(Ns at) {
        const auto merged = merged_.find(at);
        const auto launched = launches_.find(at);
        if (merged == merged_.end() && launched == launches_.end()) return {};
        DASGD_TRY(close(at));
        if (merged != merged_.end()) {
            for (const Span& merge : merged->second) DASGD_TRY(await(merge));
        }
        if (launched != launches_.end()) {
            for (const std::uint64_t number : launched->second) launch(number);
        }
        return {};
    }

    // Gives a collective that nothing was recorded to wait for to the first work that needs it.
    void dependOn(const CollectivePart& part, std::uint64_t id, std::int64_t delay) {
        const auto isWork = [](const ChakraNode& node) { return !node.isCollective && node.name != kIdle; };
        const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(id);
        auto found = std::find_if(begin, nodes_.end(), [&](const ChakraNode& node) {
            return isWork(node) && node.kind == SpanKind::Update && node.step == part.step;
        });
        if (found == nodes_.end()) {
            found = std::find_if(begin, nodes_.end(),
                                 [&](const ChakraNode& node) { return isWork(node) && node.step > part.step + delay; });
        }
        if (found != nodes_.end()) found->dependencies.push_back(id);
    }

    void launch(std::uint64_t number) {
        const CollectivePart& part = parts_.at(number);
        const Ns begun = part.transfers == std::numeric_limits<Ns>::max() ? part.launched : part.transfers;
        ChakraNode node{.id = nodes_.size() + 1,
                        .name = "all_reduce " + std::to_string(number),
                        .isCollective = true,
                        .start = begun,
                        .durationUs = microsBetween(begun, part.ended),
                        .step = part.step,
                        .bytes = part.bytes,
                        .collective = number};
        if (newest_ != 0) node.dependencies.push_back(newest_);
        // A collective that left right behind a wait has to come after what was waited for, too.
        node.dependencies.insert(node.dependencies.end(), awaited_.begin(), awaited_.end());
        idOf_[number] = node.id;
        nodes_.push_back(std::move(node));
    }

    // Ends the piece of work, of waiting or of nothing under way.
    Status close(Ns at) {
        if (!isOpen_) return {};
        isOpen_ = false;
        if (at <= from_) return {};
        const Span* span = current_ ? &work_[*current_] : nullptr;
        if (span && span->kind == SpanKind::Wait) return await(*span);
        // Rounding: what no span explains and does not reach a unit of the format is left out.
        if (!span && inMicros(at) == inMicros(from_)) return {};
        ChakraNode node{.name = span ? std::string(nameOf(span->kind)) + " " + std::to_string(span->step) : kIdle,
                        .kind = span ? span->kind : SpanKind::Other,
                        .start = from_,
                        .durationUs = microsBetween(from_, at),
                        .step = span ? span->step : 0};
        if (newest_ != 0) node.dependencies.push_back(newest_);
        if (span && span->kind == SpanKind::Merge && span->collective != 0) DASGD_TRY(await(*span));
        for (const std::uint64_t id : awaited_) node.dependencies.push_back(id);
        awaited_.clear();
        node.id = newest_ = nodes_.size() + 1;
        nodes_.push_back(std::move(node));
        return {};
    }

    Status await(const Span& span) {
        if (span.collective == 0) return fail("a wait in step " + std::to_string(span.step) + noPartner());
        const auto id = idOf_.find(span.collective);
        if (id == idOf_.end()) {
            return fail("step " + std::to_string(span.step) + " waits for collective " +
                        std::to_string(span.collective) + ", which is not recorded whole");
        }
        awaited_.insert(id->second);
        asked_.insert(id->second);
        return {};
    }

    const Ns begin_;
    std::map<std::uint64_t, CollectivePart> parts_;
    std::map<Ns, std::vector<std::uint64_t>> launches_;
    std::map<Ns, std::vector<Span>> merged_;  // merges that took no time
    std::vector<Span> work_;
    std::vector<ChakraNode> nodes_;
    std::map<std::uint64_t, std::uint64_t> idOf_;  // of the nodes of collectives
    std::set<std::uint64_t> awaited_;              // since the newest node of the chain
    std::set<std::uint64_t> asked_;                // ever
    std::uint64_t newest_ = 0;                     // of the chain; 0: none yet
    std::optional<std::size_t> current_;           // the span under way since from_; none: nothing is
    Ns from_ = 0;
    bool isOpen_ = false;
};

}  // namespace

Result<std::vector<ChakraNode>> chakraNodesOf(std::span<const Span> spans, Ns begin, std::int64_t delay) {
    ChainOfRank chain(begin);
    DASGD_TRY(chain.take(spans));
    return chain.nodes(delay);
}

}  // namespace dasgd::experiments
