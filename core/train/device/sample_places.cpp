#include "core/train/device/sample_places.h"

#include <torch/types.h>

namespace dasgd {

namespace {

// Bytes that samples take in memory.
std::int64_t bytesOf(const Samples& samples) {
    return static_cast<std::int64_t>(samples.inputs.nbytes() + samples.targets.nbytes());
}

}  // namespace

at::Tensor SamplePlaces::moved(const at::Tensor& tensor) {
    if (!tensor.defined()) return tensor;
    at::Tensor& there = moved_[tensor.unsafeGetTensorImpl()];
    if (!there.defined()) there = tensor.to(device_->device());
    return there;
}

SamplePlaces::Placed SamplePlaces::place(const Samples& samples) {
    if (!device_ || samples.count() == 0) return {samples};
    const bool fits = !samples.reader && bytesOf(samples) <= kMostResidentBytes;
    const bool resident = params_.deviceData == "resident" || (params_.deviceData == "auto" && fits);
    if (!resident || samples.reader) return {samples, device_};
    Samples there = samples;
    for (at::Tensor* tensor : {&there.inputs, &there.targets, &there.rows}) *tensor = moved(*tensor);
    there.loading.threads = 0;  // batches are made by the device's kernels
    return {there};
}

}  // namespace dasgd
