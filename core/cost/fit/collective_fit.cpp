#include "core/cost/fit/collective_fit.h"

#include <algorithm>
#include <cmath>

namespace dasgd {

namespace {

// Sums of products of the model's columns, each row divided by its time: x of α, y of β, and 1 for the time itself.
struct Sums {
    double xx = 0, xy = 0, yy = 0, x = 0, y = 0;
};

struct Costs {
    double alpha = 0, beta = 0;
};

double squaresOf(const Sums& sums, const Costs& costs, double rows) {
    const auto& [alpha, beta] = costs;
    return alpha * alpha * sums.xx + 2 * alpha * beta * sums.xy + beta * beta * sums.yy -
           2 * (alpha * sums.x + beta * sums.y) + rows;
}

// The optimum over α, β ≥ 0: the free one where both are above 0, else the better one of the two edges.
Costs leastSquares(const Sums& sums, double rows) {
    const double determinant = sums.xx * sums.yy - sums.xy * sums.xy;
    const Costs free{.alpha = (sums.x * sums.yy - sums.y * sums.xy) / determinant,
                     .beta = (sums.y * sums.xx - sums.x * sums.xy) / determinant};
    if (free.alpha >= 0 && free.beta >= 0) return free;
    const Costs latency{.alpha = sums.x / sums.xx}, bandwidth{.beta = sums.y / sums.yy};
    return squaresOf(sums, latency, rows) < squaresOf(sums, bandwidth, rows) ? latency : bandwidth;
}

}  // namespace

CollectiveShape shapeOf(Collective collective, int ranks) {
    const double others = ranks - 1, share = others / ranks;
    switch (collective) {
        case Collective::AllReduce: return {.messages = 2 * others, .bytesShare = 2 * share};
        case Collective::SendReceive: return {.messages = 1, .bytesShare = 1};
        default: return {.messages = others, .bytesShare = share};
    }
}

Result<CollectiveFit> fitCollective(Collective collective, std::span<const CollectiveTiming> timings, int ranks) {
    if (ranks < 2) return fail("a collective takes two ranks to measure");
    const auto differs = [&](const CollectiveTiming& one) { return one.bytes != timings.front().bytes; };
    if (std::ranges::none_of(timings, differs)) return fail("α and β take transfers of at least two sizes to measure");
    const CollectiveShape shape = shapeOf(collective, ranks);
    // The columns are scaled so that the sums are of one magnitude: the largest time in units of the largest payload.
    const double mostBytes = std::ranges::max_element(timings, {}, &CollectiveTiming::bytes)->bytes;
    Sums sums;
    for (const CollectiveTiming& one : timings) {
        if (!(one.seconds > 0)) return fail("a transfer took no time");
        const double x = shape.messages / one.seconds, y = shape.bytesShare * one.bytes / mostBytes / one.seconds;
        sums.xx += x * x;
        sums.xy += x * y;
        sums.yy += y * y;
        sums.x += x;
        sums.y += y;
    }
    const Costs found = leastSquares(sums, static_cast<double>(timings.size()));
    CollectiveFit fit{.alpha = found.alpha, .beta = found.beta / mostBytes};
    double longest = 0;
    for (const CollectiveTiming& one : timings) {
        const double fitted = shape.messages * fit.alpha + shape.bytesShare * one.bytes * fit.beta;
        const double residual = fitted / one.seconds - 1;
        fit.residuals.push_back(residual);
        fit.rootMeanSquare += residual * residual;
        fit.worst = std::max(fit.worst, std::abs(residual));
        if (one.seconds <= longest) continue;
        longest = one.seconds;
        fit.longest = std::abs(residual);
    }
    fit.rootMeanSquare = std::sqrt(fit.rootMeanSquare / static_cast<double>(timings.size()));
    return fit;
}

}  // namespace dasgd
