#include "core/algorithms/gradient_buckets.h"

#include <torch/types.h>

#include <cstdint>

#include "core/cost/bucket_plan.h"

namespace dasgd {

void GradientBuckets::start(StepContext& context) {
    makeBuckets(context.params());
    context.gradientFeed().listen([this, &context](std::size_t slot) {
        if (!stopped_) onGradient(context, bucketOf_[slot]);
    });
}

void GradientBuckets::finish(StepContext& context) {
    // A parameter that took no part in the loss leaves its bucket unlaunched; its gradient is zero everywhere.
    while (launched_ < buckets_.size()) launchNext(context);
    for (Bucket& bucket : buckets_) {
        context.executor().waitFor(bucket.pending, context.step(),
                                   static_cast<std::int64_t>(bucket.gradients.nbytes()));
        bucket.missing = bucket.parameters;
    }
    launched_ = 0;
}

// Broadcasts the buffers and waits. DDP does so at the start of the next forward pass, of an evaluation too, which is
// the same instant. It also sends num_batches_tracked, which is equal on all ranks here, as they make the same steps.
void GradientBuckets::broadcastBuffers(StepContext& context) const {
    const std::vector<at::Tensor>& buffers = context.params().buffers();
    if (!params_.broadcastBuffers || buffers.empty()) return;
    const at::NoGradGuard guard;
    std::vector<at::Tensor> flat;
    for (const at::Tensor& buffer : buffers) flat.push_back(buffer.flatten());
    at::Tensor all = at::cat(flat);
    Pending pending = context.comm().broadcast(all, Rank{0});
    context.executor().waitFor(pending, context.step(), static_cast<std::int64_t>(all.nbytes()));
    std::int64_t offset = 0;
    for (const at::Tensor& buffer : buffers) {
        buffer.copy_(all.narrow(0, offset, buffer.numel()).view_as(buffer));
        offset += buffer.numel();
    }
}

void GradientBuckets::makeBuckets(FlatParams& params) {
    const auto& slots = params.slots();
    const auto beginOf = [&](std::size_t slot) { return slot < slots.size() ? slots[slot].offset : params.size(); };
    std::vector<double> bytes;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        bytes.push_back(static_cast<double>((beginOf(i + 1) - beginOf(i)) * params.gradients().element_size()));
    }
    constexpr double kMebibyte = 1048576;
    bucketOf_.assign(slots.size(), 0);
    for (const PlannedBucket& planned :
         planBuckets(bytes, kMebibyte * params_.firstBucketMb, kMebibyte * params_.bucketMb)) {
        const auto members = static_cast<int>(planned.last - planned.first);
        for (std::size_t slot = planned.first; slot < planned.last; ++slot) bucketOf_[slot] = buckets_.size();
        buckets_.push_back(
            {params.gradients().slice(0, beginOf(planned.first), beginOf(planned.last)), members, members, {}});
    }
}

void GradientBuckets::onGradient(StepContext& context, std::size_t index) {
    --buckets_[index].missing;
    // Buckets leave in one order on every rank, whatever order their gradients came in.
    while (launched_ < buckets_.size() && buckets_[launched_].missing <= 0) launchNext(context);
}

void GradientBuckets::launchNext(StepContext& context) {
    Bucket& bucket = buckets_[launched_++];
    bucket.pending = context.comm().allReduce(bucket.gradients, Reduce::Mean);
}

}  // namespace dasgd
