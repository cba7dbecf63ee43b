// Compressed means in plain doubles, from the equations: p = x + βe, c = C(p), e ← p − c, result ⟨c⟩, and scheme
// "shard", in which a part's owner codes the mean once more, with an error of its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {

// One segment: scale ‖p‖₁/n, as it travels in float32.
inline Vec signOf(const Vec& p) {
    double sum = 0;
    for (const double number : p) sum += std::abs(number);
    const double scale = p.empty() ? 0 : static_cast<float>(sum / static_cast<double>(p.size()));
    Vec out;
    for (const double number : p) out.push_back(number >= 0 ? scale : -scale);
    return out;
}

struct SerialCodedMean {
    bool shard = true, feedback = true;
    double decay = 1;
    std::function<Vec(const Vec&)> code = signOf;
    // Called before each coding of a rank, with the number that its draws depend on: that of the exchange from 1, and
    // 2⁴⁰ more for the second coding of shard, which is of the rank's part.
    std::function<void(int rank, std::uint64_t counter)> begins = nullptr;
    std::uint64_t exchanges = 0;
    Workers errors;     // of each rank
    Vec errorOfParts;   // of the second coding
    double factor = 1;  // of the errors, in the next exchange

    // Codes the segments of a vector that begins and ends at `cuts`.
    // `ofOwners`: each part is coded by the rank that owns it.
    [[nodiscard]] Vec coded(const Vec& p, std::size_t part, bool ofOwners = false) const {
        Vec out;
        for (std::size_t from = 0; from < p.size(); from += part) {
            if (ofOwners && begins) begins(static_cast<int>(from / part), (std::uint64_t{1} << 40) + exchanges);
            const Vec segment(p.begin() + static_cast<std::ptrdiff_t>(from),
                              p.begin() + static_cast<std::ptrdiff_t>(std::min(from + part, p.size())));
            const Vec one = code(segment);
            out.insert(out.end(), one.begin(), one.end());
        }
        return out;
    }

    Vec mean(const Workers& x) {
        const std::size_t ranks = x.size(), n = x[0].size();
        const std::size_t part = shard ? (n + ranks - 1) / ranks : n;
        if (errors.empty()) errors.assign(ranks, Vec(n, 0));
        if (errorOfParts.empty()) errorOfParts.assign(n, 0);
        Vec sum(n, 0);
        ++exchanges;
        for (std::size_t i = 0; i < ranks; ++i) {
            if (begins) begins(static_cast<int>(i), exchanges);
            Vec p = x[i];
            for (std::size_t j = 0; j < n && feedback; ++j) p[j] += decay * factor * errors[i][j];
            const Vec c = coded(p, part);
            for (std::size_t j = 0; j < n; ++j) {
                // As it is computed: means of float32 numbers lie on ties of the next rounding to float32.
                sum[j] += c[j] * (1.0 / static_cast<double>(ranks));
                errors[i][j] = p[j] - c[j];
            }
        }
        if (!shard) return sum;
        for (std::size_t j = 0; j < n && feedback; ++j) sum[j] += decay * factor * errorOfParts[j];
        const Vec again = coded(sum, part, true);
        for (std::size_t j = 0; j < n; ++j) errorOfParts[j] = sum[j] - again[j];
        return again;
    }
};

// An experiment whose exchanges `operatorFields` code.
inline Value compressed(Value document, Fields operatorFields) {
    document.set("compression", table(std::move(operatorFields)));
    return document;
}

}  // namespace dasgd::test
