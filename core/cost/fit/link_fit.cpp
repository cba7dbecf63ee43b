#include "core/cost/fit/link_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace dasgd {

namespace {

using Three = std::array<double, 3>;  // α, β, ρ

// Coefficients of α, β and ρ in the time of the collective.
Three paid(const TimedCollective& timed, int ranks) {
    const double others = ranks - 1;
    if (timed.kind == TimedCollective::Kind::AllGather) return {others, others * timed.bytes, 0};
    const double part = timed.bytes * others / ranks;
    return {2 * others, 2 * part, part};
}

double dot(const Three& a, const Three& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The normal equations of the unknowns in `mask`, the others 0, by elimination; none where they are singular or an
// unknown comes out negative.
std::optional<Three> solve(std::array<Three, 3> matrix, Three right, unsigned mask) {
    for (std::size_t i = 0; i < 3; ++i) {
        if (mask >> i & 1U) continue;
        for (std::size_t j = 0; j < 3; ++j) matrix[i][j] = matrix[j][i] = 0;
        matrix[i][i] = 1;
        right[i] = 0;
    }
    for (std::size_t i = 0; i < 3; ++i) {
        if (!(matrix[i][i] > 1e-12)) return std::nullopt;
        for (std::size_t row = i + 1; row < 3; ++row) {
            const double factor = matrix[row][i] / matrix[i][i];
            for (std::size_t j = i; j < 3; ++j) matrix[row][j] -= factor * matrix[i][j];
            right[row] -= factor * right[i];
        }
    }
    Three found{};
    for (std::size_t i = 3; i-- > 0;) {
        double rest = right[i];
        for (std::size_t j = i + 1; j < 3; ++j) rest -= matrix[i][j] * found[j];
        found[i] = rest / matrix[i][i];
        if (found[i] < 0) return std::nullopt;
    }
    return found;
}

// Non-negative least squares of three unknowns: the best solution over the subsets of them that may be positive.
std::optional<Three> leastSquares(std::span<const TimedCollective> timed, const std::vector<Three>& rows,
                                  const Three& scale) {
    std::array<Three, 3> matrix{};
    Three right{};
    std::vector<Three> scaled;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        scaled.push_back(rows[row]);
        for (std::size_t i = 0; i < 3; ++i) scaled[row][i] /= scale[i] > 0 ? scale[i] : 1;
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) matrix[i][j] += scaled[row][i] * scaled[row][j];
            right[i] += scaled[row][i] * timed[row].seconds;
        }
    }
    double best = 0;
    std::optional<Three> chosen;
    for (unsigned mask = 1; mask < 8; ++mask) {
        const auto found = solve(matrix, right, mask);
        if (!found) continue;
        double squares = 0;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            squares += std::pow(dot(scaled[row], *found) - timed[row].seconds, 2);
        }
        if (chosen && squares >= best) continue;
        best = squares;
        chosen = found;
    }
    if (!chosen) return std::nullopt;
    for (std::size_t i = 0; i < 3; ++i) (*chosen)[i] = scale[i] > 0 ? (*chosen)[i] / scale[i] : 0;
    return chosen;
}

// Fit with ρ = 0: α and β of the all-reduces alone; `found` where there are too few of them.
Three withoutReduction(std::span<const TimedCollective> timed, const std::vector<Three>& rows, const Three& found) {
    std::vector<TimedCollective> reductions;
    std::vector<Three> ofReductions;
    Three scale{};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (timed[i].kind != TimedCollective::Kind::AllReduce) continue;
        reductions.push_back(timed[i]);
        ofReductions.push_back({rows[i][0], rows[i][1], 0});
        for (std::size_t j = 0; j < 2; ++j) scale[j] = std::max(scale[j], rows[i][j]);
    }
    if (reductions.size() < 2) return found;
    return leastSquares(reductions, ofReductions, scale).value_or(found);
}

// Latency per message: time of the smallest transfer beyond that of its bytes, averaged over both kinds.
double latencyOf(std::span<const TimedCollective> timed, const std::vector<Three>& rows, const Three& found) {
    double sum = 0, kinds = 0;
    for (const auto kind : {TimedCollective::Kind::AllReduce, TimedCollective::Kind::AllGather}) {
        std::optional<std::size_t> smallest;
        for (std::size_t i = 0; i < timed.size(); ++i) {
            if (timed[i].kind == kind && (!smallest || timed[i].bytes < timed[*smallest].bytes)) smallest = i;
        }
        if (!smallest) continue;
        const Three& row = rows[*smallest];
        sum += (timed[*smallest].seconds - row[1] * found[1] - row[2] * found[2]) / row[0];
        ++kinds;
    }
    return std::max(0.0, sum / kinds);
}

}  // namespace

Result<LinkFit> fitLink(std::span<const TimedCollective> timed, int ranks) {
    if (ranks < 2) return fail("a link takes two ranks to measure");
    const auto sized = [&](double bytes) {
        return std::count_if(timed.begin(), timed.end(), [&](const auto& one) { return one.bytes != bytes; });
    };
    if (timed.empty() || sized(timed.front().bytes) == 0) {
        return fail("a link takes transfers of at least two sizes to measure");
    }
    // Each column divided by its largest entry keeps the normal equations well scaled.
    std::vector<Three> rows;
    Three scale{};
    for (const TimedCollective& one : timed) {
        if (!(one.seconds > 0)) return fail("a transfer took no time");
        rows.push_back(paid(one, ranks));
        for (std::size_t i = 0; i < 3; ++i) scale[i] = std::max(scale[i], rows.back()[i]);
    }
    auto found = leastSquares(timed, rows, scale);
    if (!found) return fail("no link costs fit these transfers");
    if ((*found)[2] == 0) found = withoutReduction(timed, rows, *found);
    (*found)[0] = latencyOf(timed, rows, *found);
    LinkFit fit{.cost = {.alpha = (*found)[0], .beta = (*found)[1], .rho = (*found)[2]}};
    double longest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double deviation = std::abs(dot(rows[i], *found) / timed[i].seconds - 1);
        fit.worst = std::max(fit.worst, deviation);
        if (timed[i].seconds <= longest) continue;
        longest = timed[i].seconds;
        fit.longest = deviation;
    }
    return fit;
}

}  // namespace dasgd
