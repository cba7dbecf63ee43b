// Synchronous SGD with bucketed overlap (as PyTorch DDP, arXiv 2006.15704): gradients are averaged in buckets, each
// sent when its last gradient is ready, while the backward pass goes on. Buckets are slices of the flat gradient:
// nothing is copied.
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
    void visit(auto&& f) {
        f(bucketMb, "bucket_mb",
          {.min = 0, .max = 1e6, .minOpen = true, .unit = "MB", .help = "Gradient bytes sent at once"});
        f(firstBucketMb, "first_bucket_mb",
          {.min = 0,
           .max = 1e6,
           .minOpen = true,
           .unit = "MB",
           .help = "The same for the first bucket, so that sending starts early"});
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

    void afterStep(StepContext&) override {}
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
