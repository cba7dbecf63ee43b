// Weights whose update is divided among the ranks, as in ZeRO (Rajbhandari et al., arXiv 1910.02054): of P equal rows
// of each bucket of the flat vectors rank r steps row r, and its optimiser has the state of these elements alone. The
// mean gradient of a row comes by a reduce-scatter, and the stepped rows go to all by an all-gather.
//
// Memory beside the flat weights and gradients [N]: the rank's part of both, n = ⌈N/P⌉ elements each, in which padding
// fills up the last row. A bucket that P does not divide, which is the one at the end of the flat vectors, is copied to
// and from a padded one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/bucket_order.h"
#include "core/comm/pending.h"
#include "core/step/flat_params.h"
#include "core/step/step_context.h"

namespace dasgd {

class ShardedWeights {
public:
    // Refuses optimisers and settings whose steps need more than a part of the weights, for the algorithm of this name.
    [[nodiscard]] static std::optional<FieldError> check(const std::string& algorithm, const RunOutline& facts);

    // Divides the weights; the part has a copy of the present ones. `buckets` are those of a BucketOrder that was
    // planned with a multiple of P. Called once, first.
    void divide(StepContext& context, const std::vector<BucketOrder::Range>& buckets);
    [[nodiscard]] bool isDivided() const { return part_.has_value(); }

    // The elements that this rank steps, [n], with their mean gradients. Precondition: isDivided().
    [[nodiscard]] FlatParams& part() { return *part_; }

    // Launches the reduce-scatter of a bucket of the flat gradient. `inPass` as in BucketOrder.
    void scatter(StepContext& context, std::size_t bucket, bool inPass);
    // Waits for the mean gradients of all buckets, in the order of the launches. Throws CommError.
    void awaitGradients(StepContext& context);
    // Gathers the parts of all ranks into the flat weights, and waits. Throws CommError.
    void gather(StepContext& context);

private:
    struct Bucket {
        at::Tensor gradients, weights;  // slices of the flat vectors
        at::Tensor padded;              // [P · row]; undefined where P divides the bucket
        at::Tensor mean, stepped;       // [row]: the rank's own row, slices of the part
        Pending pending = {};
    };

    std::vector<Bucket> buckets_;
    std::optional<FlatParams> part_;
};

}  // namespace dasgd
