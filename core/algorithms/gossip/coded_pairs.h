// Coded exchanges of the merge family over a graph in which each rank has one neighbour a round, or none: what a rank
// merges of its snapshot s and the neighbour's is m = s + Wᵢⱼ·(C(sⱼ) − C(s)), near s (core/compression/pair_coder.h).
// No copies are kept, so that the graph may change from round to round.
//
// Memory: two messages. Sends one in each round in which the rank has a neighbour.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/algorithms/averaging/coded_exchange.h"
#include "core/compression/pair_coder.h"
#include "core/graphs/graph.h"

namespace dasgd {

class CodedPairs final : public CodedExchange {
public:
    // `settings` have passed checkPairSettings(), `graph` checkPairs(), which lives longer, as `context` does.
    CodedPairs(std::shared_ptr<const CompressionSettings> settings, StepContext& context, const Graph& graph);

    void encode(StepContext& context, at::Tensor x) override;
    void launch(StepContext& context) override;
    void arrive(StepContext& context) override { flight_.await(context); }
    void drop(StepContext& context) override {
        arrive(context);
        finish();
    }
    // Throws std::runtime_error where the neighbour is too far away.
    void decode(at::Tensor x) override;
    void finish() override;

    [[nodiscard]] std::int64_t encodeBytes() const override;
    [[nodiscard]] std::int64_t decodeBytes() const override;
    [[nodiscard]] std::uint64_t collective() const override { return flight_.collective(); }
    void save(StepContext& context, Archive& archive) override;
    [[nodiscard]] Status load(const Archive& archive) override;

private:
    void moveTo(std::int64_t round);

    StepContext& context_;
    const Graph& graph_;
    PairCoder coder_;
    Graph::Mix mix_;                    // of the round under way, or of the next one where none is
    at::Tensor message_;                // uint8 [m]
    std::vector<at::Tensor> received_;  // the neighbour's
    std::int64_t exchanges_ = 0;        // number launched, each in a round of its own
    InFlight flight_;
};

// Refuses a graph in which a rank has several neighbours in one round. Errors name a key of [graph].
[[nodiscard]] std::optional<FieldError> checkPairs(const Graph& graph, int ranks, const std::string& operatorName);

}  // namespace dasgd
