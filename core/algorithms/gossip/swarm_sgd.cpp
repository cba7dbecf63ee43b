// SwarmSGD (Nadiradze et al., NeurIPS 2021, arXiv 1910.12308): after H local steps a rank takes the mean with a random
// partner. In rounds all pairs come together at once, blocking, or a round late with the local steps since. At its own
// pace a rank asks its partner every H of its own steps, is answered at the end of the partner's step, and adds half of
// their difference at the end of one of its own; nobody waits (pair_exchanges.h).
//
// Variant: there a partner's last published copy is read in the middle of its steps; here it answers between two of
// them, so that every exchange keeps the sum of the pair. At its own pace runs repeat on the virtual cluster alone, and
// a save ends what is under way.
//
// With lattice in [compression], as in the paper, a partner's weights are rounded in each way of meeting, and the run
// fails where they are too far apart. Variant: there both ranks take the mean of the two rounded models; here each adds
// half of their difference to its own, so that the sum of a pair stays as it is and no step is rounded away, while the
// two end up to a side apart (core/compression/pair_coder.h). In rounds on a graph that does not change, the other
// operators code differences from public copies, as for all gossip.
#include "core/algorithms/gossip/graph_average.h"
#include "core/algorithms/gossip/pair_exchanges.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct SwarmSgdParams {
    std::int64_t period = 3;
    bool blocking = false;
    std::string meet = "rounds";
    void visit(auto&& f) {
        f(period, "period", periodField("Local steps between two exchanges of a pair", "H"));
        f(blocking, "blocking",
          {.help = "Wait for the partner; otherwise its weights of a round ago are merged. In rounds"});
        f(meet, "meet",
          {.help =
               "rounds: all pairs exchange after the same step. own-pace: a rank asks after its own H steps, and is "
               "answered when its partner ends a step",
           .choices = {"rounds", "own-pace"}});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (meet == "rounds" || !blocking) return std::nullopt;
        return FieldError{"blocking",
                          "at its own pace no rank waits for its partner: remove blocking, or set "
                          "meet = \"rounds\""};
    }
    [[nodiscard]] DelayedAverageParams values() const {
        if (!blocking) return deltaOverPeriod(period);
        return {.period = period, .delay = 0, .localWeight = 0};
    }
};

class SwarmSgd : public GraphAverage {
public:
    explicit SwarmSgd(const SwarmSgdParams& params) : GraphAverage(params.values(), "random-pair") {
        if (params.meet == "rounds") return;
        pairs_.emplace(PairExchanges::Settings{.period = params.period});
        pairs_->setGraph(graphOfDefaults("random-pair"));
    }

    [[nodiscard]] bool exchangesPairs() const override { return true; }
    [[nodiscard]] std::optional<FieldError> checkCompression(const CompressionSettings& settings) const override {
        if (!pairs_ || settings.compressor->properties().forPairs) return GraphAverage::checkCompression(settings);
        return FieldError{"name",
                          settings.name +
                              " needs neighbours that exchange in rounds, and at its own pace a rank meets one partner "
                              "after the other: choose lattice, or set meet = \"rounds\" in [algorithm]"};
    }
    void setCompression(std::shared_ptr<const CompressionSettings> settings) override {
        if (pairs_) pairs_->setCompression(settings);
        GraphAverage::setCompression(std::move(settings));
    }
    void setGraph(std::shared_ptr<const Graph> graph) override {
        if (pairs_) pairs_->setGraph(graph);
        GraphAverage::setGraph(std::move(graph));
    }
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        return pairs_ ? pairs_->check(facts.workers) : GraphAverage::check(facts);
    }
    [[nodiscard]] bool hasUnboundedSkew(const RunLength& run) const override {
        return pairs_ ? run.ranks > 1 : GraphAverage::hasUnboundedSkew(run);
    }
    void start(StepContext& context) override { pairs_ ? pairs_->start(context) : GraphAverage::start(context); }
    void afterStep(StepContext& context) override {
        pairs_ ? pairs_->afterStep(context) : GraphAverage::afterStep(context);
    }
    void drain(StepContext& context) override { pairs_ ? pairs_->drain(context) : GraphAverage::drain(context); }
    void save(StepContext& context, Archive& archive) override {
        pairs_ ? pairs_->save(context, archive) : GraphAverage::save(context, archive);
    }
    Status load(StepContext& context, const Archive& archive) override {
        return pairs_ ? pairs_->load(context, archive) : GraphAverage::load(context, archive);
    }

private:
    std::optional<PairExchanges> pairs_;  // at its own pace
};

const AddWithSyncSteps<SwarmSgd, SwarmSgdParams> kSwarmSgdEntry{
    "swarm_sgd", "Random pairs that take their mean every few steps", "arXiv 1910.12308", gossipPattern()};

}  // namespace
}  // namespace dasgd
