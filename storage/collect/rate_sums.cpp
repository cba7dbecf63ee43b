#include "storage/collect/rate_sums.h"

#include <algorithm>

#include "core/base/metric_names.h"

namespace dasgd::storage {

RateSums::RateSums(SQLite::Database& database, std::int64_t runKey, int workers) : workers_(workers) {
    SQLite::Statement query(
        database,
        "SELECT step, epoch, wall_ns, samples, bytes_sent, value FROM metric "
        "WHERE run = :run AND name = (SELECT id FROM metric_name WHERE name = :own) AND step NOT IN "
        "(SELECT step FROM metric WHERE run = :run AND name = (SELECT id FROM metric_name WHERE name = :whole))");
    query.bind(":run", runKey);
    query.bind(":own", metrics::kRankSamplesPerS);
    query.bind(":whole", metrics::kSamplesPerS);
    while (query.executeStep()) {
        static_cast<void>(add({.step = query.getColumn(0).getInt64(),
                               .epoch = query.getColumn(1).getDouble(),
                               .wall = query.getColumn(2).getInt64(),
                               .samples = query.getColumn(3).getInt64(),
                               .bytesSent = query.getColumn(4).getInt64(),
                               .value = query.getColumn(5).getDouble()}));
    }
}

std::optional<Metric> RateSums::add(const Metric& rate) {
    const auto [place, fresh] = sums_.try_emplace(rate.step);
    Sum& sum = place->second;
    const double before = fresh ? 0 : sum.metric.value;
    const Ns wall = fresh ? rate.wall : std::max(sum.metric.wall, rate.wall);
    sum.metric = rate;
    sum.metric.name = metrics::kSamplesPerS;
    sum.metric.wall = wall;
    sum.metric.value = before + rate.value;
    if (++sum.ranks < workers_) return std::nullopt;
    const Metric whole = sum.metric;
    sums_.erase(place);
    return whole;
}

}  // namespace dasgd::storage
