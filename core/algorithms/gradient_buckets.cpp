#include "core/algorithms/gradient_buckets.h"

#include <torch/types.h>

#include <cstdint>
#include <string>

#include "core/cost/memory/memory_passes.h"

namespace dasgd {

void GradientBuckets::start(StepContext& context) {
    order_.plan(context.params(), params_.limits());
    for (const BucketOrder::Range& range : order_.ranges()) {
        buckets_.push_back({context.params().gradients().slice(0, range.begin, range.end)});
    }
    makeCoded(context);
    order_.start(context,
                 [this, &context](std::size_t bucket, bool inPass) { launch(context, buckets_[bucket], inPass); });
}

void GradientBuckets::finish(StepContext& context) {
    order_.finish();
    if (codes(context)) {
        finishCoded(context);
    } else {
        for (Bucket& bucket : buckets_) {
            context.executor().waitFor(bucket.pending, context.step(),
                                       static_cast<std::int64_t>(bucket.gradients.nbytes()));
        }
    }
}

// All second stages leave before the first of them is awaited.
void GradientBuckets::finishCoded(StepContext& context) {
    for (Bucket& bucket : buckets_) bucket.coded->proceed(context);
    for (Bucket& bucket : buckets_) {
        bucket.coded->arrive(context);
        const std::int64_t clearing =
            mergeBytes(kCodingOfGradients.decode, static_cast<std::int64_t>(bucket.gradients.nbytes()));
        context.executor().run({SpanKind::Merge, clearing + bucket.coded->decodeBytes(), bucket.coded->collective()},
                               [&] {
                                   bucket.gradients.zero_();
                                   bucket.coded->decode(bucket.gradients);
                               });
        bucket.coded->finish();
    }
    if (!buckets_.front().coded->isFirst()) return;
    std::vector<const CompressedMean*> all;
    for (const Bucket& bucket : buckets_) all.push_back(bucket.coded.get());
    recordRatio(context, all);
}

void GradientBuckets::makeCoded(StepContext& context) {
    if (!compression_) return;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        const std::int64_t elements = buckets_[i].gradients.numel();
        const std::int64_t begin =
            buckets_[i].gradients.storage_offset() - context.params().gradients().storage_offset();
        buckets_[i].coded =
            std::make_unique<CompressedMean>(compression_, context,
                                             CompressedMean::Vector{.begin = begin,
                                                                    .elements = elements,
                                                                    .ofGradients = true,
                                                                    .stream = static_cast<int>(i),
                                                                    .streams = static_cast<int>(buckets_.size())});
    }
}

void GradientBuckets::save(StepContext& context, Archive& archive) const {
    for (std::size_t i = 0; i < buckets_.size() && compression_; ++i) {
        Archive own;
        buckets_[i].coded->save(context, own);
        archive.putUnder(kCompressionState + std::to_string(i) + "/", own);
    }
}

Status GradientBuckets::load(const Archive& archive) {
    for (std::size_t i = 0; i < buckets_.size() && compression_; ++i) {
        DASGD_TRY(buckets_[i].coded->load(archive.under(kCompressionState + std::to_string(i) + "/")));
    }
    return {};
}

// Broadcasts the buffers and waits. DDP does so at the start of the next forward pass, of an evaluation too, which is
// the same instant. It also sends num_batches_tracked, which is equal on all ranks here, as they make the same steps.
void broadcastBuffers(StepContext& context) {
    const std::vector<at::Tensor>& buffers = context.params().buffers();
    if (buffers.empty()) return;
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

void GradientBuckets::launch(StepContext& context, Bucket& bucket, bool inPass) {
    if (codes(context)) {
        const Work coding{SpanKind::Snapshot, bucket.coded->encodeBytes()};
        const auto encode = [&] { bucket.coded->encode(context, bucket.gradients); };
        inPass ? context.executor().runInPass(coding, encode) : context.executor().run(coding, encode);
        bucket.coded->launch(context);
        return;
    }
    bucket.pending = context.comm().allReduce(bucket.gradients, Reduce::Mean);
}

}  // namespace dasgd
