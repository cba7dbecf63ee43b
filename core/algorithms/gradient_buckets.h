// Gradients averaged in buckets during the backward pass, as in PyTorch DDP (arXiv 2006.15704): bucket_order.h. Buckets
// are slices of the flat gradient: nothing is copied. BatchNorm's running statistics are rank 0's in every forward
// pass, as with DDP's broadcast_buffers (torch/nn/parallel/distributed.py, _sync_buffers).
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/algorithms/bucket_order.h"
#include "core/base/schema/fields.h"
#include "core/compression/compressed_mean.h"
#include "core/cost/communication_pattern.h"
#include "core/step/archive.h"
#include "core/step/step_context.h"

namespace dasgd {

struct GradientBucketsParams {
    double bucketMb = 25;
    double firstBucketMb = 1;
    bool broadcastBuffers = true;
    void visit(auto&& f) {
        f(bucketMb, "bucket_mb",
          {.min = 0, .max = 1e6, .minOpen = true, .unit = "MB", .help = "Gradient bytes sent at once"});
        f(firstBucketMb, "first_bucket_mb",
          {.min = 0,
           .max = 1e6,
           .minOpen = true,
           .unit = "MB",
           .help = "The same for the first bucket, so that sending starts early"});
        f(broadcastBuffers, "broadcast_buffers",
          {.help = "Rank 0 sends the running statistics of BatchNorm to all before each forward pass; otherwise they "
                   "are each rank's own"});
    }
    [[nodiscard]] BucketOrder::Limits limits() const { return {.firstMb = firstBucketMb, .mb = bucketMb}; }
};

// The gradients become 0 before their mean is decoded into them.
inline constexpr CodingPasses kCodingOfGradients{.decode = 1};

// Pattern of an algorithm that averages gradients this way in every step.
[[nodiscard]] inline CommunicationPattern gradientsInBuckets() {
    return {.kind = CommunicationPattern::Kind::Gradients,
            .firstBucketMb = ofField("first_bucket_mb"),
            .coding = kCodingOfGradients,
            .assumes = {"BatchNorm's statistics, where the model has them, are left out."}};
}

// Gives all ranks rank 0's buffers, and waits. Throws CommError.
void broadcastBuffers(StepContext& context);

class GradientBuckets {
public:
    explicit GradientBuckets(const GradientBucketsParams& params) : params_(params) {}
    GradientBuckets(const GradientBuckets&) = delete;
    GradientBuckets& operator=(const GradientBuckets&) = delete;

    // Compresses each bucket, with errors of its own, from the first step after settings.start on. Before start().
    void compress(std::shared_ptr<const CompressionSettings> settings) { compression_ = std::move(settings); }
    // Called once; listens to the backward passes from the next one on. `context` lives longer.
    void start(StepContext& context);
    // Called after each backward pass: the gradients become their mean. Throws CommError.
    void finish(StepContext& context);
    // Called after each step: the next forward pass has rank 0's statistics. Throws CommError.
    void broadcastBuffers(StepContext& context) const {
        if (params_.broadcastBuffers) dasgd::broadcastBuffers(context);
    }
    // Called between two steps: no bucket leaves any more, and finish() is not called after it.
    void stop() { order_.stop(); }
    // State between two steps, which compression alone has. load() comes after start().
    void save(StepContext& context, Archive& archive) const;
    [[nodiscard]] Status load(const Archive& archive);

private:
    struct Bucket {
        at::Tensor gradients;  // slice of the flat gradient
        Pending pending = {};
        std::unique_ptr<CompressedMean> coded = nullptr;  // null where nothing is compressed
    };

    void makeCoded(StepContext& context);
    [[nodiscard]] bool codes(const StepContext& context) const {
        return compression_ && context.step() > compression_->params.start;
    }
    void finishCoded(StepContext& context);
    void launch(StepContext& context, Bucket& bucket, bool inPass);

    GradientBucketsParams params_;
    BucketOrder order_;
    std::vector<Bucket> buckets_;
    std::shared_ptr<const CompressionSettings> compression_;
};

}  // namespace dasgd
