// Stochastic gradient push (Assran, Loizou, Ballas, Rabbat, ICML 2019, arXiv 1811.10792). A rank has weights x and a
// push-sum weight a, 1 at first; gradients are taken at z = x/a and change x. After its step k it sends a share
// p = 1/(q+1) of both to each of q peers, which are the ranks j·(q+1)^t further on a ring, j = 1 … q, t counting up to
// ⌊log_{q+1}(P−1)⌋ and again from 0; it keeps as much and adds what it receives.
//
// `overlap`: OSGP, what is sent after step k is added after step k + 1, and so travels beside a whole step. Checked
// against facebookresearch/stochastic_gradient_push, gossip/distributed.py (synch_freq = 0) and graph_manager.py
// (NPeerDynamicDirectedExponentialGraph). There OSGP sends for the first time before step 1, here after
// it. Peers that would be the rank itself, or one twice, are left out.
//
// All ranks push to the peers at the same distances, so that a is the same on all of them at any time: what arrives of
// a is what the rank itself sent, and the host need not read it.
//
// The model holds z between steps, x from the backward pass to the end of the step: where a is not 1 that is a pass
// over the weights before the update, which may be any optimiser's. Behind it OSGP has one more, which adds what
// arrived, takes the share that leaves and forms z; SGP, whose exchange lies between, has one for the share and one for
// the rest. Memory: N for what leaves and N for each peer. Sends N + 1 numbers to each peer, every step; a rank waits
// for the peers that send to it alone.
#include <torch/types.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/gpu/flat_ops.h"
#include "core/step/archive.h"
#include "core/step/in_flight.h"
#include "core/step/step_context.h"

namespace dasgd {
namespace {

constexpr int kPushTag = 0;
constexpr std::int64_t kRowElements = 64;

struct SgpParams {
    std::int64_t peers = 1;
    bool overlap = false;
    void visit(auto&& f) {
        f(peers, "peers", {.min = 1, .max = 1e4, .symbol = "q", .help = "Ranks that each sends to after a step"});
        f(overlap, "overlap", {.help = "Add what arrives one step later, so that it travels beside the step (OSGP)"});
    }
};

// Distances on the ring to the peers of exchange `round`: 1 … size − 1; none with one rank.
std::vector<int> peerOffsets(std::int64_t round, int size, std::int64_t peers) {
    std::vector<std::int64_t> powers;
    for (std::int64_t power = 1; power < size; power *= peers + 1) powers.push_back(power);
    std::vector<int> offsets;
    if (powers.empty()) return offsets;
    const std::int64_t power = powers[static_cast<std::size_t>(round) % powers.size()];
    for (std::int64_t j = 1; j <= peers; ++j) {
        const int offset = static_cast<int>(j * power % size);
        if (offset != 0 && std::find(offsets.begin(), offsets.end(), offset) == offsets.end())
            offsets.push_back(offset);
    }
    return offsets;
}

// `value` as it is after it was written into a tensor of that type.
double inTypeOf(const at::Tensor& tensor, double value) {
    return tensor.scalar_type() == at::kFloat ? static_cast<double>(static_cast<float>(value)) : value;
}

class Sgp final : public Algorithm, public Checkpointed, public Elastic, public SendsUncoded {
public:
    explicit Sgp(const SgpParams& params) : params_(params) {}

    [[nodiscard]] std::string whyUncoded() const override {
        return "pushes shares of its weights, and no rule with coded shares is published: remove [compression], or "
               "choose gossip over a graph that does not change, as dpsgd";
    }
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        if (facts.workers == 1 || params_.peers < facts.workers) return std::nullopt;
        return FieldError{"peers", "peers is " + std::to_string(params_.peers) + "; with " +
                                       std::to_string(facts.workers) + " workers allowed: 1 to " +
                                       std::to_string(facts.workers - 1)};
    }

    void startFrom(StepContext& context, std::int64_t) override { start(context); }
    void afterBackward(StepContext& context) override {
        context.executor().run({SpanKind::Merge, context.params().bytes()}, [&] {
            const at::NoGradGuard guard;
            if (weight_ != 1) context.params().weights().mul_(weight_);
        });
    }

    void afterStep(StepContext& context) override {
        allocate(context);
        const std::vector<int> offsets = peerOffsets(context.step() - 1, context.comm().size(), params_.peers);
        if (params_.overlap) {
            flight_.await(context);
            addAndTakeShare(context, 1.0 / static_cast<double>(offsets.size() + 1));
            push(context, offsets);
        } else {
            takeShare(context, 1.0 / static_cast<double>(offsets.size() + 1));
            push(context, offsets);
            flight_.await(context);
            add(context);
        }
        if (weight_ != recordedWeight_) context.metric("push_weight", weight_);
        recordedWeight_ = weight_;
    }

    void drain(StepContext& context) override {
        flight_.await(context);
        if (!flight_.any()) return;
        // The shares that arrived are part of the sum of all x.
        context.executor().run({SpanKind::Merge, (peers_ + 1) * context.params().bytes()}, [&] {
            const at::NoGradGuard guard;
            at::Tensor weights = context.params().weights();
            weights.mul_(weight_);
            addArrivedWeight(context);
            sumFlat(withArrived(weights), {.out = weights, .divisor = weight_});
        });
        flight_.end();
    }

