// The evaluations of one rank's run: all ranks meet for each, or, where time is simulated, leave copies on a board.
// They decide on the run's best model and on an early end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/base/event.h"
#include "core/step/roles.h"
#include "core/step/step_context.h"
#include "core/train/evaluation/evaluation_board.h"
#include "core/train/evaluation/evaluations_beside.h"
#include "core/train/evaluation/evaluator.h"
#include "core/train/evaluation/model_selection.h"

namespace dasgd {

// Owner: the rank's training thread.
class RunEvaluations {
public:
    // All references outlive this. `trainedUntil`: time for which the run has trained by an instant. `windowsEnded`:
    // called when an evaluation in which ranks met is over.
    struct Parts {
        const Experiment& experiment;
        Model& model;
        StepContext& context;
        Algorithm& algorithm;
        EventSink& sink;
        bool unboundedSkew = false;        // ranks never wait for each other (Algorithm::hasUnboundedSkew)
        EvaluationBoard* board = nullptr;  // instead of meetings
        // Ranks share the work and never meet: a server's weights are judged, on the board, or beside training.
        bool shared = false;
        const TrainingData* data = nullptr;  // for evaluations beside training
        FlatLayout layout = {};              // of the rank's parameters, likewise
        std::function<Ns(Ns now)> trainedUntil;
        std::function<void()> windowsEnded;
        EvaluationBoard::KeepBest keepBest;  // may be empty
    };
    RunEvaluations(Parts parts, const EvaluationSets& sets);

    // Evaluates after `at.step` steps; `at` gives samples and bytes too. `last`: no step follows. Throws CommError.
    void evaluate(const Metric& at, bool last);
    // True where a step follows after `completed` ones.
    [[nodiscard]] bool mayContinue(std::int64_t completed);
    // True where an evaluation has ended the run.
    [[nodiscard]] bool over() const { return over_; }
    // Waits for evaluations beside training, and records them.
    void finish();
    // Replaces the rank's weights by those that are evaluated; returns the step after which these are: `step`, or,
    // where ranks share the work, the largest of all ranks. Collective. Throws CommError.
    std::int64_t takeModel(std::int64_t step);

    [[nodiscard]] ModelSelection& selection() { return parts_.board ? parts_.board->selection() : selection_; }
    // Bytes of untimed communication: not part of what the algorithm sent.
    [[nodiscard]] std::int64_t bytesSent() const { return bytes_; }

private:
    [[nodiscard]] Evaluator::TakeModel evaluatedModel();
    void meet(const Metric& at, bool last);
    void agreeOnEnd(const EvaluationReport& report);
    void deposit(const Metric& at);
    void askBeside(const Metric& at, bool last);
    void recordBeside();
    [[nodiscard]] bool publishes() const;
    [[nodiscard]] Rank rank() const { return parts_.context.comm().rank(); }

    Parts parts_;
    NamesWeights* names_;  // the algorithm's interface, or null
    Roles roles_;
    Evaluator evaluator_;
    ModelSelection selection_;                   // for evaluations in which ranks meet
    std::unique_ptr<EvaluationsBeside> beside_;  // of a server whose workers share the work in real time
    bool over_ = false;
    std::int64_t leftOut_ = 0;  // evaluations beside training that would have waited
    std::int64_t bytes_ = 0;
};

}  // namespace dasgd
