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
    if (const auto parsed = JitterSpec::parse(jitter); !parsed) return FieldError{"jitter", parsed.error().message};
    const auto rate = parseRate(memoryBandwidth);
    if (!rate) return FieldError{"memory_bandwidth", rate.error().message};
    if (*rate == 0) return FieldError{"memory_bandwidth", "memory_bandwidth is 0; write a rate above 0, as 10GB/s"};
    return std::nullopt;
}

double ComputeParams::memoryBytesPerSecond() const { return parseRate(memoryBandwidth).value(); }

StepTimes givenStepTimes(const ComputeParams& params, const std::vector<std::int64_t>& parameterSizes) {
    const double total = parseDuration(params.stepTime).value();
    StepTimes times{.forward = total * params.forwardShare, .backward = total * (1 - params.forwardShare)};
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
      jitter_(JitterSpec::parse(params.jitter).value(), static_cast<std::uint64_t>(params.seed), rank),
      memoryBytesPerSecond_(params.memoryBytesPerSecond()) {}

void ComputeModel::beginStep() {
    ++step_;
    slowness_ = jitter_.next();
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
