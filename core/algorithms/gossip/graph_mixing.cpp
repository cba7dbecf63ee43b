#include "core/algorithms/gossip/graph_mixing.h"

#include <ATen/ops/linalg_eigvals.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.h"
#include "core/base/metric_names.h"
#include "core/cost/memory/memory_passes.h"

namespace dasgd {

namespace {

constexpr int kGossipTag = 0;
// The gap takes P³ operations.
constexpr int kMostRanksOfAGap = 512;
constexpr std::int64_t kMostRoundsOfAGap = 64;

// The one weight of a round in which all that are not 0 are equal.
std::optional<double> equalWeight(const Graph& graph, const GraphRound& round) {
    const double weight = graph.mix(round, 0).self;
    for (int rank = 0; rank < round.size; ++rank) {
        const Graph::Mix mix = graph.mix(round, rank);
        const bool equal = std::ranges::all_of(mix.from, [&](const auto& from) { return from.weight == weight; });
        if (mix.self != weight || !equal) return std::nullopt;
    }
    return weight;
}

at::Tensor tensorOf(const std::vector<std::vector<double>>& rows) {
    std::vector<at::Tensor> tensors;
    for (const auto& row : rows) tensors.push_back(torch::tensor(row, at::kDouble));
    return at::stack(tensors);
}

}  // namespace

std::shared_ptr<const Graph> graphOfDefaults(const std::string& name) {
    return GraphRegistry::find(name)->create(Value(Value::Table{}), {}).value();
}

std::vector<Pending> exchangeWith(Communicator& comm, const Graph::Mix& mix, const at::Tensor& sent,
                                  std::vector<at::Tensor>& received) {
    received.resize(mix.from.size());
    for (at::Tensor& part : received) {
        if (!part.defined() || part.numel() != sent.numel()) part = at::empty_like(sent);
    }
    std::vector<MessageCall> messages;
    for (std::size_t i = 0; i < std::max(mix.from.size(), mix.to.size()); ++i) {
        if (i < mix.from.size()) {
            messages.push_back({.peer = mix.from[i].rank, .tag = kGossipTag, .tensor = received[i]});
        }
        if (i < mix.to.size()) {
            messages.push_back({.sends = true, .peer = mix.to[i], .tag = kGossipTag, .tensor = sent});
        }
    }
    return comm.exchange(std::move(messages));
}

std::optional<FieldError> GraphMixing::check(const RunOutline& facts) const {
    auto refused = graph_->check(facts.workers);
    if (refused) refused->field = "graph." + refused->field;
    return refused;
}

void GraphMixing::record(StepContext& context) const {
    const int size = context.comm().size();
    if (context.comm().rank() != Rank{0} || context.params().shapesOnly()) return;
    context.record(metrics::kGraphDegree, largestDegree(*graph_, size, context.seed()));
    const std::int64_t period = graph_->period(size);
    if (period > 0 && period <= kMostRoundsOfAGap && size > 1 && size <= kMostRanksOfAGap) {
        context.record(metrics::kGraphGap, spectralGap(*graph_, size));
    }
}

void GraphMixing::mix(StepContext& context, std::int64_t round, at::Tensor tensor) {
    moveTo(context, round);
    const auto bytes = static_cast<std::int64_t>(tensor.nbytes());
    for (Pending& pending : start(context.comm(), tensor)) {
        context.executor().waitFor(pending, context.step(), bytes);
    }
    const double passes = kPassesOfCopy + kPassesOfUpdate * static_cast<double>(received_->size());
    context.executor().run({SpanKind::Merge, mergeBytes(passes, bytes)}, [&] {
        const at::NoGradGuard guard;
        tensor.mul_(mix_.self);
        for (std::size_t i = 0; i < mix_.from.size(); ++i) tensor.add_((*received_)[i], mix_.from[i].weight);
    });
}

void GraphMixing::moveTo(StepContext& context, std::int64_t round) {
    mix_ = graph_->mix({.number = round, .size = context.comm().size(), .seed = context.seed()},
                       context.comm().rank().value());
}

std::optional<double> GraphMixing::equalWeightOf(const GraphRound& round) {
    const std::int64_t period = graph_->period(round.size);
    if (period == 0) return equalWeight(*graph_, round);
    const auto [known, isNew] = equal_.try_emplace(round.number % period);
    if (isNew) known->second = equalWeight(*graph_, round);
    return known->second;
}

void GraphMixing::prepare(StepContext& context, std::int64_t round) {
    moveTo(context, round);
    const auto equal = equalWeightOf({.number = round, .size = context.comm().size(), .seed = context.seed()});
    scale_ = equal.value_or(1);
    factors_->clear();
    if (equal) return;
    factors_->push_back(mix_.self);
    for (const auto& from : mix_.from) factors_->push_back(from.weight);
}

double spectralGap(const Graph& graph, int size) {
    const at::NoGradGuard guard;
    const std::int64_t period = graph.period(size);
    DASGD_CHECK(period > 0);
    at::Tensor product = at::eye(size, at::kDouble);
    for (std::int64_t t = 0; t < period; ++t) {
        product = tensorOf(matrixOf(graph, {.number = t, .size = size})).matmul(product);
    }
    product -= 1.0 / size;
    const double largest = at::linalg_eigvals(product).abs().max().item<double>();
    return 1 - std::pow(largest, 1.0 / static_cast<double>(period));
}

CommunicationPattern gossipPattern() { return noFormula("how many messages a rank sends is the graph's"); }

}  // namespace dasgd
