// One rank's part in gossip over a graph: the exchange of a tensor with its neighbours, and their mixture.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/graphs/graph.h"
#include "core/step/step_context.h"

namespace dasgd {

// Graph `name` with its defaults.
[[nodiscard]] std::shared_ptr<const Graph> graphOfDefaults(const std::string& name);

// Starts to send `sent` to the neighbours in whose rows of W the rank stands, and to receive as much from each of its
// own, in their order, into `received`, which is made where it does not fit.
[[nodiscard]] std::vector<Pending> exchangeWith(Communicator& comm, const Graph::Mix& mix, const at::Tensor& sent,
                                                std::vector<at::Tensor>& received);

class GraphMixing {
public:
    void setGraph(std::shared_ptr<const Graph> graph) {
        graph_ = std::move(graph);
        equal_.clear();
    }
    [[nodiscard]] const Graph& graph() const { return *graph_; }
    // Errors name a key of [graph].
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const;
    // On rank 0: records the graph's degree, and its spectral gap 1 − ρ, with ρ the largest |eigenvalue| of W − 11ᵀ/P:
    // of a graph that changes, of the product of a period's, by round. None of a graph that is drawn.
    void record(StepContext& context) const;

    // True where the ranks of a run would never hear of each other.
    [[nodiscard]] bool isApart(int ranks) const { return !isConnected(*graph_, ranks); }

    // Tensor by tensor: `tensor` ← Σⱼ Wᵢⱼ·(rank j's), in round `round`. Waits for the neighbours.
    void mix(StepContext& context, std::int64_t round, at::Tensor tensor);

    // The parts of which the merge family makes an exchange that overlaps. Where all weights of the round are equal,
    // every rank multiplies what it sends by scale(), and the mixture is a sum; else factors() are those of the own
    // part and of each of received().
    void prepare(StepContext& context, std::int64_t round);
    [[nodiscard]] double scale() const { return scale_; }
    [[nodiscard]] std::vector<Pending> start(Communicator& comm, const at::Tensor& snapshot) const {
        return exchangeWith(comm, mix_, snapshot, *received_);
    }
    [[nodiscard]] const std::shared_ptr<std::vector<at::Tensor>>& received() const { return received_; }
    [[nodiscard]] const std::shared_ptr<std::vector<double>>& factors() const { return factors_; }

private:
    void moveTo(StepContext& context, std::int64_t round);
    [[nodiscard]] std::optional<double> equalWeightOf(const GraphRound& round);

    std::shared_ptr<const Graph> graph_;
    Graph::Mix mix_;
    std::map<std::int64_t, std::optional<double>> equal_;  // by round of a period
    double scale_ = 1;
    std::shared_ptr<std::vector<at::Tensor>> received_ = std::make_shared<std::vector<at::Tensor>>();
    std::shared_ptr<std::vector<double>> factors_ = std::make_shared<std::vector<double>>();
};

// 1 − ρ as above. `graph` repeats.
[[nodiscard]] double spectralGap(const Graph& graph, int size);

// Declared pattern of gossip: its messages are the graph's.
[[nodiscard]] CommunicationPattern gossipPattern();

}  // namespace dasgd
