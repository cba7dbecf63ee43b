// Adasum (Maleki et al., MLSys 2021, arXiv 2006.02924): after its own step of the optimiser each worker has a change
// Δ = w − w_before of the weights that all had in common, and w = w_before + Adasum(Δ₁, …, Δ_P). Two changes are
// combined parameter by parameter,
//   a ⊕ b = (1 − a·b/(2‖a‖²))·a + (1 − a·b/(2‖b‖²))·b
// which is a + b where they are orthogonal and their mean where they are parallel. Ranks r and r xor 1 combine theirs,
// then pairs of pairs (xor 2), and so on, so that P is a power of two; ⊕ is not associative, and this order is part of
// the rule. The optimiser's state is each worker's own. One worker is plain SGD, to the last bit.
//
// Checked against Horovod (horovod/common/ops/adasum/adasum.h, horovod/torch/optimizer.py), which combines the changes
// too, a factor for each parameter tensor, and sends halves: vector halving, distance doubling. Sums are in double
// there and here. A factor is 1 here where ‖·‖² < √DBL_MIN; there the limit is 1e-8 in some versions. Variants: the
// factors multiply in the weights' type, there in double; the three sums go from pair to pair, there by an all-reduce
// of the ranks that share the two changes.
//
// Each step sends S(P−1)/P bytes in halves, S(P−1)/P in the all-gather back, and in level l = 1 … log₂P the three sums
// of every parameter l times; all wait for it. Every element is combined on one rank, so that all ranks and backends
// have equal bits. Memory beside the weights: N for w_before, N/2 for what arrives, and two tensors of doubles as large
// as the largest parameter's part.
#include <torch/types.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/step/step_context.h"

namespace dasgd {
namespace {

constexpr int kAdasumTag = 0;

struct AdasumParams {
    void visit(auto&&) {}
};

// Elements begin … end − 1 of the flat weights.
struct AdasumPiece {
    std::int64_t begin = 0, end = 0;
    [[nodiscard]] std::int64_t size() const { return std::max<std::int64_t>(0, end - begin); }
    [[nodiscard]] at::Tensor of(const at::Tensor& flat) const { return flat.narrow(0, begin, size()); }
    // The upper half is the larger one.
    [[nodiscard]] AdasumPiece half(bool upper) const {
        const std::int64_t middle = begin + size() / 2;
        return upper ? AdasumPiece{middle, end} : AdasumPiece{begin, middle};
    }
};

class Adasum final : public Algorithm, public Checkpointed, public SendsUncoded {
public:
    explicit Adasum(const AdasumParams&) {}

    [[nodiscard]] std::string whyUncoded() const override {
        return "combines steps by the angles between them, which coding changes: remove [compression], or use it with "
               "sync_sgd";
    }
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        const auto workers = static_cast<unsigned>(facts.workers);
        if (std::has_single_bit(workers)) return std::nullopt;
        const unsigned below = std::bit_floor(workers);
        return FieldError{"cluster.workers", "adasum combines workers in pairs, pairs of pairs and so on, which " +
                                                 std::to_string(workers) +
                                                 " workers do not make: set workers to a power of two, here " +
                                                 std::to_string(below) + " or " + std::to_string(2 * below)};
    }
    void afterBackward(StepContext& context) override {
        if (context.comm().size() == 1) return;
        FlatParams& params = context.params();
        if (!before_.defined()) makeBuffers(params);
        work(context, SpanKind::Snapshot, params.bytes(), [&] { before_.copy_(params.weights()); });
    }
    void afterStep(StepContext& context) override {
        if (context.comm().size() == 1) return;
        FlatParams& params = context.params();
        // The weights' memory holds the change until it is combined.
        work(context, SpanKind::Merge, params.bytes(), [&] { params.weights().sub_(before_); });
        gatherBack(context, reduce(context));
        work(context, SpanKind::Merge, params.bytes(), [&] { params.weights().add_(before_); });
    }
    void drain(StepContext&) override {}
    // There is no state: between two steps nothing is under way.
    void save(StepContext&, Archive&) override {}
    Status load(StepContext&, const Archive&) override { return {}; }

private:
    template <class Function>
    static void work(StepContext& context, SpanKind kind, std::int64_t bytes, const Function& function) {
        context.executor().run({kind, bytes}, [&] {
            const at::NoGradGuard guard;
            function();
        });
    }
    static std::int64_t bytesOf(const at::Tensor& tensor) { return static_cast<std::int64_t>(tensor.nbytes()); }

    void makeBuffers(FlatParams& params) {
        const at::Tensor& weights = params.weights();
        before_ = at::empty_like(weights);
        received_ = at::empty({(params.size() + 1) / 2}, weights.options());
        sums_ = at::zeros({3, std::ssize(params.slots())}, weights.options().dtype(at::kDouble));
        receivedSums_ = at::empty_like(sums_);
    }

