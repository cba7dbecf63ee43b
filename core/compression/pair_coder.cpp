#include "core/compression/pair_coder.h"

#include <ATen/ops/empty.h>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/metric_names.h"

namespace dasgd {

namespace {

std::string inThreeDigits(double number) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g", number);
    return text.data();
}

}  // namespace

PairCoder::PairCoder(std::shared_ptr<const CompressionSettings> settings, StepContext& context)
    : settings_(std::move(settings)),
      compressor_(dynamic_cast<const PairCompressor&>(*settings_->compressor)),
      context_(context),
      elements_(context.params().size()) {}

at::Tensor PairCoder::makeMessage() const {
    return at::empty({messageBytes()}, context_.params().weights().options().requires_grad(false).dtype(at::kByte));
}

void PairCoder::encode(const at::Tensor& x, const at::Tensor& message) {
    if (compressor_.encode(x, static_cast<std::byte*>(message.data_ptr()))) return;
    throw std::runtime_error(
        "rank " + std::to_string(context_.comm().rank().value()) + " cannot code its weights in step " +
        std::to_string(context_.step()) + ": one of them is NaN, infinite or too large for [compression] " +
        settings_->name + ". A smaller learning rate or warm-up usually helps; a larger side where weights are large.");
}

void PairCoder::approach(const at::Tensor& message, const at::Tensor& near, double weight, at::Tensor out) {
    const double distance =
        compressor_.approach(static_cast<const std::byte*>(message.data_ptr()), near, weight, std::move(out));
    context_.metric("partner_distance", distance);
    const double reach = compressor_.reach();
    if (distance <= reach) return;
    throw std::runtime_error("rank " + std::to_string(context_.comm().rank().value()) + " decodes in step " +
                             std::to_string(context_.step()) + " a weight of its partner that is " +
                             inThreeDigits(distance) + " from its own, and beyond " + inThreeDigits(reach) +
                             " [compression] " + settings_->name +
                             " may take one weight for another: set a larger side, or more levels.");
}

void PairCoder::recordRatio() const {
    context_.record(metrics::kCompressionRatio,
                    static_cast<double>(messageBytes()) / static_cast<double>(context_.params().bytes()));
}

std::optional<FieldError> checkPairSettings(const CompressionSettings& settings) {
    const CompressionParams& params = settings.params;
    if (params.errorFeedback || params.rescaleError) {
        return FieldError{params.errorFeedback ? "error_feedback" : "rescale_error",
                          "what coding leaves out for a partner stays in the rank's own weights, so that there is no "
                          "error to keep: remove error_feedback and rescale_error"};
    }
    if (params.scheme != "auto")
        return FieldError{"scheme", "partners send messages to each other alone: remove scheme"};
    if (params.start > 0) return FieldError{"start", "partners code their exchanges from the first on: remove start"};
    if (params.scope != "tensor") {
        return FieldError{"scope", settings.name + " rounds all weights alike: remove scope"};
    }
    return std::nullopt;
}

}  // namespace dasgd
