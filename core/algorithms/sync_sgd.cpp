// Synchronous SGD with bucketed overlap (as PyTorch DDP, arXiv 2006.15704): gradients are averaged in buckets, each
// sent when its last gradient is ready, while the backward pass goes on. Buckets are slices of the flat gradient:
// nothing is copied. BatchNorm's running statistics are rank 0's in every forward pass, as DDP's broadcast_buffers
// makes them (torch/nn/parallel/distributed.py, _sync_buffers).
#include <torch/types.h>

#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/step/step_context.h"

namespace dasgd {
namespace {

struct SyncSgdParams {
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
};

struct Bucket {
    at::Tensor gradients;  // slice of the flat gradient
    int parameters = 0;
    int missing = 0;  // gradients that this backward pass has not made yet
    Pending pending;
};

class SyncSgd final : public Algorithm, public Checkpointed {
public:
    explicit SyncSgd(const SyncSgdParams& params) : params_(params) {}

    void start(StepContext& context) override {
        makeBuckets(context.params());
        context.gradientFeed().listen([this, &context](std::size_t slot) { onGradient(context, bucketOf_[slot]); });
    }

    void afterBackward(StepContext& context) override {
        // A parameter that took no part in the loss leaves its bucket waiting; its gradient is zero everywhere.
        while (launched_ < buckets_.size()) launchNext(context);
        for (Bucket& bucket : buckets_) {
            context.executor().waitFor(bucket.pending, context.step(),
                                       static_cast<std::int64_t>(bucket.gradients.nbytes()));
            bucket.missing = bucket.parameters;
        }
        launched_ = 0;
    }

    // DDP broadcasts at the start of the next forward pass, of an evaluation too, and waits: the same instant. It also
    // sends num_batches_tracked, which is equal on all ranks here, as they make the same steps.
    void afterStep(StepContext& context) override {
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
    void drain(StepContext&) override {}
    // Between two steps every bucket has been awaited.
    void save(StepContext&, Archive&) override {}
    Status load(StepContext& context, const Archive&) override {
        start(context);
        return {};
    }

private:
    // In reverse order of registration, which is about the order in which gradients become ready.
    void makeBuckets(FlatParams& params) {
        const auto& slots = params.slots();
        bucketOf_.assign(slots.size(), 0);
        std::int64_t end = params.size();
        std::int64_t begin = end;
        int members = 0;
        for (std::size_t i = slots.size(); i-- > 0;) {
            begin = slots[i].offset;
            ++members;
            bucketOf_[i] = buckets_.size();
            const double limit = 1048576 * (buckets_.empty() ? params_.firstBucketMb : params_.bucketMb);
            const double bytes = static_cast<double>((end - begin) * params.gradients().element_size());
            if (bytes < limit && i > 0) continue;
            buckets_.push_back({params.gradients().slice(0, begin, end), members, members, {}});
            end = begin;
            members = 0;
        }
    }

    void onGradient(StepContext& context, std::size_t index) {
        --buckets_[index].missing;
        // Buckets leave in one order on every rank, whatever order their gradients came in.
        while (launched_ < buckets_.size() && buckets_[launched_].missing <= 0) launchNext(context);
    }

    void launchNext(StepContext& context) {
        Bucket& bucket = buckets_[launched_++];
        bucket.pending = context.comm().allReduce(bucket.gradients, Reduce::Mean);
    }

    SyncSgdParams params_;
    std::vector<Bucket> buckets_;
    std::vector<std::size_t> bucketOf_;  // of each parameter
    std::size_t launched_ = 0;
};

const AlgorithmRegistry::Add<SyncSgd, SyncSgdParams> kSyncSgdEntry{
    "sync_sgd", "Synchronous SGD, buckets reduced during the backward pass", "arXiv 2006.15704"};

}  // namespace
}  // namespace dasgd
