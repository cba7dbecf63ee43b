// DaSGD: local SGD with delayed averaging (arXiv 2006.00441). Every τ steps the mean of all weights sets out; it is
// merged d steps later, so that the network works while the workers train on. Rule:
// algorithms/family/delayed_average.h.
#include "core/algorithms/averaging/delayed_average.h"

namespace dasgd {
namespace {

struct DasgdParams {
    DelayedAverageParams values{.period = 4, .delay = 1, .localWeight = 0.25};
    void visit(auto&& f) {
        f(values.period, "period",
          {.min = 1, .max = 1e9, .unit = "steps", .symbol = "τ", .help = "Local steps between averages"});
        f(values.delay, "delay",
          {.min = 0,
           .max = 1e9,
           .unit = "steps",
           .symbol = "d",
           .help = "Lag of the merge behind the snapshot; at most the period"});
        f(values.localWeight, "local_weight",
          {.min = 0, .max = 1, .maxOpen = true, .symbol = "ξ", .help = "Weight of the local model in the merge"});
        f(values.correction, "correction",
          {.min = 0,
           .max = 1,
           .symbol = "c",
           .help = "Share of the overlapped local steps added to the mean: 0 blend, 1 delta"});
        f(values.snapshotAtZero, "snapshot_at_zero",
          {.help = "Take the first snapshot at the start instead of after the first period"});
        f(values.offset, "offset",
          {.min = 0,
           .max = 1e9,
           .unit = "steps",
           .help = "Snapshots after steps offset, offset + period, …; less than the period"});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        const std::string period = std::to_string(values.period);
        if (values.delay > values.period) {
            return FieldError{
                "delay", "delay is " + std::to_string(values.delay) + "; allowed: 0 to period (" + period + ") steps"};
        }
        if (values.offset >= values.period) {
            return FieldError{"offset", "offset is " + std::to_string(values.offset) + "; allowed: 0 to period - 1 (" +
                                            std::to_string(values.period - 1) + ") steps"};
        }
        return std::nullopt;
    }
};

class Dasgd final : public Algorithm, public Checkpointed {
public:
    explicit Dasgd(const DasgdParams& params) : average_(params.values) {}
    void start(StepContext& context) override { average_.start(context); }
    void afterStep(StepContext& context) override { average_.afterStep(context); }
    void drain(StepContext& context) override { average_.drain(context); }
    void save(StepContext& context, Archive& archive) override { average_.save(context, archive); }
    Status load(StepContext& context, const Archive& archive) override { return average_.load(context, archive); }
    [[nodiscard]] std::int64_t roundSteps() const override { return average_.roundSteps(); }

private:
    DelayedAverage average_;
};

const AlgorithmRegistry::Add<Dasgd, DasgdParams> kDasgdEntry{"dasgd", "Local SGD with delayed averaging",
                                                             "arXiv 2006.00441"};

}  // namespace
}  // namespace dasgd