    // Combines the changes of all ranks in halves. Answers the pieces of which this rank had a part in each level, the
    // largest first; at the end it has its half of the last one.
    std::vector<AdasumPiece> reduce(StepContext& context) {
        const at::Tensor& weights = context.params().weights();
        const int rank = context.comm().rank().value();
        std::vector<AdasumPiece> wholes;
        AdasumPiece own{0, context.params().size()};
        for (int distance = 1; distance < context.comm().size(); distance *= 2) {
            const bool upper = (rank & distance) != 0;
            wholes.push_back(own);
            const AdasumPiece given = own.half(!upper);
            own = own.half(upper);
            const at::Tensor theirs = received_.narrow(0, 0, own.size());
            swap(context, rank ^ distance, given.of(weights), theirs);
            sumUp(context, own, theirs, upper);
            // 2·distance ranks have a part of the two changes each. a + b = b + a, so all get the same sums.
            for (int partner = 1; partner <= distance; partner *= 2) {
                swap(context, rank ^ partner, sums_, receivedSums_);
                work(context, SpanKind::Merge, bytesOf(sums_), [&] { sums_.add_(receivedSums_); });
            }
            combine(context, own, theirs, upper);
        }
        return wholes;
    }

    void gatherBack(StepContext& context, std::vector<AdasumPiece> wholes) {
        const at::Tensor& weights = context.params().weights();
        const int rank = context.comm().rank().value();
        for (int distance = context.comm().size() / 2; distance >= 1; distance /= 2) {
            const bool upper = (rank & distance) != 0;
            swap(context, rank ^ distance, wholes.back().half(upper).of(weights),
                 wholes.back().half(!upper).of(weights));
            wholes.pop_back();
        }
    }

    // Sends `out` to the partner, receives `in` from it, and waits for both. Both ends leave out what is empty.
    static void swap(StepContext& context, int partner, const at::Tensor& out, const at::Tensor& in) {
        std::vector<MessageCall> messages;
        std::vector<std::int64_t> bytes;
        for (const bool sends : {true, false}) {
            const at::Tensor& tensor = sends ? out : in;
            if (tensor.numel() == 0) continue;
            messages.push_back({.sends = sends, .peer = Rank(partner), .tag = kAdasumTag, .tensor = tensor});
            bytes.push_back(bytesOf(tensor));
        }
        std::vector<Pending> pending = context.comm().exchange(std::move(messages));
        for (std::size_t i = 0; i < pending.size(); ++i) {
            context.executor().waitFor(pending[i], context.step(), bytes[i]);
        }
    }

    // Calls function(slot, own, theirs) for the part of each parameter in `piece`, whose elements `theirs` has too.
    template <class Function>
    static void forEachPart(FlatParams& params, const AdasumPiece& piece, const at::Tensor& theirs,
                            const Function& function) {
        for (std::size_t i = 0; i < params.slots().size(); ++i) {
            const FlatParams::Slot& slot = params.slots()[i];
            const AdasumPiece part{std::max(piece.begin, slot.offset), std::min(piece.end, slot.offset + slot.numel)};
            if (part.size() == 0) continue;
            function(static_cast<std::int64_t>(i), part.of(params.weights()),
                     theirs.narrow(0, part.begin - piece.begin, part.size()));
        }
    }

    // a·b, ‖a‖² and ‖b‖² of each parameter's elements in `piece`; a is the change of the ranks without the level's bit.
    void sumUp(StepContext& context, const AdasumPiece& piece, const at::Tensor& theirs, bool upper) {
        FlatParams& params = context.params();
        const std::int64_t element = params.weights().element_size();
        // Four reads of doubles; before them a read and a write of each element that is no double.
        const std::int64_t bytes = 4 * 8 + (element < 8 ? 2 * (element + 8) : 0);
        work(context, SpanKind::Merge, piece.size() * bytes / 3, [&] {
            sums_.zero_();
            forEachPart(params, piece, theirs, [&](std::int64_t slot, const at::Tensor& mine, const at::Tensor& other) {
                const at::Tensor a = mine.to(at::kDouble), b = other.to(at::kDouble);
                const auto put = [&](std::int64_t row, const at::Tensor& x, const at::Tensor& y) {
                    at::Tensor place = sums_.select(0, row).select(0, slot);
                    at::dot_out(place, x, y);
                };
                put(0, a, b);
                put(upper ? 2 : 1, a, a);
                put(upper ? 1 : 2, b, b);
            });
        });
    }

    void combine(StepContext& context, const AdasumPiece& piece, const at::Tensor& theirs, bool upper) {
        FlatParams& params = context.params();
        const std::int64_t bytes = piece.size() * params.weights().element_size();
        // Two passes for the own factor, three for the other's part.
        work(context, SpanKind::Merge, bytes * 5 / 3, [&] {
            const at::Tensor squares = sums_.narrow(0, 1, 2);
            const at::Tensor factors =
                at::where(squares.ge(kLeastSquare), (sums_.narrow(0, 0, 1) / squares).mul_(-0.5).add_(1), 1);
            forEachPart(params, piece, theirs, [&](std::int64_t slot, const at::Tensor& mine, const at::Tensor& other) {
                mine.mul_(factors.select(0, upper ? 1 : 0).select(0, slot));
                mine.addcmul_(other, factors.select(0, upper ? 0 : 1).select(0, slot));
            });
        });
    }

    inline static const double kLeastSquare = std::sqrt(std::numeric_limits<double>::min());

    at::Tensor before_;               // [N]: weights before the step
    at::Tensor received_;             // [⌈N/2⌉]
    at::Tensor sums_, receivedSums_;  // [3, slots] in double: a·b, ‖a‖², ‖b‖²
};

const AlgorithmRegistry::Add<Adasum, AdasumParams> kAdasumEntry{
    "adasum", "Workers' steps added where they are orthogonal, averaged where they are parallel", "arXiv 2006.02924",
    noFormula("it goes from pair to pair and sums in between, which the cost model has no time for")};

}  // namespace
}  // namespace dasgd
