// The merge family with gossip over a graph instead of the mean (core/algorithms/averaging/delayed_average.h):
// m = Σⱼ Wᵢⱼ·sⱼ. A rank waits for its neighbours alone.
//
// Where all weights of a round are equal, a snapshot is multiplied by them as it is taken; else the receiver weighs,
// with a pass more over each part. Memory beside the weights: N for each neighbour. Sends N to each in an exchange.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/extensions.h"
#include "core/algorithms/gossip/graph_mixing.h"

namespace dasgd {

class GraphAverage : public DelayedAverage, public MixesOverGraph {
public:
    // `params` have passed check(); optimizerState is not "average".
    explicit GraphAverage(const DelayedAverageParams& params, std::string defaultGraph = "ring");

    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override;
    [[nodiscard]] std::string_view defaultGraph() const override { return default_; }
    void setGraph(std::shared_ptr<const Graph> graph) override;
    void start(StepContext& context) override;
    [[nodiscard]] bool hasUnboundedSkew(const RunLength& run) const override { return mixing_->isApart(run.ranks); }

private:
    GraphAverage(const DelayedAverageParams& params, std::string defaultGraph, std::shared_ptr<GraphMixing> mixing);

    std::string default_;
    std::shared_ptr<GraphMixing> mixing_;
};

}  // namespace dasgd
