// Optional interfaces of an algorithm: a class inherits those that it needs, and the worker loop asks for them by
// dynamic_cast. Without an interface, the default that its comment names applies. They are apart from Algorithm so that
// every interface stays small and no algorithm answers "not supported".
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/schema/fields.h"
#include "core/step/roles.h"

namespace dasgd {

class Archive;
class FlatParams;
class Graph;
struct CompressionSettings;
class Optimizer;
class Stage;
class StepContext;

// State that can be saved between two steps and restored on a new object. Default: a run of the algorithm cannot be
// resumed.
class Checkpointed {
public:
    virtual ~Checkpointed() = default;
    // Called on every rank after the same step. Waits for operations in flight and keeps their results for their
    // merges; the run continues as if nothing had been saved. Throws CommError.
    virtual void save(StepContext& context, Archive& archive) = 0;
    // Called in place of start(), on a new object with the same fields: the next step is the one after the save, and
    // weights and optimiser are as they were then. Errors: state that is missing or of another model.
    virtual Status load(StepContext& context, const Archive& archive) = 0;
};

// Ability to begin after any step of a run, from weights and an optimiser's state that all ranks have in common, so
// that a run can be resumed with another number of ranks. Operations in flight, and the algorithm's other state, are
// lost. Default: a run is resumed with as many ranks as it had.
class Elastic {
public:
    virtual ~Elastic() = default;
    // Called in place of start(), after step context.step() of these ranks, which corresponds to step `before` of the
    // previous ranks.
    virtual void startFrom(StepContext& context, std::int64_t before) = 0;
};

// Update of the weights by the algorithm itself. Default: optimizer.step(params, learningRate).
class OwnUpdate {
public:
    virtual ~OwnUpdate() = default;
    // Called when the gradients exist and afterBackward() has returned. Not called in time-only runs.
    virtual void update(StepContext& context, Optimizer& optimizer) = 0;
};

// Division of the update among the ranks. Default: the optimiser of a rank steps all of the weights.
class StepsPart {
public:
    virtual ~StepsPart() = default;
    // The parameters that this rank's optimiser steps; it has state for these alone. Called before load(), to restore
    // that state, with the weights as they were saved.
    [[nodiscard]] virtual FlatParams steppedPart(StepContext& context) = 0;
};

// Choice of the weights that are evaluated, and that the run ends with. Default: the mean over the ranks that train.
class NamesWeights {
public:
    virtual ~NamesWeights() = default;
    // This rank's part of them, [N]; the named weights are the sum over all ranks. Undefined: nothing is added. Called
    // between two steps, on every rank after the same step, and before start() too. It reads the rank's own state: it
    // neither communicates nor waits, and changes nothing, so that an evaluation brings no average forward. An average
    // in flight may therefore be missing, unless it is a sum: then each rank can name its own summand.
    [[nodiscard]] virtual at::Tensor namedWeights(StepContext& context) = 0;
    // False where a setting of the algorithm asks for the mean after all. Default: the named weights are meant.
    [[nodiscard]] virtual bool namesWeights() const { return true; }
    // This rank's part of the floating-point buffers, in the order of FlatParams::buffers() and one after the other.
    // Default, undefined: the mean over the ranks that train. All ranks name a part, or none does.
    [[nodiscard]] virtual at::Tensor namedBuffers(StepContext& /*context*/) { return {}; }
};
// The interface of an algorithm that names weights; null: the mean is meant.
template <class AnyAlgorithm>
[[nodiscard]] NamesWeights* weightsNamer(AnyAlgorithm& algorithm) {
    auto* const names = dynamic_cast<NamesWeights*>(&algorithm);
    return names && names->namesWeights() ? names : nullptr;
}

// Gossip over the graph of [graph]. Default: an experiment with that section is refused.
class MixesOverGraph {
public:
    virtual ~MixesOverGraph() = default;
    // Name of the graph where the experiment names none.
    [[nodiscard]] virtual std::string_view defaultGraph() const { return "ring"; }
    // Called before everything else.
    virtual void setGraph(std::shared_ptr<const Graph> graph) = 0;
};

// Exchanges that can be compressed, as [compression] says. Default: an experiment with that section is refused.
class CompressesExchanges {
public:
    virtual ~CompressesExchanges() = default;
    // Refuses settings that the algorithm cannot use, in words that name the remedy. Errors name a field of
    // [compression], or a key of another section ("algorithm.optimizer_state").
    [[nodiscard]] virtual std::optional<FieldError> checkCompression(const CompressionSettings& settings) const = 0;
    // Sentence that is logged before a run with settings that are accepted and known to do badly, with a remedy.
    // Default: there is none.
    [[nodiscard]] virtual std::optional<std::string> warnOfCompression(const CompressionSettings& /*settings*/) const {
        return std::nullopt;
    }
    // True where neighbours keep copies of each other, which remember what was not sent: error_feedback and
    // rescale_error are then false by default, and scheme stays "auto". Default: ranks form means.
    [[nodiscard]] virtual bool keepsPublicCopies() const { return false; }
    // True where ranks exchange weights in pairs, which operators for pairs can code (Compressor::Properties). Such
    // settings are refused otherwise, before checkCompression() is asked. Default: they do not.
    [[nodiscard]] virtual bool exchangesPairs() const { return false; }
    // Called before everything else. Settings that checkCompression() accepts.
    virtual void setCompression(std::shared_ptr<const CompressionSettings> settings) = 0;
};

// Exchanges that are not compressed, for a reason of the algorithm's own. Default: an experiment with [compression] is
// refused with the names of the algorithms that read it.
class SendsUncoded {
public:
    virtual ~SendsUncoded() = default;
    // The reason and a remedy, as the rest of a sentence that begins with the algorithm's name.
    [[nodiscard]] virtual std::string whyUncoded() const = 0;
};

// Division of the ranks into those that train and those that serve. Default: all train.
class HasRoles {
public:
    virtual ~HasRoles() = default;
    // The roles of `ranks` >= 1 ranks; the same answer everywhere. At least one rank has to train, or the experiment is
    // refused.
    [[nodiscard]] virtual Roles roles(int ranks) const = 0;
    // A serving rank's part in step context.step(), in place of the local step, afterBackward() and afterStep(). Takes
    // part in start(), drain() and evaluations as every rank does.
    virtual void serve(StepContext& context) = 0;
};

// Means over ranks whose batches have unequal sizes (train.balance): b samples of the B that all P ranks have in a
// step. Default: such a run is refused.
class MeansOfUnevenBatches {
public:
    virtual ~MeansOfUnevenBatches() = default;
    // True where the ranks' gradients of step `step` are averaged; each has then been multiplied by b·P/B, so that
    // their mean is that of all samples. False where weights are averaged, of which each rank has made its own steps.
    [[nodiscard]] virtual bool averagesGradientsOf(std::int64_t step) const = 0;
    // True where setMeanWeight() has an effect: averages of weights can weigh the ranks.
    [[nodiscard]] virtual bool weighsRanks() const { return false; }
    // Called before each step of a run with weigh = "samples": the rank's weights count `weight` = b·P/B times as much
    // as with equal batches in averages that leave after it. Only where weighsRanks().
    virtual void setMeanWeight(double /*weight*/) {}
};

// Training of a model that is cut in sequence over ranks. Default: an experiment with more than one cluster.stages is
// refused. With one stage a run is as of any other algorithm: neither function is called.
class TrainsStages {
public:
    virtual ~TrainsStages() = default;
    // Called before everything else, on every rank. The stage outlives the algorithm's use of it.
    virtual void setStage(Stage& stage) = 0;
    // This rank's part of the passes of step context.step(), in place of the forward and backward pass of a whole
    // model; it may wait, outside of the stage's passes. True where it leaves gradients: then afterBackward() and the
    // optimiser's step over Stage::part() follow.
    [[nodiscard]] virtual bool makePasses(StepContext& context) = 0;
};

// Division of a model's embedding tables among ranks, which look rows up for each other. Default: each rank has the
// tables and looks up in them within its passes. An algorithm without this interface trains such a model like any
// other.
class DividesTables {
public:
    virtual ~DividesTables() = default;
    // Called before everything else where the model has tables: they are its first `tables` parameters.
    virtual void setTables(std::int64_t tables) = 0;
    // Called between the loading of a micro-batch and its forward pass, on all ranks; it may wait. `rows` [B, tables,
    // lookups]: the row numbers that this rank's samples name, in the type of the weights. Returns the sums of these
    // rows, [B, tables, width], with which the model computes. In a time-only run both are shapes only.
    [[nodiscard]] virtual at::Tensor lookUp(StepContext& context, const at::Tensor& rows) = 0;
    // Called after its backward pass; it may wait. `gradients`: of this rank's loss by what lookUp() returned. Adds
    // those of the tables to their gradients.
    virtual void addGradients(StepContext& context, const at::Tensor& gradients) = 0;
};

// Ability to let the ranks that train share the gradients of a run, so that a fast rank makes more steps than a slow
// one (train.work). The ranks that serve say who makes the next gradient. Default: such a run is refused.
class SharesWork {
public:
    virtual ~SharesWork() = default;
    // True where runs of the algorithm share the work whatever train.work says.
    [[nodiscard]] virtual bool alwaysShares() const { return false; }
    // Called before start(), on every rank: all ranks together make so many gradients.
    virtual void share(std::int64_t gradients) = 0;
    struct Gradient {
        std::int64_t number = 0;  // from 1, among those of all ranks
        std::int64_t step = 0;    // the run's step to which it belongs, from 1
    };
    // For a rank that trains, between two steps: its next gradient; nullopt: it makes no more.
    [[nodiscard]] virtual std::optional<Gradient> nextGradient(StepContext& context) = 0;
    // For a rank that serves: gradients that are in its weights.
    [[nodiscard]] virtual std::int64_t gradientsMade() const = 0;
    // The same: true where no gradient is under way and none will be.
    [[nodiscard]] virtual bool isOver() const = 0;
    // The same: lets nobody begin another gradient. `stopped`: because the run is stopped, which the ranks that train
    // are told. False, and no effect, where the work has ended already.
    virtual bool endSharing(bool stopped) = 0;
    // For a rank that trains and makes no more gradients: true where it was told that the run is stopped.
    [[nodiscard]] virtual bool wasStopped() const = 0;
};

}  // namespace dasgd
