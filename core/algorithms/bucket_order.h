// Buckets of gradients that leave during the backward pass, as in PyTorch DDP (arXiv 2006.15704): slices of the flat
// gradient from its end on, which leave in one order on every rank, each when its last gradient is ready. What leaves
// with a bucket is the user's.
//
// On a device buckets leave from autograd's own thread. Each of its calls is one at a time (gradient_feed.h), and the
// training thread, which waits for the pass meanwhile, goes on after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/step/flat_params.h"
#include "core/step/step_context.h"

namespace dasgd {

class BucketOrder {
public:
    struct Limits {
        double firstMb = 1;  // MiB that close the bucket that leaves first
        double mb = 25;      // the same of the others
    };
    // Elements [begin, end) of the flat gradient.
    struct Range {
        std::int64_t begin = 0, end = 0;
        [[nodiscard]] std::int64_t size() const { return end - begin; }
    };
    // Launches what leaves with bucket `bucket`. `inPass`: it is called inside the backward pass, where nobody may
    // wait.
    using Leave = std::function<void(std::size_t bucket, bool inPass)>;

    BucketOrder() = default;
    BucketOrder(const BucketOrder&) = delete;
    BucketOrder& operator=(const BucketOrder&) = delete;

    // Divides the gradients. Each bucket begins at a multiple of `multiple` elements: a parameter across the border of
    // two buckets is in both. Called once, first.
    void plan(const FlatParams& params, const Limits& limits, std::int64_t multiple = 1);
    // Called once; listens to the backward passes from the next one on. `context` lives longer.
    void start(StepContext& context, Leave leave);
    // Called after each backward pass: buckets leave that the pass has not completed, as where a parameter took no part
    // in the loss. Its gradient is zero everywhere.
    void finish();
    // Called between two steps: no bucket leaves any more, and finish() is not called after it.
    void stop() { stopped_ = true; }

    // The buckets in the order in which they leave; they cover the flat gradient.
    [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }
    // The bucket that waits for the gradient of a parameter, which is that of most of its elements.
    [[nodiscard]] std::size_t bucketOf(std::size_t slot) const { return bucketOf_[slot]; }

private:
    void onGradient(std::size_t bucket);
    void leaveNext(bool inPass);

    std::vector<Range> ranges_;
    std::vector<int> parameters_;        // of each bucket: those whose gradient completes it
    std::vector<int> missing_;           // of these, gradients that this backward pass has not made yet
    std::vector<std::size_t> bucketOf_;  // for each parameter
    std::size_t left_ = 0;
    bool stopped_ = false;
    Leave leave_;
};

}  // namespace dasgd
