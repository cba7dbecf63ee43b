#include "core/datasets/ordered_weights.h"

#include <algorithm>
#include <numeric>

#include "core/base/check.h"
#include "core/base/random.h"

namespace dasgd {

OrderedWeights::OrderedWeights(const std::vector<double>& values, double floor)
    : nodes_(values.size()), least_(floor / static_cast<double>(values.size())) {
    DASGD_CHECK(!values.empty() && floor > 0 && floor <= 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
        nodes_[i].value = values[i];
        nodes_[i].priority = static_cast<std::uint32_t>(mixBits(i) >> 32);
    }
    std::vector<Index> order(values.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::sort(order, [this](Index a, Index b) { return isBefore(a, b); });
    build(order);
    findThreshold();
}

bool OrderedWeights::isBefore(Index a, Index b) const {
    return at(a).value != at(b).value ? at(a).value < at(b).value : a < b;
}

bool OrderedWeights::isAbove(Index a, Index b) const {
    return at(a).priority != at(b).priority ? at(a).priority > at(b).priority : a < b;
}

void OrderedWeights::addUp(Index tree) {
    Node& node = at(tree);
    node.sum = sumOf(node.left) + node.value + sumOf(node.right);
    node.count = countOf(node.left) + 1 + countOf(node.right);
}

// Each number in turn becomes the last of the right spine, above those that it is to be above.
void OrderedWeights::build(const std::vector<Index>& order) {
    std::vector<Index> spine;
    for (const Index next : order) {
        Index below = kNone;
        while (!spine.empty() && isAbove(next, spine.back())) {
            below = spine.back();
            addUp(below);
            spine.pop_back();
        }
        at(next).left = below;
        if (!spine.empty()) at(spine.back()).right = next;
        spine.push_back(next);
    }
    root_ = spine.front();
    while (!spine.empty()) {
        addUp(spine.back());
        spine.pop_back();
    }
}

OrderedWeights::Index OrderedWeights::merged(Index before, Index after) {
    if (before == kNone) return after;
    if (after == kNone) return before;
    const bool first = isAbove(before, after);
    const Index top = first ? before : after;
    if (first) {
        at(top).right = merged(at(top).right, after);
    } else {
        at(top).left = merged(before, at(top).left);
    }
    addUp(top);
    return top;
}

void OrderedWeights::split(Index tree, Index by, Index& before, Index& after) {
    if (tree == kNone) {
        before = after = kNone;
        return;
    }
    if (isBefore(tree, by)) {
        split(at(tree).right, by, at(tree).right, after);
        before = tree;
    } else {
        split(at(tree).left, by, before, at(tree).left);
        after = tree;
    }
    addUp(tree);
}

OrderedWeights::Index OrderedWeights::without(Index tree, Index i) {
    if (tree == i) return merged(at(i).left, at(i).right);
    Index& part = isBefore(i, tree) ? at(tree).left : at(tree).right;
    part = without(part, i);
    addUp(tree);
    return tree;
}

OrderedWeights::Index OrderedWeights::with(Index tree, Index i) {
    if (tree != kNone && isAbove(tree, i)) {
        Index& part = isBefore(i, tree) ? at(tree).left : at(tree).right;
        part = with(part, i);
        addUp(tree);
        return tree;
    }
    Index before = kNone, after = kNone;
    split(tree, i, before, after);
    at(i).left = before;
    at(i).right = after;
    addUp(i);
    return i;
}

void OrderedWeights::set(std::size_t i, double value) {
    const auto index = static_cast<Index>(i);
    if (at(index).value == value) return;
    root_ = without(root_, index);
    at(index).value = value;
    root_ = with(root_, index);
    findThreshold();
}

void OrderedWeights::findThreshold() {
    atFloor_ = static_cast<Index>(nodes_.size());
    lambda_ = above_ = 0;
    Index before = 0;  // count and sum beside the subtree, in the order
    double after = 0;
    for (Index tree = root_; tree != kNone;) {
        const Node& node = at(tree);
        const Index rank = before + countOf(node.left);
        const double from = node.value + sumOf(node.right) + after;
        const double free = 1 - static_cast<double>(rank) * least_;
        if (node.value * free < from * least_) {
            before = rank + 1;
            tree = node.right;
            continue;
        }
        atFloor_ = rank;
        above_ = from;
        lambda_ = from / free;
        after = from;
        tree = node.left;
    }
}

double OrderedWeights::probability(std::size_t i) const {
    return lambda_ > 0 ? std::max(least_, nodes_[i].value / lambda_) : 1 / static_cast<double>(size());
}

std::size_t OrderedWeights::find(double uniform) const {
    const auto last = static_cast<Index>(nodes_.size()) - 1;
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
        const Index before = countOf(at(tree).left);
        if (rank == before) return tree;
        if (rank < before) {
            tree = at(tree).left;
        } else {
            rank -= before + 1;
            tree = at(tree).right;
        }
    }
}

// Sums from the end, as the large numbers are there: what is subtracted is then no larger than what is looked for.
OrderedWeights::Index OrderedWeights::bySumFromTheEnd(double sum) const {
    for (Index tree = root_;;) {
        const Node& node = at(tree);
        const double behind = sumOf(node.right);
        if (sum <= behind) {
            tree = node.right;
            continue;
        }
        sum -= behind;
        if (sum <= node.value || node.left == kNone) return tree;
        sum -= node.value;
        tree = node.left;
    }
}

}  // namespace dasgd