    void save(StepContext& context, Archive& archive) override {
        flight_.save(context, archive);
        archive.put("weight", at::scalar_tensor(weight_, at::kDouble));
        archive.put("peers", peers_);
        if (flight_.any()) archive.put("received", received_.narrow(0, 0, peers_));
    }
    Status load(StepContext& context, const Archive& archive) override {
        at::Tensor weight = at::empty({}, at::kDouble);
        DASGD_TRY(archive.read("weight", weight));
        weight_ = recordedWeight_ = weight.item<double>();
        DASGD_TRY(flight_.load(archive));
        DASGD_ASSIGN(peers_, archive.integer("peers"));
        if (!flight_.any()) return {};
        allocate(context);
        at::Tensor received = received_.narrow(0, 0, peers_);
        return archive.read("received", received);
    }

private:
    void allocate(StepContext& context) {
        if (sent_.defined()) return;
        const at::Tensor& weights = context.params().weights();
        sent_ = at::empty({weights.numel() + 1}, weights.options());
        // Rows begin where a kernel can read several elements at once.
        const std::int64_t row = (weights.numel() / kRowElements + 1) * kRowElements;
        received_ = at::empty({params_.peers, row}, weights.options()).narrow(1, 0, weights.numel() + 1);
    }

    [[nodiscard]] at::Tensor sentWeights(StepContext& context) const {
        return sent_.narrow(0, 0, context.params().size());
    }
    // `first` and the parts of x that arrived.
    [[nodiscard]] std::vector<at::Tensor> withArrived(const at::Tensor& first) const {
        std::vector<at::Tensor> all{first};
        for (std::int64_t i = 0; flight_.any() && i < peers_; ++i) {
            all.push_back(received_[i].narrow(0, 0, first.numel()));
        }
        return all;
    }
    void addArrivedWeight(StepContext& context) {
        const double received = inTypeOf(context.params().weights(), weight_);
        for (std::int64_t i = 0; flight_.any() && i < peers_; ++i) weight_ += received;
    }
    void takeShareOfWeight(StepContext& context, double share) {
        weight_ *= share;
        // Usually the weight is that of the previous exchange.
        if (weight_ != sentWeight_) sent_[context.params().size()].fill_(weight_);
        sentWeight_ = weight_;
    }

    // The weights stay the whole of x until its remaining share and the arrived shares replace it.
    void takeShare(StepContext& context, double share) {
        context.executor().run({SpanKind::Snapshot, static_cast<std::int64_t>(sent_.nbytes())}, [&] {
            const at::NoGradGuard guard;
            takeShareOfWeight(context, share);
            snapshotFlat(context.params().weights(), sentWeights(context), {}, share);
        });
    }
    void add(StepContext& context) {
        context.executor().run({SpanKind::Merge, peers_ * context.params().bytes()}, [&] {
            const at::NoGradGuard guard;
            addArrivedWeight(context);
            sumFlat(withArrived(sentWeights(context)), {.out = context.params().weights(), .divisor = weight_});
        });
        flight_.finish(context);
    }
    void addAndTakeShare(StepContext& context, double share) {
        const std::int64_t tensors = (flight_.any() ? peers_ : 0) + 1;
        context.executor().run({SpanKind::Merge, tensors * context.params().bytes()}, [&] {
            const at::NoGradGuard guard;
            const at::Tensor& weights = context.params().weights();
            addArrivedWeight(context);
            takeShareOfWeight(context, share);
            sumFlat(withArrived(weights),
                    {.out = weights, .scale = share, .divisor = weight_, .copy = sentWeights(context)});
        });
        if (flight_.any()) flight_.finish(context);
    }

    void push(StepContext& context, const std::vector<int>& offsets) {
        const int size = context.comm().size();
        peers_ = static_cast<std::int64_t>(offsets.size());
        const int own = context.comm().rank().value();
        std::vector<MessageCall> messages;
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            messages.push_back({.peer = Rank((own + size - offsets[i]) % size),
                                .tag = kPushTag,
                                .tensor = received_[static_cast<std::int64_t>(i)]});
            messages.push_back(
                {.sends = true, .peer = Rank((own + offsets[i]) % size), .tag = kPushTag, .tensor = sent_});
        }
        flight_.launch(context, context.comm().exchange(std::move(messages)),
                       static_cast<std::int64_t>(sent_.nbytes()));
    }

    SgpParams params_;
    double weight_ = 1;  // a
    double recordedWeight_ = 1;
    double sentWeight_ = 0;  // value in the last element of sent_; 0: none
    at::Tensor sent_;        // [N + 1]: share of x, then of a
    at::Tensor received_;    // [q, N + 1], each row contiguous
    InFlight flight_;
    std::int64_t peers_ = 0;  // number of peers of the newest exchange
};

const AlgorithmRegistry::Add<Sgp, SgpParams> kSgpEntry{"sgp",
                                                       "Stochastic gradient push, blocking or overlapped",
                                                       "arXiv 1811.10792",
                                                       {.kind = CommunicationPattern::Kind::Averages,
                                                        .delay = ofField("overlap"),
                                                        .peers = ofField("peers"),
                                                        .mostDelay = 1,
                                                        .assumes = {"No two peers of a worker are the same rank."}}};

}  // namespace
}  // namespace dasgd
