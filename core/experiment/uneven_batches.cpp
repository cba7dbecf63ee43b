#include "core/experiment/uneven_batches.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/check.h"

namespace dasgd {

std::vector<std::int64_t> batchesByRate(std::int64_t total, const std::vector<double>& rates) {
    const auto ranks = std::ssize(rates);
    DASGD_CHECK(ranks > 0 && total >= ranks);
    const double sum = std::accumulate(rates.begin(), rates.end(), 0.0);
    std::vector<std::int64_t> batches;
    std::vector<double> rests;
    for (const double rate : rates) {
        const double quota = static_cast<double>(total) * (rate / sum);
        batches.push_back(static_cast<std::int64_t>(std::floor(quota)));
        rests.push_back(quota - std::floor(quota));
    }
    std::vector<std::size_t> order(rates.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t rank) { return rests[rank]; });
    // Rounding of the quotas can leave the sum of their integer parts one off on either side.
    std::int64_t left = total - std::accumulate(batches.begin(), batches.end(), std::int64_t{0});
    for (std::size_t i = 0; left > 0; i = (i + 1) % order.size(), --left) ++batches[order[i]];
    for (; left < 0; ++left) --*std::ranges::max_element(batches);
    for (std::int64_t& batch : batches) {
        if (batch > 0) continue;
        --*std::ranges::max_element(batches);
        ++batch;
    }
    return batches;
}

std::vector<std::int64_t> dealtPlaces(const std::vector<std::int64_t>& batches, std::size_t rank) {
    std::vector<std::int64_t> places;
    places.reserve(static_cast<std::size_t>(batches[rank]));
    std::int64_t before = 0;  // samples that the rounds before have dealt out
    for (std::int64_t round = 0; round < batches[rank]; ++round) {
        std::int64_t place = before;
        for (std::size_t other = 0; other < batches.size(); ++other) {
            if (batches[other] <= round) continue;
            ++before;
            if (other < rank) ++place;
        }
        places.push_back(place);
    }
    return places;
}

}  // namespace dasgd
