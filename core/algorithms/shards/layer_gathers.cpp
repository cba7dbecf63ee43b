#include "core/algorithms/shards/layer_gathers.h"

#include <torch/types.h>

namespace dasgd {

void LayerGathers::start(StepContext& context, const BucketOrder& order) {
    order_ = &order;
    const std::int64_t ranks = context.comm().size();
    const auto options = context.params().gradients().options();
    for (const BucketOrder::Range& range : order.ranges()) {
        const std::int64_t row = (range.size() + ranks - 1) / ranks;
        buckets_.push_back({.whole = at::empty({row * ranks}, options), .row = at::empty({row}, options)});
    }
    for (std::size_t slot = context.params().slots().size(); slot-- > 0;) buckets_[order.bucketOf(slot)].first = slot;
    context.gradientFeed().listenToLayers(
        {.beforeForward = [this, &context](std::size_t slot) { beforeForward(context, slot); },
         .afterBackward = [this, &context](std::size_t slot) { afterBackward(context, slot); },
         .beforeBackward = [this, &context](std::size_t slot) { beforeBackward(context, slot); }});
}

void LayerGathers::beforeForward(StepContext& context, std::size_t slot) {
    if (slot == 0) gather(context, 0);
    if (slot == bucketOf(next_).first) enterNext(context);
}

void LayerGathers::beforeBackward(StepContext& context, std::size_t slot) {
    if (next_ == buckets_.size() + order_->bucketOf(slot)) enterNext(context);
}

void LayerGathers::afterBackward(StepContext& context, std::size_t slot) {
    Bucket& bucket = buckets_[order_->bucketOf(slot)];
    if (slot == bucket.first) bucket.scatter = context.comm().reduceScatter(bucket.whole, bucket.row, Reduce::Mean);
}

LayerGathers::Bucket& LayerGathers::bucketOf(std::size_t use) {
    const std::size_t count = buckets_.size();
    return buckets_[use < count ? count - 1 - use : use - count];
}

void LayerGathers::gather(StepContext& context, std::size_t use) {
    Bucket& bucket = bucketOf(use);
    bucket.gather = context.comm().allGather(bucket.row, bucket.whole);
}

void LayerGathers::enterNext(StepContext& context) {
    Bucket& bucket = bucketOf(next_);
    context.executor().waitFor(bucket.gather, context.step(), static_cast<std::int64_t>(bucket.row.nbytes()));
    next_ = (next_ + 1) % (2 * buckets_.size());
    if (next_ > 0) gather(context, next_);
}

void LayerGathers::finish(StepContext& context) {
    for (Bucket& bucket : buckets_) {
        context.executor().waitFor(bucket.scatter, context.step(), static_cast<std::int64_t>(bucket.whole.nbytes()));
    }
}

}  // namespace dasgd
