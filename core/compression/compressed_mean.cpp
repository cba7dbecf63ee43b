#include "core/compression/compressed_mean.h"

#include <torch/types.h>

#include <cmath>
#include <utility>

#include "core/base/check.h"
#include "core/base/metric_names.h"
#include "core/cost/memory/memory_passes.h"
#include "core/step/archive.h"

namespace dasgd {

std::vector<Segment> segmentsOf(const FlatParams& params, const CompressionParams& settings, std::int64_t begin,
                                std::int64_t elements) {
    if (settings.scope == "model") return {{.offset = 0, .elements = elements}};
    std::vector<Segment> segments;
    for (const FlatParams::Slot& slot : params.slots()) {
        const std::int64_t rows = slot.parameter.dim() > 1 ? slot.parameter.size(0) : 0;
        for (Segment part : segmentsWithin({{slot.offset, slot.numel}}, begin, elements)) {
            if (part.elements == slot.numel) part.rows = rows;
            segments.push_back(part);
        }
    }
    return segments;
}

CompressedMean::CompressedMean(std::shared_ptr<const CompressionSettings> settings, StepContext& context,
                               const Vector& vector)
    : settings_(std::move(settings)), context_(context), vector_(vector) {
    const at::Tensor& weights = context.params().weights();
    const CompressionParams& params = settings_->params;
    denseBytes_ = vector.elements * weights.element_size();
    scheme_ = settings_->compressor->makeScheme(
        {.segments = segmentsOf(context.params(), params, vector.begin, vector.elements),
         .elements = vector.elements,
         .options = weights.options().requires_grad(false),
         .ranks = context.comm().size(),
         .rank = context.comm().rank().value(),
         .seed = context.seed(),
         .scheme = params.scheme,
         .feedback = params.errorFeedback,
         .errorDecay = params.errorDecay,
         .epoch = [&context] { return context.epoch(); }});
    DASGD_CHECK(scheme_ && "the operator forms means");
    if (params.errorFeedback) error_ = at::zeros({vector.elements}, weights.options().requires_grad(false));
}

void CompressedMean::encode(StepContext& context, const at::Tensor& x) {
    const at::NoGradGuard guard;
    ++exchanges_;
    const double rate = context.learningRate();
    // Without a step before, e is of steps of no length.
    factor_ = settings_->params.rescaleError && vector_.ofGradients && rate > 0 ? rate_ / rate : 1;
    if (rate > 0) rate_ = rate;
    if (!error_.defined()) {
        scheme_->encode(x, counter());
    } else {
        error_.mul_(settings_->params.errorDecay * factor_).add_(x);
        scheme_->encode(error_, counter());
    }
    // One exchange a step says it; a model's buckets and fragments are alike.
    if (!error_.defined() || vector_.stream != 0) return;
    size_ = at::linalg_vector_norm(x).item<double>();
    if (!hasSecondStage()) recordError();
}

void CompressedMean::recordError() const {
    if (size_ == 0) return;
    const double own = at::linalg_vector_norm(error_).item<double>();
    context_.record(metrics::kCompressionError, std::sqrt(own * own + scheme_->squareOfOtherErrors()) / size_);
}

void CompressedMean::launch(StepContext& context) {
    DASGD_CHECK(stage_ == Stage::Idle && "one exchange at a time");
    launchStage(context, Stage::First);
}

void CompressedMean::launchStage(StepContext& context, Stage stage) {
    stage_ = stage;
    const int number = stage == Stage::First ? 0 : 1;
    sent_.end();
    sent_.begin(context);
    sent_.add(scheme_->launch(context.comm(), number), scheme_->bytes(number));
}

void CompressedMean::proceed(StepContext& context) {
    if (stage_ != Stage::First || !hasSecondStage()) return;
    sent_.await(context);
    const std::int64_t bytes = mergeBytes(scheme_->passes().recode, denseBytes_);
    context.executor().run({SpanKind::Merge, bytes, collective()}, [&] {
        const at::NoGradGuard guard;
        scheme_->recode(factor_, counter());
    });
    launchStage(context, Stage::Second);
}

void CompressedMean::arrive(StepContext& context) {
    proceed(context);
    sent_.await(context);
}

void CompressedMean::decode(at::Tensor out) {
    const at::NoGradGuard guard;
    scheme_->decode(std::move(out), counter());
    if (error_.defined() && vector_.stream == 0 && hasSecondStage()) recordError();
}

void CompressedMean::drop(StepContext& context) {
    sent_.drop(context);
    stage_ = Stage::Idle;
}

std::int64_t CompressedMean::encodeBytes() const {
    return snapshotBytes(scheme_->passes().encode + passesOfError(settings_->params.errorFeedback), denseBytes_);
}

std::int64_t CompressedMean::decodeBytes() const { return mergeBytes(scheme_->passes().decode, denseBytes_); }

std::int64_t CompressedMean::sentBytes() const {
    return snapshotBytes(settings_->compressor->properties().decodePasses, denseBytes_);
}

void CompressedMean::save(StepContext& context, Archive& archive) {
    sent_.save(context, archive);
    archive.put("exchanges", exchanges_);
    archive.put("rate", at::scalar_tensor(rate_, at::kDouble));
    archive.put("stage", static_cast<std::int64_t>(stage_));
    if (error_.defined()) archive.put("error", error_);
    for (const auto& [name, tensor] : scheme_->kept()) archive.put(name, *tensor);
    if (stage_ == Stage::Idle) return;
    archive.put("factor", at::scalar_tensor(factor_, at::kDouble));
    archive.put("size", at::scalar_tensor(size_, at::kDouble));
    for (const auto& [name, tensor] : scheme_->underWay()) archive.put(name, *tensor);
}

Status CompressedMean::load(const Archive& archive) {
    DASGD_TRY(sent_.load(archive));
    DASGD_ASSIGN(exchanges_, archive.integer("exchanges"));
    at::Tensor number = at::scalar_tensor(0, at::kDouble);
    DASGD_TRY(archive.read("rate", number));
    rate_ = number.item<double>();
    DASGD_ASSIGN(const std::int64_t stage, archive.integer("stage"));
    stage_ = static_cast<Stage>(stage);
    if (error_.defined()) DASGD_TRY(archive.read("error", error_));
    for (const auto& [name, tensor] : scheme_->kept()) DASGD_TRY(archive.read(name, *tensor));
    if (stage_ == Stage::Idle) return {};
    DASGD_TRY(archive.read("factor", number));
    factor_ = number.item<double>();
    DASGD_TRY(archive.read("size", number));
    size_ = number.item<double>();
    if (error_.defined()) scheme_->resume(error_);
    for (const auto& [name, tensor] : scheme_->underWay()) DASGD_TRY(archive.read(name, *tensor));
    return {};
}

void recordRatio(StepContext& context, const std::vector<const CompressedMean*>& all) {
    double messages = 0, vectors = 0;
    for (const CompressedMean* mean : all) {
        messages += static_cast<double>(mean->messageBytes());
        vectors += static_cast<double>(mean->denseBytes());
    }
    context.record(metrics::kCompressionRatio, messages / vectors);
}

}  // namespace dasgd
