#include "core/analysis/spans/lateness.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/spans/intervals.h"
#include "core/analysis/statistics.h"

namespace dasgd {

namespace {

// Averages are measured in so many stretches: consecutive averages are no independent measurements, stretches of them
// nearly are.
constexpr std::size_t kStretches = 8;
constexpr double kErrors = 4;
// Where time is simulated without scatter, no error is left; a lateness that is not visible in tenths of a millisecond
// does not make a straggler.
constexpr double kLeastNoise = 50'000;  // ns

struct Arrival {
    int rank = 0;
    Ns at = 0;
};

struct Collective {
    std::int64_t ranks = 0;  // 0: all of the run
    std::vector<Arrival> arrivals;
};

std::map<std::uint64_t, Collective> arrivalsOf(std::span<const RankSpan> spans) {
    std::map<std::uint64_t, Collective> collectives;
    for (const auto& [rank, span] : spans) {
        if (span.collective == 0 || (span.kind != SpanKind::Skew && span.kind != SpanKind::Transfer)) continue;
        Collective& one = collectives[span.collective];
        one.ranks = span.ranks;
        const auto own = std::ranges::find(one.arrivals, rank, &Arrival::rank);
        if (own == one.arrivals.end()) {
            one.arrivals.push_back({rank, span.start});
        } else {
            own->at = std::min(own->at, span.start);
        }
    }
    return collectives;
}

std::map<int, Intervals> windowsOf(std::span<const RankSpan> spans) {
    std::map<int, Intervals> windows;
    for (const auto& [rank, span] : spans) {
        if (span.kind == SpanKind::Window) windows[rank].push_back({span.start, span.end});
    }
    for (auto& [rank, own] : windows) own = unionOf(std::move(own));
    return windows;
}

// True where every rank came to the collective in a window of its own. In a run without any window all of them did.
bool isTimed(const Collective& one, const std::map<int, Intervals>& windows) {
    if (windows.empty()) return true;
    return std::ranges::all_of(one.arrivals, [&](const Arrival& arrival) {
        const auto own = windows.find(arrival.rank);
        return own != windows.end() && coveredOf({arrival.at, arrival.at + 1}, own->second) > 0;
    });
}

double standardErrorOf(const std::vector<double>& values) {
    const std::size_t stretches = std::min(kStretches, values.size());
    std::vector<double> means;
    for (std::size_t i = 0; i < stretches; ++i) {
        const auto from = values.begin() + static_cast<std::ptrdiff_t>(values.size() * i / stretches);
        const auto to = values.begin() + static_cast<std::ptrdiff_t>(values.size() * (i + 1) / stretches);
        means.push_back(summarise({from, to}).mean);
    }
    const Sample sample = summarise(means);
    return sample.std.value_or(0) / std::sqrt(static_cast<double>(sample.n));
}

}  // namespace

const RankLateness* Lateness::of(int rank) const {
    const auto found = std::ranges::lower_bound(ranks, rank, {}, &RankLateness::rank);
    return found != ranks.end() && found->rank == rank ? &*found : nullptr;
}

std::optional<Lateness> latenessOf(std::span<const RankSpan> spans, int ranks, double clockErrorNs) {
    Lateness lateness;
    std::map<int, std::vector<double>> late;
    std::map<int, std::int64_t> last;
    const std::map<int, Intervals> windows = windowsOf(spans);
    for (const auto& [id, one] : arrivalsOf(spans)) {
        const auto expected = static_cast<std::size_t>(one.ranks > 0 ? one.ranks : ranks);
        if (one.arrivals.size() < 2 || one.arrivals.size() != expected || !isTimed(one, windows)) continue;
        ++lateness.averages;
        std::vector<double> instants;
        for (const Arrival& arrival : one.arrivals) instants.push_back(static_cast<double>(arrival.at));
        const double middle = median(instants);
        for (const Arrival& arrival : one.arrivals)
            late[arrival.rank].push_back(static_cast<double>(arrival.at) - middle);
        const auto latest = std::ranges::max_element(one.arrivals, {}, &Arrival::at);
        // A single latest rank counts as last; among ranks that arrive together none does.
        if (std::ranges::count(one.arrivals, latest->at, &Arrival::at) == 1) ++last[latest->rank];
    }
    if (lateness.averages < static_cast<std::int64_t>(kStretches)) return std::nullopt;
    std::vector<double> errors;
    for (const auto& [rank, values] : late) errors.push_back(standardErrorOf(values));
    const double common = median(errors);
    const auto noiseOf = [&](double error) { return std::max(kLeastNoise, kErrors * error) + 2 * clockErrorNs; };
    std::size_t place = 0;
    for (const auto& [rank, values] : late) {
        // The error of eight stretches is itself uncertain; that of all ranks together is less so.
        const double error = std::max(errors[place++], common);
        lateness.ranks.push_back({.rank = rank,
                                  .lateNs = summarise(values).mean,
                                  .noiseNs = noiseOf(error),
                                  .averages = static_cast<std::int64_t>(values.size()),
                                  .last = last[rank]});
    }
    lateness.noiseNs = noiseOf(common);
    return lateness;
}

}  // namespace dasgd
