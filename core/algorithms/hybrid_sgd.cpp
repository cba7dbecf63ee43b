// The synchronous SGD of Das et al. (arXiv 1602.06709), as far as time goes. A layer's gradients are sent as soon as
// its backward pass is done and are needed only when the next step's forward pass reaches the layer. Convolutions are
// data parallel. A fully connected layer is split among the ranks of a group, which is data parallel to the other
// groups: within the group inputs are gathered before its forward pass and their gradients summed after its backward
// pass, and everyone waits for that; between groups the ranks that hold the same share of the weights average its
// gradients.
//
// Nothing is computed: the exchanged tensors have the right size and no values. All-reduces are the communicator's.
// Within a group messages go round a ring. Between groups each rank sends every peer its part of the share, and then,
// when a pass reaches a layer whose parts have arrived, the sum of its own part: both directly. Where messages go by
// formula they share no link, so this algorithm needs fidelity = "message".
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/cost/memory/sizing.h"
#include "core/step/step_context.h"

namespace dasgd {
namespace {

struct HybridSgdParams {
    std::int64_t groups = 0;
    double overlap = 0;
    void visit(auto&& f) {
        f(groups, "groups",
          {.min = 0,
           .max = 4096,
           .symbol = "G",
           .help = "Data-parallel groups of every fully connected layer, a divisor of the workers: 1 model parallel, "
                   "workers data parallel; 0: where the layer sends least"});
        f(overlap, "overlap",
          {.min = 0,
           .max = 1,
           .symbol = "ov",
           .help = "Share of sending gradients that receiving weights hides; links that send and receive at once "
                   "already count as 0"});
    }
};

// One layer's share in the exchange.
struct Layer {
    int groups = 1;
    int members = 1;            // ranks a group
    at::Tensor gradients;       // all-reduced; for a split layer, one rank's part of its share
    at::Tensor inputs;          // of this rank's samples, or its share of the previous layer's outputs
    std::vector<Pending> way;   // messages under way
    int rounds = 0;             // rounds still to launch
    std::int64_t launched = 0;  // step of the launch
};

class HybridSgd final : public Algorithm, public Checkpointed, public SendsUncoded {
public:
    explicit HybridSgd(const HybridSgdParams& params) : params_(params) {}
    [[nodiscard]] std::string whyUncoded() const override {
        return "models the time of exchanges that travel whole: remove [compression]";
    }
    [[nodiscard]] bool isTimeOnly() const override { return true; }
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        if (facts.microBatches > 1) {
            return FieldError{"train.accumulate",
                              "hybrid_sgd exchanges the gradients of every backward pass, and "
                              "train.accumulate asks for several a step: remove it"};
        }
        if (params_.groups == 0 || facts.workers % params_.groups == 0) return std::nullopt;
        return FieldError{"groups", "groups is " + std::to_string(params_.groups) + ", which does not divide " +
                                        std::to_string(facts.workers) + " workers: choose a divisor, or 0"};
    }

    void start(StepContext& context) override {
        const auto& slots = context.params().slots();
        for (std::size_t slot = 0; slot < slots.size(); ++slot) layers_.push_back(layerOf(context, slots[slot]));
        // The network's own inputs are read by every rank that needs them, so nothing is gathered for the first layer.
        layers_.front().inputs.reset();
        context.gradientFeed().listenToLayers({[this, &context](std::size_t slot) { beforeForward(context, slot); },
                                               [this, &context](std::size_t slot) { afterBackward(context, slot); }});
    }
    void afterStep(StepContext&) override {}
    void drain(StepContext& context) override {
        for (std::size_t slot = 0; slot < layers_.size(); ++slot) finish(context, slot);
    }
    // Messages have no values, so nothing remains to be saved once they have arrived.
    void save(StepContext& context, Archive&) override { drain(context); }
    Status load(StepContext& context, const Archive&) override {
        start(context);
        return {};
    }

private:
    Layer layerOf(StepContext& context, const FlatParams::Slot& slot) const {
        const int ranks = context.comm().size();
        const auto sizes = slot.parameter.sizes();
        Layer layer;
        layer.groups = sizes.size() == 2 ? groupsOf(sizes[1], sizes[0], context.samples() * ranks, ranks) : ranks;
        layer.members = ranks / layer.groups;
        const bool split = layer.members > 1;
        const double parts = split ? static_cast<double>(layer.members) * layer.groups : 1;
        // (2 − ov) halves of what an all-reduce moves.
        const double elements = static_cast<double>(slot.numel) * (1 - params_.overlap / 2) / parts;
        const auto options = context.params().gradients().options();
        layer.gradients = at::empty({static_cast<std::int64_t>(std::ceil(elements))}, options);
        if (split) layer.inputs = at::empty({context.samples() * sizes[1]}, options);
        return layer;
    }

