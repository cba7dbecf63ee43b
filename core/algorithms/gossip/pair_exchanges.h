// Exchanges of pairs without rounds. A rank that asks sends its weights s at a step's end to a partner and trains on.
// The partner answers when its own step ends: with half of the difference to its weights x, d = (x − s)/2, which it
// takes from them, x ← x − d. The rank that asked adds it at the end of the step in which it arrives, xₐ ← xₐ + d.
// Nobody waits before the end of the run.
//
// Both ranks move by the same d, so that the sum of the pair changes by the rounding of two additions and by nothing
// else: an exchange between weights that are multiples of one power of two keeps it to the last bit.
//
// The partner is one of the rank's neighbours in the graph, drawn where it has several; a pair always takes its mean,
// whatever weights the graph has. A rank has one question under way, and takes a new partner with the next one.
//
// With an operator for pairs (core/compression/pair_coder.h) the question is a message of s and the answer one of x,
// and both ranks move by d = (C(x) − C(s))/2, which both know: the pair keeps its sum as it does without.
//
// An exchange sends N, or a message, each way. Memory beside the weights: 2 N on a rank that asks, or N and two
// messages; on one that is asked N, or a message, for every rank that may ask, and for each answer that is under way.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/compression/pair_coder.h"
#include "core/graphs/graph.h"
#include "core/step/step_context.h"

namespace dasgd {

class Archive;

// Owner: the rank's training thread.
class PairExchanges {
public:
    struct Settings {
        std::int64_t period = 1;       // own steps after which a rank asks, unless a question is under way
        bool onlyOddRanksAsk = false;  // and only even ones answer
    };
    explicit PairExchanges(const Settings& settings) : settings_(settings) {}

    void setGraph(std::shared_ptr<const Graph> graph) { graph_ = std::move(graph); }
    // Settings that checkPairSettings() accepts, of an operator for pairs. Before everything else.
    void setCompression(std::shared_ptr<const CompressionSettings> settings) { compression_ = std::move(settings); }
    // Refuses graphs that are not symmetric and, where only odd ranks ask, those in which two neighbours both ask or
    // both answer; of a graph that is drawn, the pairs that cannot exchange rest. Errors name a key of [graph].
    [[nodiscard]] std::optional<FieldError> check(int ranks) const;

    // Before the first step of the rule. Records graph/degree.
    void start(StepContext& context);
    // At a step's end: adds the answer that has arrived, answers the ranks that have asked, and asks.
    void afterStep(StepContext& context);
    // Answers until no rank has a question under way. All ranks call it. Throws CommError, which says for whom it
    // waits.
    void drain(StepContext& context);
    // Ends what is under way as drain() does; no rank asks again before all are saved.
    void save(StepContext& context, Archive& archive);
    Status load(StepContext& context, const Archive& archive);

private:
    // A buffer in which a rank's question arrives and from which its answer leaves.
    struct Place {
        at::Tensor tensor;  // [N], or a message
        Pending message;
    };

    [[nodiscard]] bool asks(int rank) const { return !settings_.onlyOddRanksAsk || rank % 2 == 1; }
    [[nodiscard]] bool answers(int rank) const { return !settings_.onlyOddRanksAsk || rank % 2 == 0; }
    [[nodiscard]] std::vector<int> partnersIn(const GraphRound& round, int rank) const;
    // Ranks with which this one may exchange in any round.
    [[nodiscard]] std::vector<int> everyPartner(StepContext& context) const;
    void begin(StepContext& context);
    [[nodiscard]] at::Tensor makeBuffer(StepContext& context) const;
    [[nodiscard]] std::int64_t bytesOfBuffer(StepContext& context) const;
    void post(StepContext& context);
    void ask(StepContext& context);
    void takeAnswer(StepContext& context);
    [[nodiscard]] int nextPartner(StepContext& context);
    void answerAll(StepContext& context);
    void answer(StepContext& context, Place place);
    // Answers until nobody asks. Returns the bytes of the words by which this rank has said that it asks no longer.
    std::int64_t settle(StepContext& context);
    void awaitAny(StepContext& context, std::vector<Pending>& goodbyes);

    Settings settings_;
    std::shared_ptr<const Graph> graph_;
    std::vector<int> askers_, answerers_;  // ranks that may ask this one, and that it may ask
    std::int64_t round_ = 0;               // of the graph, from which the next partner is taken
    at::Tensor sent_;                      // [N]: s of the question
    at::Tensor asking_, received_;         // what travels: the question, which may be sent_, and its answer
    at::Tensor spare_;                     // a message
    Pending question_, answer_;
    std::int64_t askedAt_ = 0;
    std::deque<Place> receiving_, answering_;
    std::shared_ptr<const CompressionSettings> compression_;
    std::optional<PairCoder> coder_;  // where weights are coded
};

}  // namespace dasgd
