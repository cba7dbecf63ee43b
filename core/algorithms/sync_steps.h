// Synchronous SGD for the first N steps of a run, before an algorithm that averages weights. The algorithm begins after
// them as if at step 0, with the weights and the optimiser's state that all ranks then have in common; the learning
// rate's schedule continues. With N = 0, the default, the algorithm is unchanged. In the same way it begins after the
// step at which a run is resumed with another number of ranks.
//
//   const AddWithSyncSteps<LocalSgd, LocalSgdParams> kLocalSgdEntry{"local_sgd", …};
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/algorithms/gradient_buckets.h"
#include "core/step/archive.h"
#include "core/step/step_context.h"

namespace dasgd {

struct SyncSteps {
    std::int64_t steps = 0;         // N >= 0; from the end of the run on: synchronous SGD alone
    GradientBucketsParams buckets;  // buckets of the gradients in those steps
};
[[nodiscard]] inline FieldSpec syncStepsField(
    const char* help = "First steps, which average gradients; the algorithm begins behind them. 0: none") {
    return {.min = 0, .max = 1e15, .unit = "steps", .symbol = "k₀", .help = help};
}

// The fields of an algorithm and "sync_steps".
template <class Params>
struct WithSyncSteps : Params {
    SyncSteps sync;
    void visit(auto&& f) {
        Params::visit(f);
        f(sync.steps, "sync_steps", syncStepsField());
    }
};

// `Wrapped` after the synchronous steps; its fields include a SyncSteps `sync`.
template <class Wrapped>
class AfterSyncSteps final : public Wrapped, public Elastic {
    static_assert(std::is_base_of_v<Checkpointed, Wrapped>);
    static_assert(!std::is_base_of_v<OwnUpdate, Wrapped> && !std::is_base_of_v<HasRoles, Wrapped>,
                  "all ranks make the optimiser's own step");

public:
    template <class Params>
    explicit AfterSyncSteps(const Params& params)
        : Wrapped(params), steps_(params.sync.steps), buckets_(params.sync.buckets) {}

    // The wrapped algorithm is told of its own steps only.
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        RunOutline own = facts;
        own.steps = std::max<std::int64_t>(0, facts.steps - steps_);
        return Wrapped::check(own);
    }
    void start(StepContext& context) override {
        if (synchronous(context)) return buckets_.start(context);
        context.beginRuleAfter(context.step());
        Wrapped::start(context);
    }
    // Steps that came after the synchronous ones stay after them, though with more ranks they have smaller numbers.
    void startFrom(StepContext& context, std::int64_t before) override {
        if (before >= steps_) steps_ = std::min(steps_, context.step());
        start(context);
    }
    void afterBackward(StepContext& context) override {
        if (context.step() > steps_) return Wrapped::afterBackward(context);
        buckets_.finish(context);
    }
    void afterStep(StepContext& context) override {
        if (context.step() > steps_) return Wrapped::afterStep(context);
        buckets_.broadcastBuffers(context);
        if (synchronous(context)) return;
        buckets_.stop();
        start(context);
    }
    // See MeansOfUnevenBatches, where `Wrapped` is one.
    [[nodiscard]] bool averagesGradientsOf(std::int64_t step) const {
        if constexpr (std::is_base_of_v<MeansOfUnevenBatches, Wrapped>) {
            return step <= steps_ || Wrapped::averagesGradientsOf(step);
        }
        return true;
    }
    // Between two synchronous steps every bucket has been awaited, and the wrapped algorithm has no state yet.
    void save(StepContext& context, Archive& archive) override {
        if (synchronous(context)) return;
        Wrapped::save(context, archive);
        archive.put(kBegins, context.origin());
    }
    Status load(StepContext& context, const Archive& archive) override {
        // Absent in checkpoints of older versions, in which the wrapped algorithm always began after `steps`.
        const std::int64_t begins = archive.integer(kBegins).value_or(steps_);
        steps_ = std::min(steps_, begins);
        if (synchronous(context)) {
            start(context);
            return {};
        }
        context.beginRuleAfter(begins);
        return Wrapped::load(context, archive);
    }

private:
    static constexpr const char* kBegins = "begins_after";  // step after which the wrapped algorithm began
    // True where the next step is a synchronous one.
    [[nodiscard]] bool synchronous(const StepContext& context) const { return context.step() < steps_; }

    std::int64_t steps_;
    GradientBuckets buckets_;
};

// Registration of `Wrapped` with the field.
template <class Wrapped, class Params>
struct AddWithSyncSteps : AlgorithmRegistry::Add<AfterSyncSteps<Wrapped>, WithSyncSteps<Params>> {
    AddWithSyncSteps(const char* name, const char* summary, const char* reference, CommunicationPattern pattern)
        : AlgorithmRegistry::Add<AfterSyncSteps<Wrapped>, WithSyncSteps<Params>>(
              name, summary, reference, withFirstGradients(std::move(pattern))) {}

private:
    static CommunicationPattern withFirstGradients(CommunicationPattern pattern) {
        pattern.gradientSteps = ofField("sync_steps");
        pattern.firstBucketMb = GradientBucketsParams().firstBucketMb;
        return pattern;
    }
};

}  // namespace dasgd
