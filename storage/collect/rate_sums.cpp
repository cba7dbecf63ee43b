#include "storage/collect/rate_sums.h"

#include <algorithm>
#include <numeric>

#include "core/base/metric_names.h"

namespace dasgd::storage {

RateSums::RateSums(SQLite::Database& database, std::int64_t runKey, int trainers)
    : trainers_(trainers),
      database_(database),
      later_(
          database,
          "SELECT step, epoch, wall_ns, samples, bytes_sent, value, id FROM metric WHERE run = :run AND id > :newest "
          "AND name = (SELECT id FROM metric_name WHERE name = :own) ORDER BY id") {
    later_.bind(":run", runKey);
    later_.bind(":own", metrics::kRankSamplesPerS);
}

void RateSums::catchUp() {
    later_.bind(":newest", newest_);
    while (later_.executeStep()) {
        // A sum that is complete was stored with its last rate.
        static_cast<void>(add({.step = later_.getColumn(0).getInt64(),
                               .epoch = later_.getColumn(1).getDouble(),
                               .wall = later_.getColumn(2).getInt64(),
                               .samples = later_.getColumn(3).getInt64(),
                               .bytesSent = later_.getColumn(4).getInt64(),
                               .value = later_.getColumn(5).getDouble()}));
        newest_ = later_.getColumn(6).getInt64();
    }
    later_.reset();
}

std::optional<Metric> RateSums::add(const Metric& rate) {
    Sum& sum = sums_.try_emplace(rate.step, Sum{.metric = rate}).first->second;
    Metric& metric = sum.metric;
    metric.wall = std::max(metric.wall, rate.wall);
    metric.epoch = std::max(metric.epoch, rate.epoch);
    metric.samples = std::max(metric.samples, rate.samples);
    metric.bytesSent = std::max(metric.bytesSent, rate.bytesSent);
    sum.rates.push_back(rate.value);
    if (std::ssize(sum.rates) < trainers_) return std::nullopt;
    // In an order that does not depend on whose rate came first: the sum is then the same to the last bit.
    std::ranges::sort(sum.rates);
    Metric whole = metric;
    whole.name = metrics::kSamplesPerS;
    whole.value = std::accumulate(sum.rates.begin(), sum.rates.end(), 0.0);
    sums_.erase(rate.step);
    return whole;
}

void RateSums::stored() { newest_ = database_.execAndGet("SELECT ifnull(max(id), 0) FROM metric").getInt64(); }

}  // namespace dasgd::storage
