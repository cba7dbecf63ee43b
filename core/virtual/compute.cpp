#include "core/virtual/compute.h"

#include <algorithm>
#include <numeric>

#include "core/base/units.h"

namespace dasgd {

namespace {

// A snapshot reads and writes the weights; a merge reads two and writes one.
constexpr double kPassesOfSnapshot = 2;
constexpr double kPassesOfMerge = 3;

}  // namespace

std::optional<FieldError> ComputeParams::check() const {
    if (!measured()) {
        if (const auto time = parseDuration(stepTime); !time) {
            return FieldError{"step_time", time.error().message + ", or \"measured\""};
        }
    }
    const auto spread = JitterSpec::parse(jitter);
    if (!spread) return FieldError{"jitter", spread.error().message};
    if (spread->kind == JitterSpec::Kind::Samples) {
        if (jitterSamples.size() < 2) {
            return FieldError{"jitter_samples",
                              "jitter = \"samples\" needs jitter_samples, at least two: the smallest "
                              "and the largest factor"};
        }
        if (!std::is_sorted(jitterSamples.begin(), jitterSamples.end())) {
            return FieldError{"jitter_samples", "jitter_samples must ascend: they are quantiles"};
        }
    } else if (!jitterSamples.empty()) {
        return FieldError{"jitter_samples", "jitter_samples are used by jitter = \"samples\" alone"};
    }
    if (rankFactors.empty()) return FieldError{"rank_factors", "rank_factors is empty; leave it out for equal ranks"};
    if (std::accumulate(gradientShares.begin(), gradientShares.end(), 0.0) > 1 + 1e-6) {
        return FieldError{"gradient_shares", "gradient_shares sum to more than 1, the whole backward pass"};
    }
    const auto rate = parseRate(memoryBandwidth);
    if (!rate) return FieldError{"memory_bandwidth", rate.error().message};
    if (*rate == 0) return FieldError{"memory_bandwidth", "memory_bandwidth is 0; write a rate above 0, as 10GB/s"};
    return std::nullopt;
}

JitterSpec ComputeParams::jitterSpec() const {
    JitterSpec spec = JitterSpec::parse(jitter).value();
    spec.quantiles = jitterSamples;
    return spec;
}

double ComputeParams::memoryBytesPerSecond() const { return parseRate(memoryBandwidth).value(); }

StepTimes givenStepTimes(const ComputeParams& params, const std::vector<std::int64_t>& parameterSizes) {
    const double total = parseDuration(params.stepTime).value();
    StepTimes times{.forward = total * params.forwardShare, .backward = total * (1 - params.forwardShare)};
    if (!params.gradientShares.empty()) {
        times.gradientShares = params.gradientShares;
        return times;
    }
    const auto elements = std::accumulate(parameterSizes.begin(), parameterSizes.end(), std::int64_t{0});
    for (const std::int64_t size : parameterSizes) {
        times.gradientShares.push_back(static_cast<double>(size) / static_cast<double>(elements));
    }
    return times;
}

bool StragglerParams::mayBeSlow(int rank, std::int64_t step) const {
    const bool named = ranks.empty() || std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
    return named && step % every == 0;
}

ComputeModel::ComputeModel(const ComputeParams& params, StepTimes times, int rank)
    : params_(params),
      times_(std::move(times)),
      rank_(rank),
      jitter_(params.jitterSpec(), static_cast<std::uint64_t>(params.seed), rank),
      memoryBytesPerSecond_(params.memoryBytesPerSecond()) {}

void ComputeModel::beginStep() {
    ++step_;
    slowness_ = jitter_.next() * params_.rankFactors[static_cast<std::size_t>(rank_) % params_.rankFactors.size()];
    const auto& straggler = params_.straggler;
    if (!straggler || !straggler->mayBeSlow(rank_, step_)) return;
    if (straggler->probability == 1 || jitter_.uniform() < straggler->probability) slowness_ *= straggler->factor;
}

double ComputeModel::seconds(SpanKind kind, std::int64_t bytes) {
    const auto passes = [&](double count) { return count * static_cast<double>(bytes) / memoryBytesPerSecond_; };
    switch (kind) {
        case SpanKind::Data: return times_.data;
        case SpanKind::Forward: beginStep(); return times_.forward * slowness_;
        case SpanKind::Backward: return times_.backward * slowness_;
        case SpanKind::Update: return times_.update * slowness_;
        case SpanKind::Snapshot: return passes(kPassesOfSnapshot);
        case SpanKind::Merge: return passes(kPassesOfMerge);
        default: return 0;
    }
}

double ComputeModel::gradientSeconds(std::size_t slot) const {
    return slot < times_.gradientShares.size() ? times_.gradientShares[slot] * times_.backward * slowness_ : 0;
}

}  // namespace dasgd
