#include "core/sim/compute/compute.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/base/check.h"
#include "core/base/schema/units.h"
#include "core/cost/memory/memory_passes.h"
#include "core/sim/compute/device_table.h"
#include "core/sim/compute/layer_work.h"

namespace dasgd {

namespace {

// A backward pass multiplies twice where a forward pass multiplies once.
constexpr double kForwardOfUncounted = 1.0 / 3;

}  // namespace

std::optional<FieldError> ComputeParams::checkDevice() const {
    if (ofDevice() && device == "none" && peakTeraflops == 0) {
        return FieldError{"device",
                          "step_time = \"device\" needs to know which: write device = \"v100\", or peak_tflops"};
    }
    if (ofDevice() && efficiency == 0) {
        return FieldError{"efficiency",
                          "step_time = \"device\" needs the share of its peak that this training reaches: write "
                          "efficiency = 0.4, or what you measured"};
    }
    if (!ofDevice() && efficiency > 0) {
        return FieldError{
            "efficiency",
            "efficiency is used by step_time = \"device\" alone: write that too, or leave efficiency at 0"};
    }
    if (memoryBandwidth == "device" && device == "none") {
        return FieldError{"memory_bandwidth",
                          "memory_bandwidth = \"device\" needs to know which: write device = \"v100\""};
    }
    return std::nullopt;
}

std::optional<FieldError> UncertaintyParams::check() const {
    const bool isInterval = contention.size() == 2 && contention.front() <= contention.back();
    if (contention.empty() || isInterval) return std::nullopt;
    return FieldError{"contention", "contention is the lower and the upper end of its interval"};
}

std::optional<FieldError> ComputeParams::check() const {
    if (auto broken = checkDevice()) return broken;
    if (!measured() && !ofDevice()) {
        if (const auto time = parseDuration(stepTime); !time) {
            return FieldError{"step_time", time.error().message + R"(, or "measured" or "device")"};
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
        if (jitterSamples.back() == 0) {
            return FieldError{"jitter_samples", "jitter_samples are all 0; write factors whose largest is above 0"};
        }
    } else if (!jitterSamples.empty()) {
        return FieldError{"jitter_samples", "jitter_samples are used by jitter = \"samples\" alone"};
    }
    if (rankFactors.empty()) return FieldError{"rank_factors", "rank_factors is empty; leave it out for equal ranks"};
    if (std::accumulate(gradientShares.begin(), gradientShares.end(), 0.0) > 1 + 1e-6) {
        return FieldError{"gradient_shares", "gradient_shares sum to more than 1, the whole backward pass"};
    }
    if (memoryBandwidth == "device") return std::nullopt;
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

void ComputeParams::fillInDevice() {
    const DeviceSpec* found = deviceNamed(device);
    if (!found) return;
    if (peakTeraflops == 0) peakTeraflops = found->teraflops;
    if (memoryBandwidth != "device") return;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%gGB/s", found->gigabytesPerSecond);
    memoryBandwidth = text.data();
}

double ComputeParams::memoryBytesPerSecond() const { return parseRate(memoryBandwidth).value(); }

std::vector<std::string> ComputeParams::devices() {
    std::vector<std::string> names = deviceNames();
    names.insert(names.begin(), "none");
    return names;
}

Result<StepTimes> estimateStepTimes(const ComputeParams& params, const LayerWork& work,
                                    const std::vector<std::int64_t>& parameterSizes, std::int64_t samples) {
    DASGD_CHECK(!params.measured());
    const double flops = work.flops();
    if (params.ofDevice() && flops == 0) {
        return fail(
            "no multiplication with the model's parameters was found to count, so that step_time = \"device\" "
            "cannot be estimated: write a step_time, as 60ms, or \"measured\"");
    }
    const double total = params.ofDevice()
                             ? flops * static_cast<double>(samples) / (params.peakTeraflops * 1e12 * params.efficiency)
                             : parseDuration(params.stepTime).value();
    const double byLayers = flops > 0 ? work.forwardFlops() / flops : kForwardOfUncounted;
    const double forward = params.forwardShare > 0 ? params.forwardShare : byLayers;
    return StepTimes{.forward = total * forward,
                     .backward = total * (1 - forward),
                     .gradientShares = params.gradientShares.empty() ? sharesOf(work.backward, parameterSizes)
                                                                     : params.gradientShares,
                     .forwardShares = sharesOf(work.forward, parameterSizes)};
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
        case SpanKind::Data: return times_.data * batchShare_;
        case SpanKind::Forward:
            if (!std::exchange(begun_, false)) beginStep();
            return times_.forward * slowness_ * batchShare_;
        case SpanKind::Backward: return times_.backward * slowness_ * batchShare_;
        case SpanKind::Update: return times_.update * slowness_;
        case SpanKind::Snapshot: return passes(kPassesOfCopy);
        case SpanKind::Merge: return passes(kPassesOfUpdate);
        default: return 0;
    }
}

double ComputeModel::gradientSeconds(std::size_t slot) const {
    if (slot >= times_.gradientShares.size()) return 0;
    return times_.gradientShares[slot] * times_.backward * slowness_ * batchShare_;
}

double ComputeModel::forwardSeconds(std::size_t slot) {
    if (!std::exchange(begun_, true)) beginStep();
    if (slot >= times_.forwardShares.size()) return 0;
    return times_.forwardShares[slot] * times_.forward * slowness_ * batchShare_;
}

}  // namespace dasgd
