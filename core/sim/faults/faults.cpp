#include "core/sim/faults/faults.h"

#include <algorithm>
#include <cmath>

#include "core/base/schema/units.h"

namespace dasgd {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::string_view kNeverWord = "never";

std::optional<FieldError> checkRows(const std::vector<std::vector<double>>& rows, const char* field) {
    for (const std::vector<double>& row : rows) {
        const std::string text = detail::toValue(row).toToml();
        if (row.size() != 2 && row.size() != 3) {
            return FieldError{field,
                              text + ": write [rank, at_s, for_s], or [rank, at_s] for one that does not come back"};
        }
        if (row[0] != std::floor(row[0])) return FieldError{field, text + ": the rank is a whole number"};
        if (row.size() == 3 && row[2] == 0) {
            return FieldError{field, text + ": for_s is 0; leave it out for one that does not come back"};
        }
    }
    return std::nullopt;
}

std::optional<FieldError> checkMean(const std::string& mean, const char* field, bool orNever) {
    if (orNever && mean == kNeverWord) return std::nullopt;
    const auto parsed = parseDuration(mean);
    if (parsed) return std::nullopt;
    return FieldError{field, parsed.error().message + (orNever ? ", or \"never\"" : "")};
}

}  // namespace

std::optional<FieldError> FaultParams::check() const {
    for (const auto& wrong : {checkRows(hosts, "hosts"), checkRows(links, "links"),
                              checkMean(hostMtbf, "host_mtbf", true), checkMean(hostMttr, "host_mttr", false),
                              checkMean(linkMtbf, "link_mtbf", true), checkMean(linkMttr, "link_mttr", false)}) {
        if (wrong) return wrong;
    }
    return std::nullopt;
}

std::optional<FieldError> FaultParams::checkRanks(int ranks) const {
    for (const auto& [rows, field] : {std::pair{&hosts, "hosts"}, std::pair{&links, "links"}}) {
        for (const std::vector<double>& row : *rows) {
            if (row[0] < ranks) continue;
            return FieldError{field, detail::toValue(row).toToml() + ": there is no such rank; they are 0 to " +
                                         std::to_string(ranks - 1)};
        }
    }
    return std::nullopt;
}

OutageCalendar::OutageCalendar(const FaultParams& params, Of what, int rank) {
    const bool host = what == Of::Host;
    for (const std::vector<double>& row : host ? params.hosts : params.links) {
        if (static_cast<int>(row[0]) != rank) continue;
        given_.push_back({row[1], row.size() == 3 ? row[1] + row[2] : kNever});
    }
    std::sort(given_.begin(), given_.end(), [](const Outage& a, const Outage& b) { return a.from > b.from; });
    const std::string& mtbf = host ? params.hostMtbf : params.linkMtbf;
    if (mtbf == kNeverWord) return;
    meanUp_ = parseDuration(mtbf).value();
    meanDown_ = parseDuration(host ? params.hostMttr : params.linkMttr).value();
    const auto seed = static_cast<std::uint64_t>(params.seed);
    std::seed_seq all{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(what)};
    bits_.seed(all);
    drawn_.until = 0;
    drawn_ = draw();
}

double OutageCalendar::exponential(double mean) {
    return -mean * std::log((static_cast<double>(bits_() >> 11) + 0.5) * 0x1p-53);
}

Outage OutageCalendar::draw() {
    const double from = drawn_.until + exponential(meanUp_);
    return {from, from + exponential(meanDown_)};
}

void OutageCalendar::extend() {
    Outage merged;
    while (true) {
        const bool fromGiven = !given_.empty() && given_.back().from <= drawn_.from;
        const Outage first = fromGiven ? given_.back() : drawn_;
        if (std::isinf(first.from) || (!std::isinf(merged.from) && first.from > merged.until)) break;
        merged = {std::min(merged.from, first.from),
                  std::isinf(merged.from) ? first.until : std::max(merged.until, first.until)};
        if (fromGiven) {
            given_.pop_back();
        } else {
            drawn_ = draw();
        }
        if (std::isinf(merged.until)) break;
    }
    outages_.push_back(merged);
}

Outage OutageCalendar::next(double instant) {
    while (outages_.empty() || outages_.back().until <= instant) extend();
    return *std::upper_bound(outages_.begin(), outages_.end(), instant,
                             [](double at, const Outage& outage) { return at < outage.until; });
}

double OutageCalendar::endOf(double instant, double seconds) {
    while (seconds > 0) {
        const Outage outage = next(instant);
        if (outage.from > instant) {
            const double ahead = outage.from - instant;
            if (seconds <= ahead) return instant + seconds;
            seconds -= ahead;
        }
        instant = outage.until;
        if (std::isinf(instant)) return instant;
    }
    return instant;
}

}  // namespace dasgd
