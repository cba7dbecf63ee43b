// Location of the samples of a rank on a device: on the device, or on the host, from where batches are copied.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/result.h"
#include "core/datasets/samples.h"
#include "core/experiment/experiment.h"
#include "core/gpu/tensor_device.h"

namespace dasgd {

// With data.device_data = "auto", data sets up to so many bytes are kept on the device.
inline constexpr std::int64_t kMostResidentBytes = std::int64_t{2} << 30;

// Sets that share memory share it on the device too. Owner: the rank's training thread.
class SamplePlaces {
public:
    struct Placed {
        Samples samples;                // samples that batches are made of, in their place
        TensorDevice* bring = nullptr;  // copies each batch to the device; null: batches are made where they are used
    };
    // `device`: null on the CPU, where everything stays where it is.
    SamplePlaces(const DataParams& params, TensorDevice* device) : params_(params), device_(device) {}

    // Returns when the samples are in their place, copied where needed.
    [[nodiscard]] Placed place(const Samples& samples);

private:
    [[nodiscard]] at::Tensor moved(const at::Tensor& tensor);

    const DataParams& params_;
    TensorDevice* device_;
    std::map<const void*, at::Tensor> moved_;  // by the tensor that was copied
};

}  // namespace dasgd
