// Communication of fully sharded data parallel (ZeRO stage 3, arXiv 1910.02054; PyTorch FSDP, arXiv 2304.11277), in
// time-only runs: each bucket of the weights is gathered before its forward pass and once more before its backward
// pass, since each rank keeps its row of it alone, and after that the bucket's gradients are reduce-scattered. One
// bucket is gathered ahead: as a pass reaches a bucket, the gather that comes next in the step leaves. 3(P−1)/P·S a
// step.
//
// A step's first gather comes after the update before it, and is waited for. What PyTorch spares is sent here: it keeps
// the last layers' weights between the passes, where these are gathered again, behind their forward pass. Collectives
// of a rank go one after the other in the order of their launches.
#pragma once

#include <cstddef>
#include <vector>

#include "core/algorithms/bucket_order.h"
#include "core/comm/pending.h"
#include "core/step/step_context.h"

namespace dasgd {

class LayerGathers {
public:
    // `order` is planned, and lives longer, as `context` does. Called once; listens to the passes from the next one on.
    // Precondition: the run is one of time only.
    void start(StepContext& context, const BucketOrder& order);
    // Called after each backward pass: waits for the gradients. Throws CommError.
    void finish(StepContext& context);

private:
    struct Bucket {
        at::Tensor whole, row;  // [P · row], [row]: weights or gradients, without values
        std::size_t first = 0;  // the first of its parameters
        Pending gather = {}, scatter = {};
    };

    void beforeForward(StepContext& context, std::size_t slot);
    void beforeBackward(StepContext& context, std::size_t slot);
    void afterBackward(StepContext& context, std::size_t slot);
    // The passes of a step use the buckets 2B times: forward, from the one that leaves last on, then backward.
    [[nodiscard]] Bucket& bucketOf(std::size_t use);
    void gather(StepContext& context, std::size_t use);
    // Waits for the weights of use next_.
    void enterNext(StepContext& context);

    const BucketOrder* order_ = nullptr;
    std::vector<Bucket> buckets_;  // in the order in which gradients leave
    std::size_t next_ = 0;         // the use that the passes come to next
};

}  // namespace dasgd
