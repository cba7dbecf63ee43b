#include "core/datasets/sampling/ordered_weights.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "core/base/check.h"
#include "core/base/random.h"

namespace dasgd {

namespace {

constexpr std::uint64_t kMeanRun = 64;
// Streams of hashes of an index.
constexpr std::uint64_t kHeads = 0x5bd1e995, kPriorities = 0x1b873593;

}  // namespace

bool OrderedWeights::isHead(Index i) {
    return mixBits(mixBits(kHeads) + static_cast<std::uint64_t>(i)) % kMeanRun == 0;
}

OrderedWeights::OrderedWeights(const std::vector<double>& values, double floor)
    : values_(values), runs_(1), least_(floor / static_cast<double>(values.size())) {
    DASGD_CHECK(!values.empty() && floor > 0 && floor <= 1);
    runs_[0].head = {-std::numeric_limits<double>::infinity(), kNone};
    for (Index i = 0; i < static_cast<Index>(values.size()); ++i) {
        if (isHead(i)) heads_.push_back(i);
    }
    runs_.resize(1 + heads_.size());
    for (std::size_t run = 0; run < runs_.size(); ++run) runs_[run].priority = mixBits(mixBits(kPriorities) + run);
    build();
    findThreshold();
}

OrderedWeights::Index OrderedWeights::runOf(Index head) const {
    return 1 + static_cast<Index>(std::ranges::lower_bound(heads_, head) - heads_.begin());
}

void OrderedWeights::build() {
    std::vector<Entry> all;
    for (Index i = 0; i < static_cast<Index>(values_.size()); ++i) {
        all.emplace_back(values_[static_cast<std::size_t>(i)], i);
    }
    std::ranges::sort(all);
    Index last = 0;
    std::vector<Index> order{last};
    for (const Entry& entry : all) {
        if (isHead(entry.second)) {
            order.push_back(last = runOf(entry.second));
            at(last).head = entry;
        }
        at(last).entries.push_back(entry);
    }
    for (const Index run : order) {
        changed(run);
        root_ = merged(root_, run);
    }
}

// Sums of an own run are formed in four parts, as one chain of additions waits for each.
void OrderedWeights::changed(Index run) {
    const std::vector<Entry>& entries = at(run).entries;
    std::array<double, 4> parts{};
    for (std::size_t i = 0; i < entries.size(); ++i) parts[i % 4] += entries[i].first;
    at(run).own = parts[0] + parts[1] + parts[2] + parts[3];
    addUp(run);
}

void OrderedWeights::addUp(Index tree) {
    Run& run = at(tree);
    run.sum = sumOf(run.left) + run.own + sumOf(run.right);
    run.count = countOf(run.left) + static_cast<Index>(run.entries.size()) + countOf(run.right);
}

// Adds up all from the run with this head to the root.
void OrderedWeights::addUpTo(Index tree, const Entry& head) {
    if (at(tree).head != head) addUpTo(head < at(tree).head ? at(tree).left : at(tree).right, head);
    addUp(tree);
}

OrderedWeights::Index OrderedWeights::merged(Index before, Index after) {
    if (before == kNone) return after;
    if (after == kNone) return before;
    const bool first = at(before).priority > at(after).priority;
    if (first) {
        at(before).right = merged(at(before).right, after);
    } else {
        at(after).left = merged(before, at(after).left);
    }
    addUp(first ? before : after);
    return first ? before : after;
}

std::pair<OrderedWeights::Index, OrderedWeights::Index> OrderedWeights::split(Index tree, const Entry& by) {
    if (tree == kNone) return {kNone, kNone};
    std::pair<Index, Index> parts;
    if (at(tree).head < by) {
        parts = split(at(tree).right, by);
        at(tree).right = std::exchange(parts.first, tree);
    } else {
        parts = split(at(tree).left, by);
        at(tree).left = std::exchange(parts.second, tree);
    }
    addUp(tree);
    return parts;
}

OrderedWeights::Index OrderedWeights::without(Index tree, Index run) {
    if (tree == run) return merged(at(run).left, at(run).right);
    Index& part = at(run).head < at(tree).head ? at(tree).left : at(tree).right;
    part = without(part, run);
    addUp(tree);
    return tree;
}

OrderedWeights::Index OrderedWeights::with(Index tree, Index run) {
    if (tree != kNone && at(tree).priority > at(run).priority) {
        Index& part = at(run).head < at(tree).head ? at(tree).left : at(tree).right;
        part = with(part, run);
        addUp(tree);
        return tree;
    }
    std::tie(at(run).left, at(run).right) = split(tree, at(run).head);
    addUp(run);
    return run;
}

// The last run whose head is not behind the entry.
OrderedWeights::Index OrderedWeights::runWith(const Entry& entry) const {
    Index found = 0;
    for (Index tree = root_; tree != kNone;) {
        if (entry < at(tree).head) {
            tree = at(tree).left;
        } else {
            found = tree;
            tree = at(tree).right;
        }
    }
    return found;
}

void OrderedWeights::insert(const Entry& entry) {
    const Index into = runWith(entry);
    std::vector<Entry>& entries = at(into).entries;
    const auto place = std::ranges::lower_bound(entries, entry);
    if (!isHead(entry.second)) {
        entries.insert(place, entry);
    } else {
        // The run ends before the new head, which takes the rest.
        const Index run = runOf(entry.second);
        at(run).head = entry;
        at(run).entries.assign(1, entry);
        at(run).entries.insert(at(run).entries.end(), place, entries.end());
        entries.erase(place, entries.end());
        changed(run);
        root_ = with(root_, run);
    }
    changed(into);
    addUpTo(root_, at(into).head);
}

void OrderedWeights::erase(const Entry& entry) {
    Index from = runWith(entry);
    if (isHead(entry.second)) {
        root_ = without(root_, from);
        const std::vector<Entry> rest = std::move(at(from).entries);
        at(from).left = at(from).right = kNone;
        from = runWith(entry);
        at(from).entries.insert(at(from).entries.end(), rest.begin() + 1, rest.end());
    } else {
        std::vector<Entry>& entries = at(from).entries;
        entries.erase(std::ranges::lower_bound(entries, entry));
    }
    changed(from);
    addUpTo(root_, at(from).head);
}

void OrderedWeights::set(std::size_t i, double value) {
    if (values_[i] == value) return;
    erase({values_[i], static_cast<Index>(i)});
    values_[i] = value;
    insert({value, static_cast<Index>(i)});
    findThreshold();
}

bool OrderedWeights::isAboveFloor(double value, Index before, double from) const {
    return value * (1 - static_cast<double>(before) * least_) >= from * least_;
}

void OrderedWeights::setThreshold(Index before, double from) {
    atFloor_ = before;
    lambda_ = from / (1 - static_cast<double>(before) * least_);
}

void OrderedWeights::findThreshold() {
    atFloor_ = static_cast<Index>(size());
    lambda_ = 0;
    // The last run that does not begin above the floor: its number of entries before it, and the sum of those behind.
    Index within = kNone, beforeRun = 0;
    double behindRun = 0;
    Index before = 0;  // count and sum beside the subtree, in the order
    double after = 0;
    for (Index tree = root_; tree != kNone;) {
        const Run& run = at(tree);
        const Index rank = before + countOf(run.left);
        const double behind = sumOf(run.right) + after, from = run.own + behind;
        if (!run.entries.empty() && isAboveFloor(run.entries.front().first, rank, from)) {
            setThreshold(rank, from);
            after = from;
            tree = run.left;
        } else {
            within = tree, beforeRun = rank, behindRun = behind;
            before = rank + static_cast<Index>(run.entries.size());
            tree = run.right;
        }
    }
    if (within == kNone) return;
    const std::vector<Entry>& entries = at(within).entries;
    double from = behindRun;
    for (auto i = std::ssize(entries); i-- > 0;) {
        const double value = entries[static_cast<std::size_t>(i)].first;
        from += value;
        if (!isAboveFloor(value, beforeRun + static_cast<Index>(i), from)) return;
        setThreshold(beforeRun + static_cast<Index>(i), from);
    }
}

double OrderedWeights::probability(std::size_t i) const {
    return lambda_ > 0 ? std::max(least_, values_[i] / lambda_) : 1 / static_cast<double>(size());
}

std::size_t OrderedWeights::find(double uniform) const {
    const auto last = static_cast<Index>(size()) - 1;
    if (lambda_ == 0) {
        const auto all = static_cast<double>(size());
        return static_cast<std::size_t>(byRank(std::min(last, static_cast<Index>(uniform * all))));
    }
    const double ofFloor = static_cast<double>(atFloor_) * least_;
    if (uniform < ofFloor) {
        return static_cast<std::size_t>(byRank(std::min(atFloor_ - 1, static_cast<Index>(uniform / least_))));
    }
    return static_cast<std::size_t>(bySumFromTheEnd((1 - uniform) * lambda_));
}

OrderedWeights::Index OrderedWeights::byRank(Index rank) const {
    for (Index tree = root_;;) {
        const Run& run = at(tree);
        const Index before = countOf(run.left), own = static_cast<Index>(run.entries.size());
        if (rank < before) {
            tree = run.left;
        } else if (rank < before + own) {
            return run.entries[static_cast<std::size_t>(rank - before)].second;
        } else {
            rank -= before + own;
            tree = run.right;
        }
    }
}

// Sums from the end, as the large numbers are there: what is subtracted is then no larger than what is looked for.
OrderedWeights::Index OrderedWeights::bySumFromTheEnd(double sum) const {
    for (Index tree = root_;;) {
        const Run& run = at(tree);
        const double behind = sumOf(run.right);
        if (sum <= behind) {
            tree = run.right;
            continue;
        }
        sum -= behind;
        if (sum <= run.own || run.left == kNone) return inRun(run, sum);
        sum -= run.own;
        tree = run.left;
    }
}

// Rounding can leave a rest before the first entry; only run 0 has none, and the next one is then the first.
OrderedWeights::Index OrderedWeights::inRun(const Run& run, double sum) const {
    for (auto i = run.entries.size(); i-- > 1;) {
        if (sum <= run.entries[i].first) return run.entries[i].second;
        sum -= run.entries[i].first;
    }
    return run.entries.empty() ? byRank(0) : run.entries.front().second;
}

}  // namespace dasgd
