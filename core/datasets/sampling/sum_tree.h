// Numbers >= 0 under a binary tree of their sums: each is changed, and one is found by a running sum, in O(log n).
//
// A Fenwick tree does the same in half of the memory, with sums that are corrected by differences: they drift, and
// depend on everything that came before. Here each sum is formed anew of its two parts, so that it depends on the
// numbers alone, and a run that is resumed draws what the whole one does.
#pragma once

#include <bit>
#include <cstddef>
#include <vector>

namespace dasgd {

class SumTree {
public:
    explicit SumTree(const std::vector<double>& values)
        : count_(values.size()), leaves_(std::bit_ceil(values.size())), sums_(2 * leaves_, 0.0) {
        for (std::size_t i = 0; i < count_; ++i) sums_[leaves_ + i] = values[i];
        for (std::size_t node = leaves_; --node > 0;) sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
    }

    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] double operator[](std::size_t i) const { return sums_[leaves_ + i]; }
    [[nodiscard]] double total() const { return leaves_ > 1 ? sums_[1] : sums_[leaves_]; }

    void set(std::size_t i, double value) {
        std::size_t node = leaves_ + i;
        sums_[node] = value;
        while ((node /= 2) > 0) sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
    }

    // The first i such that the numbers up to it and including it add up to more than `sum`, 0 <= sum < total(). Never
    // one that is 0.
    [[nodiscard]] std::size_t find(double sum) const {
        std::size_t node = 1;
        while (node < leaves_) {
            node *= 2;
            // A sum within rounding of the total would fall behind the last number.
            if (sum < sums_[node] || sums_[node + 1] == 0) continue;
            sum -= sums_[node];
            ++node;
        }
        return node - leaves_;
    }

private:
    std::size_t count_, leaves_;
    std::vector<double> sums_;  // sums_[leaves_ + i] is number i; sums_[k] is that of 2k and 2k + 1; 1 is the root
};

}  // namespace dasgd
