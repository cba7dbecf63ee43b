#include "core/algorithms/averaging/coded_mean.h"

#include <torch/types.h>

#include <utility>

#include "core/cost/memory/memory_passes.h"
#include "core/step/archive.h"

namespace dasgd {

CodedMean::CodedMean(std::shared_ptr<const CompressionSettings> settings, StepContext& context,
                     const at::Tensor& reference)
    : start_(settings->params.start),
      mean_(std::move(settings), context, {.elements = context.params().size(), .ofGradients = !reference.defined()}) {
    if (reference.defined()) reference_ = reference.detach().clone();
}

void CodedMean::encode(StepContext& context, at::Tensor x) {
    if (reference_.defined()) x.sub_(reference_);
    mean_.encode(context, x);
}

void CodedMean::sent(at::Tensor out, double scale) {
    if (reference_.defined()) {
        at::mul_out(out, reference_, at::scalar_tensor(scale, out.options().device(at::kCPU)));
    } else {
        out.zero_();
    }
    mean_.addSent(std::move(out), scale);
}

void CodedMean::decode(at::Tensor mean) {
    if (reference_.defined()) {
        mean.copy_(reference_);
        mean_.decode(mean);
        reference_.copy_(mean);
    } else {
        mean.zero_();
        mean_.decode(std::move(mean));
    }
}

void CodedMean::agree(const at::Tensor& mean) {
    if (reference_.defined()) reference_.copy_(mean);
}

std::int64_t CodedMean::encodeBytes() const {
    return mean_.encodeBytes() + snapshotBytes(passes().encode, mean_.denseBytes());
}

std::int64_t CodedMean::sentBytes() const {
    const std::int64_t bytes = reference_.defined() ? static_cast<std::int64_t>(reference_.nbytes()) : 0;
    return mean_.sentBytes() + snapshotBytes(kPassesOfCopy, bytes);
}

std::int64_t CodedMean::agreeBytes() const {
    return reference_.defined() ? mergeBytes(kPassesOfCopy, static_cast<std::int64_t>(reference_.nbytes())) : 0;
}

std::int64_t CodedMean::decodeBytes() const {
    return mean_.decodeBytes() + mergeBytes(passes().decode, mean_.denseBytes());
}

void CodedMean::save(StepContext& context, Archive& archive) {
    mean_.save(context, archive);
    if (reference_.defined()) archive.put("reference", reference_);
}

Status CodedMean::load(const Archive& archive) {
    DASGD_TRY(mean_.load(archive));
    return reference_.defined() ? archive.read("reference", reference_) : Status();
}

std::optional<FieldError> checkCodedWeights(const CompressionSettings& settings) {
    const Compressor::Properties properties = settings.compressor->properties();
    if (properties.ownMomentum) {
        return FieldError{"name",
                          settings.name +
                              " holds gradients back by a rule of its own, which is none for weights: use it with "
                              "sync_sgd, or choose topk with error_feedback"};
    }
    if (!properties.votes) return std::nullopt;
    return FieldError{"vote", "a vote is about the sign of gradients: use it with sync_sgd, or set vote = false"};
}

std::optional<FieldError> checkKnowsSent(const CompressionSettings& settings, const std::string& why) {
    if (settings.params.scheme == "shard") {
        return FieldError{"scheme",
                          why +
                              ", and with scheme = \"shard\", the operator's own, the means are coded once more: set "
                              "scheme = \"gather\""};
    }
    if (!settings.compressor->properties().ownScheme) return checkCodedWeights(settings);
    return FieldError{"name", why + ", which nobody knows of " + settings.name +
                                  ": choose an operator that codes each worker's numbers, as topk or sign"};
}

}  // namespace dasgd
