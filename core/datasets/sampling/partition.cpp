#include "core/datasets/sampling/partition.h"

#include <ATen/core/TensorAccessor.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <span>

#include "core/base/check.h"

namespace dasgd {

namespace {

using Indices = std::vector<std::int64_t>;
using Parts = std::vector<Indices>;

// Fisher-Yates with the generator's own bits, so that the order depends on no library's distribution.
void shuffle(std::span<std::int64_t> items, std::mt19937_64& random) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

Parts cutEvenly(const Indices& order, int workers) {
    Parts parts;
    const std::size_t count = order.size();
    const auto size = static_cast<std::size_t>(workers);
    for (std::size_t w = 0; w < size; ++w) {
        parts.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(count * w / size),
                           order.begin() + static_cast<std::ptrdiff_t>(count * (w + 1) / size));
    }
    return parts;
}

// One draw from Dir(α,…,α). In logarithms: Gamma(α) itself underflows for small α.
std::vector<double> dirichlet(double alpha, int workers, std::mt19937_64& random) {
    std::gamma_distribution<double> gamma(alpha + 1, 1);
    std::uniform_real_distribution<double> uniform(std::numeric_limits<double>::min(), 1);
    std::vector<double> logs(static_cast<std::size_t>(workers));
    for (double& value : logs) value = std::log(gamma(random)) + std::log(uniform(random)) / alpha;
    const double largest = *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    for (double& value : logs) sum += value = std::exp(value - largest);
    for (double& value : logs) value /= sum;
    return logs;
}

void shareOut(const Indices& samples, const std::vector<double>& shares, Parts& parts) {
    double cumulative = 0;
    std::size_t from = 0;
    for (std::size_t w = 0; w < shares.size(); ++w) {
        cumulative += shares[w];
        const bool last = w + 1 == shares.size();
        const auto to =
            last ? samples.size()
                 : std::min(samples.size(),
                            static_cast<std::size_t>(std::llround(cumulative * static_cast<double>(samples.size()))));
        for (; from < to; ++from) parts[w].push_back(samples[from]);
    }
}

// A worker without samples cannot train: it takes one from the worker that has most.
void fillEmpty(Parts& parts) {
    for (Indices& part : parts) {
        if (!part.empty()) continue;
        Indices& largest = *std::max_element(parts.begin(), parts.end(),
                                             [](const auto& a, const auto& b) { return a.size() < b.size(); });
        if (largest.size() < 2) return;
        part.push_back(largest.back());
        largest.pop_back();
    }
}

Parts partitionByDirichlet(const at::Tensor& targets, double alpha, int workers, std::mt19937_64& random) {
    std::map<std::int64_t, Indices> classes;
    const std::int64_t* target = targets.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < targets.numel(); ++i) classes[target[i]].push_back(i);
    Parts parts(static_cast<std::size_t>(workers));
    for (auto& [label, samples] : classes) {
        shuffle(samples, random);
        shareOut(samples, dirichlet(alpha, workers, random), parts);
    }
    fillEmpty(parts);
    return parts;
}

}  // namespace

Result<PartitionSpec> PartitionSpec::parse(const std::string& text) {
    if (text == "iid") return PartitionSpec{.kind = Kind::Iid};
    if (text == "contiguous") return PartitionSpec{.kind = Kind::Contiguous};
    if (text == "by-label") return PartitionSpec{.kind = Kind::ByLabel};
    constexpr std::string_view kPrefix = "dirichlet(";
    if (text.starts_with(kPrefix) && text.ends_with(")")) {
        const char* const end = text.data() + text.size() - 1;
        double alpha = 0;
        const auto parsed = std::from_chars(text.data() + kPrefix.size(), end, alpha);
        if (parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(alpha) && alpha > 0) {
            return PartitionSpec{.kind = Kind::Dirichlet, .alpha = alpha};
        }
        return fail("partition is \"" + text + "\"; dirichlet takes one number above 0, as dirichlet(0.5)");
    }
    return fail("partition is \"" + text + "\"; allowed: iid, by-label, dirichlet(alpha), contiguous");
}

std::vector<std::vector<std::int64_t>> partitionSamples(const at::Tensor& targets, const PartitionSpec& spec,
                                                        int workers, std::uint64_t seed) {
    DASGD_CHECK(workers > 0);
    DASGD_CHECK(!spec.byClass() ||
                (targets.dim() == 1 && targets.scalar_type() == at::kLong && targets.is_contiguous()));
    std::mt19937_64 random(seed);
    if (spec.kind == PartitionSpec::Kind::Dirichlet) return partitionByDirichlet(targets, spec.alpha, workers, random);

    Indices order(static_cast<std::size_t>(targets.size(0)));
    std::iota(order.begin(), order.end(), 0);
    if (spec.kind == PartitionSpec::Kind::Iid) {
        shuffle(order, random);
    } else if (spec.kind == PartitionSpec::Kind::ByLabel) {
        const std::int64_t* target = targets.const_data_ptr<std::int64_t>();
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            return target[static_cast<std::size_t>(a)] < target[static_cast<std::size_t>(b)];
        });
    }
    return cutEvenly(order, workers);
}

}  // namespace dasgd