    // The divisor of the ranks with which a rank sends least: 8·ifm·MB/G within its group, 4(2−ov)·ifm·ofm·G/P between
    // the groups. Among equals the largest, as messages between the groups can be hidden.
    [[nodiscard]] int groupsOf(std::int64_t inputs, std::int64_t outputs, std::int64_t minibatch, int ranks) const {
        if (params_.groups > 0) return static_cast<int>(params_.groups);
        const auto bytes = [&](int groups) {
            return hybridBytes(static_cast<double>(inputs), static_cast<double>(outputs),
                               static_cast<double>(minibatch), groups, ranks, params_.overlap);
        };
        int best = 1;
        for (int groups = 2; groups <= ranks; ++groups) {
            if (ranks % groups == 0 && bytes(groups) <= bytes(best)) best = groups;
        }
        return best;
    }

    void beforeForward(StepContext& context, std::size_t slot) {
        progress(context);
        finish(context, slot);
        exchangeInputs(context, slot);
    }

    void afterBackward(StepContext& context, std::size_t slot) {
        exchangeInputs(context, slot);
        launch(context, slot);
        progress(context);
    }

    // Gathers the group's inputs, or adds up their gradients: the same messages in the other direction.
    void exchangeInputs(StepContext& context, std::size_t slot) {
        Layer& layer = layers_[slot];
        if (!layer.inputs.defined()) return;
        const int own = context.comm().rank().value();
        const int member = own % layer.members;
        const Rank next(own - member + (member + 1) % layer.members);
        const Rank before(own - member + (member + layer.members - 1) % layer.members);
        for (int round = 1; round < layer.members; ++round) {
            Pending out = context.comm().send(layer.inputs, next, tagOf(slot, 0));
            Pending in = context.comm().receive(layer.inputs, before, tagOf(slot, 0));
            for (Pending* each : {&in, &out}) await(context, *each, context.step(), layer.inputs);
        }
    }

    // Sends the layer's gradients.
    void launch(StepContext& context, std::size_t slot) {
        Layer& layer = layers_[slot];
        layer.launched = context.step();
        if (layer.groups == 1) return;
        if (layer.members == 1) {
            layer.way.push_back(context.comm().allReduce(layer.gradients, Reduce::Mean));
            return;
        }
        layer.rounds = 2;
        launchRound(context, slot);
    }

    void launchRound(StepContext& context, std::size_t slot) {
        Layer& layer = layers_[slot];
        const int own = context.comm().rank().value();
        const int tag = tagOf(slot, layer.rounds--);
        for (int group = 0; group < layer.groups; ++group) {
            const Rank peer(own % layer.members + group * layer.members);
            if (peer == context.comm().rank()) continue;
            layer.way.push_back(context.comm().send(layer.gradients, peer, tag));
            layer.way.push_back(context.comm().receive(layer.gradients, peer, tag));
        }
    }

    // Launches the second rounds of layers whose first round is over.
    void progress(StepContext& context) {
        for (std::size_t slot = 0; slot < layers_.size(); ++slot) {
            Layer& layer = layers_[slot];
            if (layer.rounds == 0) continue;
            if (!std::ranges::all_of(layer.way, [](Pending& each) { return each.done(); })) continue;
            settle(context, layer);
            launchRound(context, slot);
        }
    }

    void finish(StepContext& context, std::size_t slot) {
        Layer& layer = layers_[slot];
        settle(context, layer);
        if (layer.rounds == 0) return;
        launchRound(context, slot);
        settle(context, layer);
    }

    void settle(StepContext& context, Layer& layer) {
        for (Pending& each : layer.way) await(context, each, layer.launched, layer.gradients);
        layer.way.clear();
    }

    static void await(StepContext& context, Pending& pending, std::int64_t launched, const at::Tensor& tensor) {
        context.executor().waitFor(pending, launched, static_cast<std::int64_t>(tensor.nbytes()));
    }

    // Tag of a layer's round: between two ranks the rounds of different layers may overtake each other.
    static int tagOf(std::size_t slot, int round) { return static_cast<int>(3 * slot) + round; }

    HybridSgdParams params_;
    std::vector<Layer> layers_;  // one for each slot
};

const AlgorithmRegistry::Add<HybridSgd, HybridSgdParams> kHybridSgdEntry{
    "hybrid_sgd", "Synchronous SGD, fully connected layers split among groups of ranks: the time it takes",
    "arXiv 1602.06709",
    withForecast(ForecastRole::Messages, noFormula("the messages of its layers share links with one another"))};

}  // namespace
}  // namespace dasgd
