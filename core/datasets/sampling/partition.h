// Distribution of samples over the workers.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

// Values: "iid", "by-label", "dirichlet(α)", "contiguous". Errors: anything else, α <= 0.
struct PartitionSpec {
    enum class Kind : std::uint8_t { Iid, ByLabel, Dirichlet, Contiguous };
    Kind kind = Kind::Iid;
    double alpha = 0;
    // True where samples are distributed by their class.
    [[nodiscard]] bool byClass() const { return kind == Kind::ByLabel || kind == Kind::Dirichlet; }
    static Result<PartitionSpec> parse(const std::string& text);
};

// Sample indices of every worker: disjoint, together all of `targets` ([N], int64 where classes matter), none empty
// while N >= workers. The same on every rank for the same seed. by-label: sorted by class and cut into equal parts;
// dirichlet(α): each class's samples are distributed by a draw from Dir(α) (Hsu et al., arXiv 1909.06335); contiguous:
// cut into equal parts in the given order.
std::vector<std::vector<std::int64_t>> partitionSamples(const at::Tensor& targets, const PartitionSpec& spec,
                                                        int workers, std::uint64_t seed);

}  // namespace dasgd
