#include "core/algorithms/bucket_order.h"

#include <utility>

#include "core/cost/bucket_plan.h"

namespace dasgd {

void BucketOrder::plan(const FlatParams& params, const Limits& limits, std::int64_t multiple) {
    const auto& slots = params.slots();
    const auto beginOf = [&](std::size_t slot) { return slot < slots.size() ? slots[slot].offset : params.size(); };
    const std::int64_t elementBytes = params.bytes() / params.size();
    std::vector<double> bytes;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        bytes.push_back(static_cast<double>((beginOf(i + 1) - beginOf(i)) * elementBytes));
    }
    constexpr double kMebibyte = 1048576;
    bucketOf_.assign(slots.size(), 0);
    std::int64_t end = params.size();
    int members = 0;
    for (const PlannedBucket& planned : planBuckets(bytes, kMebibyte * limits.firstMb, kMebibyte * limits.mb)) {
        for (std::size_t slot = planned.first; slot < planned.last; ++slot) bucketOf_[slot] = ranges_.size();
        members += static_cast<int>(planned.last - planned.first);
        // What lies before the multiple leaves with the next bucket, by when its gradients are ready too.
        const std::int64_t begin = (beginOf(planned.first) + multiple - 1) / multiple * multiple;
        if (begin >= end) continue;
        ranges_.push_back({begin, end});
        parameters_.push_back(std::exchange(members, 0));
        end = begin;
    }
    missing_ = parameters_;
}

void BucketOrder::start(StepContext& context, Leave leave) {
    leave_ = std::move(leave);
    context.gradientFeed().listen([this](std::size_t slot) {
        if (!stopped_) onGradient(bucketOf_[slot]);
    });
}

void BucketOrder::finish() {
    while (left_ < ranges_.size()) leaveNext(false);
    missing_ = parameters_;
    left_ = 0;
}

void BucketOrder::onGradient(std::size_t bucket) {
    --missing_[bucket];
    // Buckets leave in one order on every rank, whatever order their gradients came in.
    while (left_ < ranges_.size() && missing_[left_] <= 0) leaveNext(true);
}

void BucketOrder::leaveNext(bool inPass) { leave_(left_++, inPass); }

}  // namespace dasgd
