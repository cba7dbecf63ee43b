// Where a rank on a device has its samples: on the device, or on the host, from where batches are brought.
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
        Samples samples;                // what batches are made of, where it is
        TensorDevice* bring = nullptr;  // by which each batch is brought; null: batches are made where they are used
    };
    // `device`: null on the processor, where everything stays as it is.
    SamplePlaces(const DataParams& params, TensorDevice* device) : params_(params), device_(device) {}

    // Waits for the copy.
    [[nodiscard]] Placed place(const Samples& samples);

private:
    [[nodiscard]] at::Tensor moved(const at::Tensor& tensor);

    const DataParams& params_;
    TensorDevice* device_;
    std::map<const void*, at::Tensor> moved_;  // by the tensor that it is a copy of
};

}  // namespace dasgd
