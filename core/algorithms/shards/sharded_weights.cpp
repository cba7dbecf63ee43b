#include "core/algorithms/shards/sharded_weights.h"

#include <torch/types.h>

#include <algorithm>

#include "core/cost/memory/memory_passes.h"

namespace dasgd {

namespace {

std::int64_t bytesIn(const at::Tensor& tensor) { return static_cast<std::int64_t>(tensor.nbytes()); }

}  // namespace

std::optional<FieldError> ShardedWeights::check(const std::string& algorithm, const RunOutline& facts) {
    const std::string each = ", and with " + algorithm + " each rank steps a part of them: ";
    const std::string remedy = ", or set name = \"sync_sgd\" in [algorithm]";
    if (facts.clips) {
        return FieldError{"train.gradient_clip",
                          "gradients are clipped by the norm of all of them" + each + "remove it" + remedy};
    }
    if (facts.layerwise) {
        return FieldError{"optimizer.name",
                          "the optimiser takes norms of whole layers" + each + "choose another, as adamw" + remedy};
    }
    return std::nullopt;
}

void ShardedWeights::divide(StepContext& context, const std::vector<BucketOrder::Range>& buckets) {
    FlatParams& params = context.params();
    const std::int64_t ranks = context.comm().size(), rank = context.comm().rank().value();
    const auto options = params.gradients().options();
    const std::int64_t size = (params.size() + ranks - 1) / ranks;
    at::Tensor mean = at::zeros({size}, options);
    // Buckets are multiples of the ranks, so that those before one leave so much of the part to it.
    const auto placeOf = [&](const BucketOrder::Range& bucket) { return bucket.begin / ranks; };
    const auto rowOf = [&](const BucketOrder::Range& bucket) { return (bucket.size() + ranks - 1) / ranks; };

    FlatParams::Ranges own;
    for (auto bucket = buckets.rbegin(); bucket != buckets.rend(); ++bucket) {
        const std::int64_t begin = std::min(bucket->begin + rank * rowOf(*bucket), bucket->end);
        own.emplace_back(begin, std::min(begin + rowOf(*bucket), bucket->end));
    }
    part_ = FlatParams::copyOf(params, own, mean);
    for (const BucketOrder::Range& bucket : buckets) {
        const std::int64_t row = rowOf(bucket);
        const bool isWhole = row * ranks == bucket.size();
        buckets_.push_back({.gradients = params.gradients().slice(0, bucket.begin, bucket.end),
                            .weights = params.weights().slice(0, bucket.begin, bucket.end),
                            .padded = isWhole ? at::Tensor() : at::zeros({row * ranks}, options),
                            .mean = mean.narrow(0, placeOf(bucket), row),
                            .stepped = part_->weights().narrow(0, placeOf(bucket), row)});
    }
}

void ShardedWeights::scatter(StepContext& context, std::size_t bucket, bool inPass) {
    Bucket& leaving = buckets_[bucket];
    at::Tensor sent = leaving.gradients;
    if (leaving.padded.defined()) {
        sent = leaving.padded;
        const Work copying{SpanKind::Snapshot, snapshotBytes(kPassesOfCopy, bytesIn(leaving.gradients))};
        const auto copy = [&] {
            const at::NoGradGuard guard;
            sent.narrow(0, 0, leaving.gradients.numel()).copy_(leaving.gradients);
        };
        inPass ? context.executor().runInPass(copying, copy) : context.executor().run(copying, copy);
    }
    leaving.pending = context.comm().reduceScatter(sent, leaving.mean, Reduce::Mean);
}

void ShardedWeights::awaitGradients(StepContext& context) {
    for (Bucket& bucket : buckets_) {
        context.executor().waitFor(bucket.pending, context.step(), bytesIn(bucket.gradients));
    }
}

void ShardedWeights::gather(StepContext& context) {
    for (Bucket& bucket : buckets_) {
        bucket.pending =
            context.comm().allGather(bucket.stepped, bucket.padded.defined() ? bucket.padded : bucket.weights);
    }
    for (Bucket& bucket : buckets_) {
        const std::uint64_t number = bucket.pending.collective();
        context.executor().waitFor(bucket.pending, context.step(), bytesIn(bucket.stepped));
        if (!bucket.padded.defined()) continue;
        context.executor().run({SpanKind::Merge, mergeBytes(kPassesOfCopy, bytesIn(bucket.weights)), number}, [&] {
            const at::NoGradGuard guard;
            bucket.weights.copy_(bucket.padded.narrow(0, 0, bucket.weights.numel()));
        });
    }
}

}  // namespace dasgd
