// The merge family with gossip over a graph instead of the mean (core/algorithms/averaging/delayed_average.h):
// m = Σⱼ Wᵢⱼ·sⱼ. A rank waits for its neighbours alone.
//
// Where all weights of a round are equal, a snapshot is multiplied by them as it is taken; else the receiver weighs,
// with a pass more over each part. Memory beside the weights: N for each neighbour. Sends N to each in an exchange.
//
// With [compression] public copies are coded in place of that (public_copies.h), m = s + γ·(Σⱼ Wᵢⱼ·ŝⱼ − ŝ), and merged
// as any m is. With an operator that leaves little out γ = 1 will do; others diverge unless γ is small. Operators for
// pairs code without copies (coded_pairs.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/extensions.h"
#include "core/algorithms/gossip/graph_mixing.h"

namespace dasgd {

// Field γ, 1 by default.
[[nodiscard]] inline FieldSpec consensusField() {
    return {.min = 0,
            .max = 1,
            .minOpen = true,
            .symbol = "γ",
            .help =
                "With [compression]: share of the way to the neighbours' mixture that is made. The more an operator "
                "leaves out, the smaller it has to be"};
}

class GraphAverage : public DelayedAverage, public MixesOverGraph, public CompressesExchanges {
public:
    // `params` have passed check(); optimizerState is not "average".
    explicit GraphAverage(const DelayedAverageParams& params, std::string defaultGraph = "ring", double consensus = 1);

    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override;
    [[nodiscard]] std::string_view defaultGraph() const override { return default_; }
    void setGraph(std::shared_ptr<const Graph> graph) override;
    [[nodiscard]] std::optional<FieldError> checkCompression(const CompressionSettings& settings) const override;
    [[nodiscard]] bool keepsPublicCopies() const override { return true; }
    void setCompression(std::shared_ptr<const CompressionSettings> settings) override {
        compression_ = std::move(settings);
    }
    void start(StepContext& context) override;
    [[nodiscard]] bool hasUnboundedSkew(const RunLength& run) const override { return mixing_->isApart(run.ranks); }

private:
    GraphAverage(const DelayedAverageParams& params, std::string defaultGraph, double consensus,
                 std::shared_ptr<GraphMixing> mixing);
    [[nodiscard]] std::unique_ptr<CodedExchange> makeCoded(StepContext& context) override;

    std::string default_;
    double consensus_;
    std::shared_ptr<GraphMixing> mixing_;
    std::shared_ptr<const CompressionSettings> compression_;
};

}  // namespace dasgd
