// Samples in memory. One .cpp each, registered by its last line.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/base/registry.h"
#include "core/base/result.h"
#include "core/models/model.h"

namespace dasgd {

// inputs [N, …shape] float32, normalised; targets [N] int64 in 0 .. classes-1.
struct Samples {
    at::Tensor inputs;
    at::Tensor targets;
    [[nodiscard]] std::int64_t count() const { return targets.defined() ? targets.size(0) : 0; }
};

struct Splits {
    Samples train;
    Samples test;
    InputSpec input;
};

class Dataset {
public:
    virtual ~Dataset() = default;
    // `natural` is the model's own input: data sets with a shape of their own ignore it. Errors name the path and the
    // remedy: missing or truncated file, wrong magic number, sizes that do not match.
    [[nodiscard]] virtual Result<Splits> load(const InputSpec& natural) const = 0;
};

using DatasetRegistry = Registry<Dataset>;

}  // namespace dasgd
