// Coded gossip with public copies: CHOCO-SGD (Koloskova, Stich, Jaggi, ICML 2019, arXiv 1907.09356), and the exchange
// of LEAD (lead.cpp). Rank i has a vector hᵢ that its neighbours know too, at first the common start x₀, and sends
// them the coded difference of what leaves from it:
//
//   qᵢ = C(sᵢ − hᵢ)    ŝᵢ = hᵢ + qᵢ    mᵢ = sᵢ + γ·(Σⱼ Wᵢⱼ·ŝⱼ − ŝᵢ)    hᵢ ← hᵢ + α·qᵢ
//
// α = 1 for CHOCO. Whatever C is, the columns of W sum to 1, so that ⟨m⟩ = ⟨s⟩. The copies are the memory of what was
// not sent, in place of error feedback. W must be the same in every round, and nothing may travel uncoded. Checked
// against the authors' code (epfml/ChocoSGD); its script for deep learning mixes with the copies of the step before.
//
// No rank keeps its neighbours' copies. The paper keeps their mixture Σⱼ Wᵢⱼ·hⱼ; here it is zᵢ = Σⱼ Wᵢⱼ·hⱼ − hᵢ, at
// first 0, which is as small as the ranks are close. Rounding errors of the mixture would be in proportion to the
// weights themselves, would stay for good, and would push ⟨x⟩ in every exchange.
//
// Memory: 2 N (h and z), and the messages, one and another for each neighbour. Sends a message to each neighbour.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/algorithms/averaging/coded_exchange.h"
#include "core/compression/coder.h"
#include "core/compression/scheme.h"
#include "core/compression/settings.h"
#include "core/graphs/graph.h"

namespace dasgd {

class PublicCopies final : public CodedExchange {
public:
    // γ and α, both > 0.
    struct Steps {
        double consensus = 1, memory = 1;
    };
    // `settings` have passed checkPublicCopies(), `graph` checkStaticGraph(). h becomes a copy of the weights, which
    // all ranks have in common.
    PublicCopies(std::shared_ptr<const CompressionSettings> settings, StepContext& context, const Graph& graph,
                 Steps steps);

    // `x` is s, and stays so but for rounding.
    void encode(StepContext& context, at::Tensor x) override;
    void launch(StepContext& context) override;
    void arrive(StepContext& context) override { flight_.await(context); }
    void drop(StepContext& context) override { flight_.drop(context); }
    // x ← m.
    void decode(at::Tensor x) override;
    void finish() override { flight_.end(); }

    [[nodiscard]] std::int64_t encodeBytes() const override;
    [[nodiscard]] std::int64_t decodeBytes() const override;
    [[nodiscard]] std::uint64_t collective() const override { return flight_.collective(); }
    void save(StepContext& context, Archive& archive) override;
    [[nodiscard]] Status load(const Archive& archive) override;

    // h, of which all neighbours know as much, and Σⱼ Wᵢⱼ·hⱼ − hᵢ as the rank has it, [N].
    [[nodiscard]] const at::Tensor& copy() const { return copy_; }
    [[nodiscard]] const at::Tensor& apart() const { return apart_; }

private:
    void add(const at::Tensor& message, double scale, const at::Tensor& out) const;

    std::shared_ptr<const CompressionSettings> settings_;
    const MessageCompressor& compressor_;
    ExchangeView view_;
    Coder coder_;
    Graph::Mix mix_;
    Steps steps_;
    std::int64_t denseBytes_ = 0;
    at::Tensor copy_, apart_;           // [N]: h; z
    at::Tensor message_;                // uint8 [m]: q
    std::vector<at::Tensor> received_;  // the same of each neighbour, in the order of mix_.from
    std::int64_t exchanges_ = 0;        // number of codings so far
    InFlight flight_;
};

// Refuses settings that have no meaning with public copies. Errors name a field of [compression].
[[nodiscard]] std::optional<FieldError> checkPublicCopies(const CompressionSettings& settings);
// Refuses a graph of which public copies would have to be kept for all possible neighbours.
[[nodiscard]] std::optional<FieldError> checkStaticGraph(const Graph& graph, int ranks);

}  // namespace dasgd
