#include "core/datasets/samples.h"

#include <torch/types.h>

#include <utility>

#include "core/base/check.h"
#include "core/datasets/augment.h"
#include "core/gpu/copied_to.h"

namespace dasgd {

namespace {

// Scales pixels in float32: they have 8 bits, and a run in float64 starts from the same inputs as one in float32.
// Divisors are tensors: a device multiplies by the reciprocal of a number, and batches would depend on the device.
at::Tensor scaled(const at::Tensor& pixels, const PixelScale& scale) {
    at::Tensor values = pixels.to(torch::kFloat);
    const auto one = [&](double number) { return torch::full({}, number, values.options()); };
    const auto perChannel = [&](const std::vector<double>& numbers) {
        if (numbers.size() == 1) return one(numbers[0]);
        return copiedTo(torch::tensor(numbers, torch::kFloat), values.device()).view({-1, 1, 1});
    };
    return values.div_(one(255)).sub_(perChannel(scale.mean)).div_(perChannel(scale.deviation));
}

at::Tensor asModelTakes(const at::Tensor& stored, at::ScalarType type) {
    return stored.to(stored.is_floating_point() ? type : torch::kLong);
}

}  // namespace

Task Samples::task() const {
    DASGD_CHECK(targets.defined());
    if (targets.is_floating_point()) return Task::kRegression;
    return targets.dim() == 1 ? Task::kClassification : Task::kLanguage;
}

Batch makeBatch(const Samples& samples, const at::Tensor& chosen, at::ScalarType type, std::uint64_t seed) {
    const at::Tensor indices = copiedTo(chosen, samples.targets.device());
    SampleReader::Inputs taken{.indices = indices};
    if (samples.reader) {
        taken = samples.reader->read(indices, seed);
    } else {
        const bool all = !samples.rows.defined();
        taken.values = samples.inputs.index_select(0, all ? indices : samples.rows.index_select(0, indices));
    }
    if (samples.augmentation.any()) taken.values = shifted(taken.values, samples.augmentation, seed);
    if (!samples.scale.mean.empty()) taken.values = scaled(taken.values, samples.scale);
    return {asModelTakes(taken.values, type), asModelTakes(samples.targets.index_select(0, taken.indices), type),
            taken.indices};
}

Samples cutText(const at::Tensor& tokens, std::int64_t length) {
    DASGD_CHECK(tokens.dim() == 1 && tokens.is_contiguous() && length > 0);
    const std::int64_t count = tokens.numel() > 0 ? (tokens.numel() - 1) / length : 0;
    Samples samples;
    samples.inputs = tokens.as_strided({count, length}, {length, 1}, tokens.storage_offset());
    samples.targets = tokens.as_strided({count, length}, {length, 1}, tokens.storage_offset() + (count > 0 ? 1 : 0));
    samples.continuous = true;
    return samples;
}

Samples selected(const Samples& all, const at::Tensor& indices, SampleUse use) {
    Samples some = all;
    some.targets = all.targets.index_select(0, indices);
    if (all.reader) {
        some.reader = all.reader->selected(indices, use);
    } else {
        some.rows = all.rows.defined() ? all.rows.index_select(0, indices) : indices;
    }
    if (use == SampleUse::kEvaluation) some.augmentation = {};
    return some;
}

Samples partOf(const Samples& all, std::int64_t begin, std::int64_t count) {
    DASGD_CHECK(!all.reader && !all.rows.defined());
    Samples part = all;
    part.inputs = all.inputs.narrow(0, begin, count);
    part.targets = all.targets.narrow(0, begin, count);
    return part;
}

at::Tensor inRows(const at::Tensor& stream, std::int64_t rows, std::int64_t batches) {
    return stream.slice(0, 0, rows * batches).view({rows, batches}).t().reshape({rows * batches});
}

}  // namespace dasgd
