// LOSCAR-SGD (Maziane, Mahran, Maranjyan, Richtárik, arXiv 2605.20866): local SGD whose averages are of a random mask
// of coordinates, shared by all workers and drawn anew each round, and overlap with the steps that follow:
//
//   N steps give y, Q more give z; m = ⟨y⟩;   x_j = m_j + (z_j − y_j) for j in the mask, z_j otherwise.
//
// The merge family's delta on the mask, with d = Q and snapshots at N, N + τ, …, τ = N + Q. Verified: the abstract, and
// the rule in a published restatement (junaidaliop.github.io/zij), where workers have Nᵢ and Qᵢ of their own. Variant:
// N and Q are the same for all. Schedules, epochs and evaluations of a run count the steps of every worker alike, so
// that workers with uneven numbers of steps in a round would be at different steps of one run.
//
// The mask of the snapshot after step k: all ranks draw one seed s < 2⁵³ from the run's shared stream at the start;
// mt19937_64 seeded with mixBits(mixBits(s) + k) gives each coordinate in turn a number in [0, 1), 53 bits of a draw,
// which selects it where that is below (coordinates still wanted) / (coordinates still to come).
//
// On a device the mask is drawn on the host, over parameters without padding, and copied there without waiting.
//
// Memory: 2 K values and K indices for a mask of K. Sends an all-reduce of K values a period; the mask is never sent.
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/sync_steps.h"
#include "core/base/random.h"
#include "core/gpu/copied_to.h"
#include "core/gpu/flat_ops.h"
#include "core/step/archive.h"

namespace dasgd {
namespace {

struct LoscarParams {
    std::int64_t period = 4, delay = 3;
    double share = 0.25;
    void visit(auto&& f) {
        f(period, "period", periodField());
        f(delay, "delay", delayField("Local steps beside the average; at most the period", "Q"));
        f(share, "share",
          {.min = 0, .max = 1, .minOpen = true, .symbol = "K/N", .help = "Share of the coordinates in an average"});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        return DelayedAverageParams{.period = period, .delay = delay}.check();
    }
};

// Selection sampling (Fan, Muller, Rezucha 1962), as above: every subset of that size is equally likely; ascending.
void drawMask(at::Tensor& mask, std::int64_t size, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    auto* chosen = mask.mutable_data_ptr<std::int64_t>();
    std::int64_t missing = mask.numel();
    for (std::int64_t i = 0; missing > 0; ++i) {
        const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
        if (uniform * static_cast<double>(size - i) >= static_cast<double>(missing)) continue;
        *chosen++ = i;
        --missing;
    }
}

// Turns ascending numbers of parameters into their positions in the flat tensors.
void withPadding(at::Tensor& chosen, const FlatParams& params) {
    if (params.parameters() == params.size()) return;
    auto* place = chosen.mutable_data_ptr<std::int64_t>();
    const auto* end = place + chosen.numel();
    std::int64_t before = 0;  // parameters of the preceding slots
    for (const FlatParams::Slot& slot : params.slots()) {
        for (; place < end && *place < before + slot.numel; ++place) *place += slot.offset - before;
        before += slot.numel;
    }
}

class Loscar : public DelayedAverage, public SendsUncoded {
public:
    explicit Loscar(const LoscarParams& params)
        : DelayedAverage({.period = params.period,
                          .delay = params.delay,
                          .localWeight = 0,
                          .correction = 1,
                          .offset = (params.period - params.delay) % params.period}),
          share_(params.share) {}

    [[nodiscard]] std::string whyUncoded() const override {
        return "sends a share of its weights already: remove [compression], or use topk with dasgd";
    }
    [[nodiscard]] bool weighsRanks() const override { return true; }
    void start(StepContext& context) override {
        seed_ =
            static_cast<std::int64_t>(at::randint(kMostSeeds, {1}, context.sharedRandom(), at::kLong).item<int64_t>());
        makeMask(context);
    }
    void save(StepContext& context, Archive& archive) override {
        DelayedAverage::save(context, archive);
        archive.put("seed", seed_);
        archive.put("mask", mask_);
    }
    Status load(StepContext& context, const Archive& archive) override {
        DASGD_TRY(DelayedAverage::load(context, archive));
        DASGD_ASSIGN(seed_, archive.integer("seed"));
        makeMask(context);
        return archive.read("mask", mask_);
    }

private:
    static constexpr std::int64_t kMostSeeds = std::int64_t{1} << 53;

    // Counted in parameters, without the padding between them.
    [[nodiscard]] std::int64_t payload(std::int64_t size) const override {
        const std::int64_t parameters = parameters_ > 0 ? parameters_ : size;
        return std::max<std::int64_t>(1, std::llround(share_ * static_cast<double>(parameters)));
    }
    void makeMask(StepContext& context) {
        FlatParams& params = context.params();
        parameters_ = params.parameters();
        mask_ = at::empty({payload(params.size())}, params.weights().options().dtype(at::kLong));
    }
    void take(StepContext& context, at::Tensor out, double scale) override {
        const at::Tensor& weights = context.params().weights();
        const auto round = mixBits(static_cast<std::uint64_t>(seed_)) + static_cast<std::uint64_t>(context.ownSteps());
        at::Tensor drawn = at::empty(mask_.sizes(), at::kLong);
        drawMask(drawn, parameters_, mixBits(round));
        withPadding(drawn, context.params());
        mask_ = copiedTo(drawn, weights.device());
        snapshotFlatAt(weights, mask_, out, snapshot(), scale);
    }
    void mergeWeights(StepContext& context, at::Tensor mean) override {
        mergeFlatAt(context.params().weights(), mask_, mean, snapshot());
    }

    double share_;
    std::int64_t seed_ = 0;
    std::int64_t parameters_ = 0;
    at::Tensor mask_;  // [K]: coordinates of the newest snapshot
};

const AddWithSyncSteps<Loscar, LoscarParams> kLoscarEntry{
    "loscar",
    "Overlapped averages of a random share of the coordinates",
    "arXiv 2605.20866",
    {.kind = CommunicationPattern::Kind::Averages,
     .period = ofField("period"),
     .delay = ofField("delay"),
     .share = ofField("share"),
     .assumes = {"All workers make the same number of local steps."}}};

}  // namespace
}  // namespace dasgd
