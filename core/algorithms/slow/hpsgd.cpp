// HPSGD (Zhou et al., arXiv 2009.02701): in a round each worker makes τ local steps of plain SGD from the shared
// weights x and adds up its gradients. At its end, the sum G of the round before has been averaged behind it:
//   x ← x − η⟨G of the round before⟩    w ← x    this round's G leaves
// Summed gradients of plain SGD times η are the way from x to w, so this is co2 without slow momentum, at rate 1 and
// from its own start (from_present = false).
//
// Read: the authors' code (Soptq/Hierarchical_Local_SGD, hlsgd.py). There a round ends when the transfer has, which
// each rank reads for itself, so that ranks can come to disagree; here it has τ steps. There the first round's
// gradients are not reset, and at an epoch's end a sum is overwritten before it was applied; here neither.
#include "core/algorithms/slow/slow_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct HpsgdParams {
    std::int64_t period = 4;
    void visit(auto&& f) {
        f(period, "period",
          {.min = 2,
           .max = 1e9,
           .unit = "steps",
           .symbol = "τ",
           .help = "Local steps of a round, behind which the gradients of the round before are averaged"});
    }
};

class Hpsgd : public SlowAverage {
public:
    explicit Hpsgd(const HpsgdParams& params)
        : SlowAverage({.period = params.period, .oneRoundLate = true, .fromPresent = false}) {}
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        if (facts.optimizerState == 0) return SlowAverage::check(facts);
        return FieldError{"optimizer.name",
                          "hpsgd adds up gradients as they are, and this optimiser changes them by what it keeps of "
                          "earlier ones: set name = \"sgd\" and momentum = 0 in [optimizer], or use co2"};
    }
};

const AddWithSyncSteps<Hpsgd, HpsgdParams> kHpsgdEntry{"hpsgd", "Gradients of a round averaged behind the next one",
                                                       "arXiv 2009.02701",
                                                       averagesEvery(ofField("period"), ofField("period"))};

}  // namespace
}  // namespace dasgd
