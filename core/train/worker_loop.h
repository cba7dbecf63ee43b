// The loop of one rank: what runWorker() runs inside its try block.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/algorithms/extensions.h"
#include "core/step/step_context.h"
#include "core/train/evaluation/run_evaluations.h"
#include "core/train/rank_checkpoints.h"
#include "core/train/steps/batch_balance.h"
#include "core/train/steps/local_step.h"
#include "core/train/steps/loss_queue.h"
#include "core/train/steps/stage_step.h"
#include "core/train/steps/table_step.h"
#include "core/train/timing/step_profiler.h"
#include "core/train/timing/timing_records.h"
#include "core/train/worker.h"

namespace dasgd {

// Owns model, optimiser, algorithm and counters of one rank from its start to its end. What it is given outlives it.
// Used by the rank's training thread alone; step() too.
class WorkerLoop {
public:
    // `model`: null in a time-only run. `forward`: the generator that the model draws from in training. `doing` names
    // the rank's present activity, for the handler of an error.
    WorkerLoop(const Experiment& experiment, const WorkerEnvironment& environment, const TrainingData& data,
               std::unique_ptr<Model> model, at::Generator forward, std::string& doing);

    // Throws CommError, Diverged and LibTorch's exceptions.
    WorkerOutcome run();

    // Number of the run's step that the rank is in, or has completed.
    [[nodiscard]] std::int64_t step() const { return shares_ && trains_ ? runStep_ : step_; }

private:
    // Before the first step.
    FlatParams paramsOf(std::string& doing) const;
    [[nodiscard]] FlatLayout layout() const;
    void chooseSamples();
    ChosenSamples chosenSamples();
    StepDevice stepDevice(SamplePlaces::Placed train);
    StepContext::Extras extras();
    // Callback that keeps the best model; null where it is not kept. A board may call it after this rank has ended.
    EvaluationBoard::KeepBest keepBest();
    void begin();
    // Gives all ranks the weights of rank 0, so that they do not depend on the backend; all clocks start when the last
    // rank is ready.
    void startTogether();
    // Trained time begins as the first evaluation ends. Where ranks do not meet for it, that is a span of its own.
    void evaluateFirst();
    // Resumes where the checkpoint left off: steps, samples, bytes and the run's own time continue.
    void resumeFromCheckpoint();
    Ns restore();

    // Ranks that share the work make unequal numbers of steps. Those that serve bring about a stop and an early end, by
    // letting nobody begin another gradient.
    WorkerOutcome runShared();
    bool beginsGradient();
    bool goesOnServing();

    // One step.
    void serve();
    void makeStep();
    void descend(double rate);
    // Descends with the rank's own share of the step's samples, and counts the time of its work.
    void descendUnevenly(double rate);
    void passes(std::int64_t batch, std::int64_t most, double weight = 1);
    void pass(const MicroBatch& part);
    void update(double rate);
    [[nodiscard]] double learningRate() const;

    // After some steps, and after the last.
    void evaluate();
    WorkerOutcome end(WorkerOutcome::Kind kind);
    // Waits for the checkpoints and writes the model; returns what could not be written, in words, else "".
    std::string saveResult(bool finished, std::int64_t step);

    // Records.
    void recordLoss(const Metric& loss);
    void recordSkipped();
    void recordWeights();
    void metric(std::string_view name, double value) { metric(name, value, step()); }
    void metric(std::string_view name, double value, std::int64_t step);
    [[nodiscard]] Metric metricNow(std::string_view name) const { return metricNow(name, step()); }
    [[nodiscard]] Metric metricNow(std::string_view name, std::int64_t step) const;
    [[nodiscard]] RankCounters counters() const;
    [[nodiscard]] Ns trainedUntil(Ns now) const { return trainedBefore_ + executor_->trainedUntil(now); }
    // Bytes sent by the laboratory itself: not part of bytes_sent.
    [[nodiscard]] std::int64_t untimedBytes() const;
    // Of shared work: the gradients of all ranks up to the last that this one began, or that are in a server's weights.
    [[nodiscard]] std::int64_t gradientsSoFar() const { return trains_ ? gradient_ : shares_->gradientsMade(); }

    // The parameters that this rank trains.
    [[nodiscard]] FlatParams& ownParams() { return stage_ ? stage_->part() : params_; }
    // True where nothing bounds the number of steps between two ranks.
    [[nodiscard]] bool hasUnboundedSkew() const;
    // True for the first rank that trains, which records the metrics of the whole run.
    [[nodiscard]] bool reportsForRun() const { return environment_.comm.rank() == roles_.firstTrainer(); }

    const Experiment& experiment_;
    const WorkerEnvironment& environment_;
    const TrainingData& data_;
    std::unique_ptr<Model> model_;
    at::Generator forward_;
    std::string& doing_;
    FlatParams params_;
    Plan plan_;
    const std::int64_t firstStep_;
    std::unique_ptr<Optimizer> optimizer_;
    double rate_;  // learning rate before the schedule's factor
    std::unique_ptr<Algorithm> algorithm_;
    SharesWork* shares_;  // the algorithm's interface where ranks share the work, else null
    Plan gradients_;      // of shared work: its steps are gradients of all ranks
    std::unique_ptr<Executor> executor_;
    StepContext context_;
    std::optional<BatchBalance> balance_;         // nullopt where batches are equal
    std::optional<SrgSampler> sampler_;           // nullopt where samples are not drawn
    std::unique_ptr<LocalStep> local_;            // null where the model is cut into stages
    std::optional<RunEvaluations> evaluations_;   // nullopt in a time-only run
    std::optional<RankCheckpoints> checkpoints_;  // nullopt in a time-only run
    bool hasData_;
    OwnUpdate* ownUpdate_;         // the algorithm's interface, or null
    MeansOfUnevenBatches* means_;  // likewise
    Roles roles_;
    TrainsStages* stages_;  // the algorithm's interface where the model is cut into stages, else null
    std::unique_ptr<StageStep> stage_;
    bool trains_;                      // makes steps
    std::optional<TableStep> tables_;  // nullopt where the algorithm divides no embedding tables
    std::vector<std::string> weightNames_;
    StepProfiler profiler_{experiment_.record.profile, environment_.profileTrace, environment_.clock, *executor_,
                           environment_.sink};
    TimingRecords timing_;
    LossQueue losses_;
    Ns trainedBefore_ = 0;  // training time of the run that this one was resumed from
    std::int64_t step_ = 0;
    std::int64_t gradient_ = 0;    // of shared work: number of this rank's present or last gradient
    std::int64_t runStep_ = 0;     // the run's step to which that belongs: a fast rank makes several in one step
    bool stopped_ = false;         // of a rank that serves shared work: a stop was asked for
    std::int64_t setupBytes_ = 0;  // untimed bytes; minus the bytes sent by the run that this one was resumed from
};

}  // namespace dasgd
