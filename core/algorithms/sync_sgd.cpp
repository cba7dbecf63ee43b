// Synchronous SGD: every step descends along the mean of all gradients, averaged in buckets during the backward pass
// (as in PyTorch DDP, arXiv 2006.15704): gradient_buckets.h.
//
// Checked against PyTorch's code (torch/nn/parallel/distributed.py, torch/csrc/distributed/c10d/reducer.cpp and .hpp):
// buckets of 25 MiB, the first of 1 MiB, each closed by the gradient that brings it there, in the reverse of the order
// of registration. Variant: every step has these buckets; DDP by default reduces all gradients of its first step at
// once and then forms buckets in the order in which they came.
#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/algorithms/gradient_buckets.h"

namespace dasgd {
namespace {

class SyncSgd final : public Algorithm,
                      public Checkpointed,
                      public Elastic,
                      public CompressesExchanges,
                      public MeansOfUnevenBatches {
public:
    explicit SyncSgd(const GradientBucketsParams& params) : buckets_(params) {}

    [[nodiscard]] std::optional<FieldError> checkCompression(const CompressionSettings&) const override {
        return std::nullopt;
    }
    void setCompression(std::shared_ptr<const CompressionSettings> settings) override {
        buckets_.compress(std::move(settings));
    }
    [[nodiscard]] bool averagesGradientsOf(std::int64_t) const override { return true; }
    void start(StepContext& context) override { buckets_.start(context); }
    void startFrom(StepContext& context, std::int64_t) override { start(context); }
    void afterBackward(StepContext& context) override { buckets_.finish(context); }
    void afterStep(StepContext& context) override { buckets_.broadcastBuffers(context); }
    void drain(StepContext&) override {}
    // Between two steps every bucket has been awaited, so that there is no state but that of compression.
    void save(StepContext& context, Archive& archive) override { buckets_.save(context, archive); }
    Status load(StepContext& context, const Archive& archive) override {
        start(context);
        return buckets_.load(archive);
    }

private:
    GradientBuckets buckets_;
};

const AlgorithmRegistry::Add<SyncSgd, GradientBucketsParams> kSyncSgdEntry{
    "sync_sgd", "Synchronous SGD, buckets reduced during the backward pass", "arXiv 2006.15704",
    withForecast(ForecastRole::Buckets, gradientsInBuckets())};

}  // namespace
}  // namespace dasgd
