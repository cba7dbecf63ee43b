#include "core/train/evaluation/run_evaluations.h"

#include <torch/types.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/metric_names.h"
#include "core/train/checkpoint/saved_model.h"
#include "core/train/evaluation/arrivals.h"

namespace dasgd {

RunEvaluations::RunEvaluations(Parts parts, const EvaluationSets& sets)
    : parts_(std::move(parts)),
      names_(weightsNamer(parts_.algorithm)),
      roles_(parts_.experiment.roles()),
      evaluator_(parts_.model, parts_.context.params(), parts_.context.comm(), sets, roles_, evaluatedModel()),
      selection_(parts_.experiment.train) {
    if (parts_.board && parts_.keepBest && rank() == Rank{0}) parts_.board->keepBest(parts_.keepBest);
    if (!parts_.shared || parts_.board || roles_.trains(rank())) return;
    // Judged on the host, with the elements where the rank has them.
    parts_.layout.device = at::kCPU;
    auto board = EvaluationBoard::create(parts_.experiment, *parts_.data, parts_.layout);
    if (!board) throw std::runtime_error(board.error().message);
    beside_ = std::make_unique<EvaluationsBeside>(std::move(*board));
}

// Takes the model that the algorithm names; null for the mean of the ranks that train.
Evaluator::TakeModel RunEvaluations::evaluatedModel() {
    if (!names_) return nullptr;
    return [this] {
        const at::Tensor buffers = names_->namedBuffers(parts_.context);
        takeNamedModel(names_->namedWeights(parts_.context), parts_.context.params(), parts_.context.comm(), roles_,
                       buffers);
        if (buffers.defined()) takeLargestCounters(parts_.model.module(), parts_.context.comm());
    };
}

void RunEvaluations::evaluate(const Metric& at, bool last) {
    if (parts_.shared && roles_.trains(rank())) return;
    if (beside_) return askBeside(at, last);
    if (!parts_.board) return meet(at, last);
    if (roles_.trains(rank()) || names_) deposit(at);
}

// An evaluation that would have to wait for two others is left out: the server would keep its workers waiting.
void RunEvaluations::askBeside(const Metric& at, bool last) {
    recordBeside();
    if (!last && beside_->isFull()) {
        if (leftOut_++ > 0) return;
        return parts_.sink.state(RankState::Running, at.step,
                                 "left out the evaluation of step " + std::to_string(at.step) +
                                     ", and perhaps later ones: two others wait already, as one takes longer than the "
                                     "steps in between; a larger train.eval_every evaluates at even distances");
    }
    beside_->ask({.at = at,
                  .named = names_->namedWeights(parts_.context).cpu().clone(),
                  .trainedSeconds = static_cast<double>(parts_.trainedUntil(at.wall)) * 1e-9});
}

void RunEvaluations::recordBeside() {
    for (const EvaluationsBeside::Judged& judged : beside_->takeEnded()) {
        over_ = over_ || judged.report.stop;
        record(judged.report, judged.at, judged.at.wall, parts_.sink);
        Metric took = judged.at;
        took.name = metrics::kEvaluationSeconds;
        took.value = judged.seconds;
        parts_.sink.metric(took);
    }
    beside_->rethrowFailure();
}

void RunEvaluations::finish() {
    if (!beside_) return;
    beside_->finish();
    recordBeside();
}

// Ranks that do not communicate compute ahead of simulated time; an early end must find each at its instant.
bool RunEvaluations::mayContinue(std::int64_t completed) {
    if (beside_) recordBeside();
    if (!parts_.board) return !over_;
    if (selection_.mayStop()) parts_.context.clock().sleepUntil(0);
    return parts_.board->mayContinue(completed);
}

// All ranks meet and then resume with the same offsets as before. Ranks that never wait for each other do not keep
// them: their offsets grow without bound.
void RunEvaluations::meet(const Metric& at, bool last) {
    Communicator& comm = parts_.context.comm();
    Clock& clock = parts_.context.clock();
    const Ns came = clock.now();
    const Ns arrived = parts_.unboundedSkew ? 0 : came;
    const std::int64_t before = comm.bytesSent();
    EvaluationReport report;
    std::optional<Archive> evaluated;  // the evaluated network, where the best one is kept
    const auto copy = [&] { evaluated = modelOf(parts_.model.module()); };
    Ns known = 0;
    const UntimedScope untimed(parts_.context.executor());
    parts_.context.executor().run({SpanKind::Eval}, [&] {
        report = evaluator_.evaluate(parts_.keepBest && rank() == Rank{0} ? std::function<void()>(copy) : nullptr);
        report.trainedSeconds = static_cast<double>(largestOfAll(comm, parts_.trainedUntil(came))) * 1e-9;
        selection_.judge(report);
        if (evaluated && selection_.improved()) parts_.keepBest(at.step, std::move(*evaluated));
        agreeOnEnd(report);
        known = clock.now();
        if (last || over_) return;
        clock.sleepUntil(resumeInstant(comm, clock, arrived));
    });
    bytes_ += comm.bytesSent() - before;
    parts_.windowsEnded();
    if (rank() == Rank{0}) record(report, at, known, parts_.sink);
}

// Rank 0 decides: the sums behind a report may differ between ranks in their last bit.
void RunEvaluations::agreeOnEnd(const EvaluationReport& report) {
    if (!selection_.mayStop()) return;
    at::Tensor stop = torch::tensor({report.stop ? 1.0F : 0.0F});
    Pending word = parts_.context.comm().broadcast(stop, Rank{0});
    word.wait();
    over_ = stop.item<float>() != 0;
}

void RunEvaluations::deposit(const Metric& at) {
    EvaluationBoard::Publish publish;
    if (publishes()) {
        publish = [&sink = parts_.sink, at](const EvaluationReport& report, Ns last) {
            record(report, at, last, sink);
        };
    }
    parts_.board->deposit(rank(), at.step, parts_.context.clock().now(), parts_.model, parts_.context.params(),
                          std::move(publish), names_ ? names_->namedWeights(parts_.context) : at::Tensor(),
                          names_ ? names_->namedBuffers(parts_.context) : at::Tensor());
}

// One rank of those that leave something on the board.
bool RunEvaluations::publishes() const {
    return parts_.shared ? rank().value() == roles_.trainers() : rank() == roles_.firstTrainer();
}

std::int64_t RunEvaluations::takeModel(std::int64_t step) {
    const UntimedScope untimed(parts_.context.executor());
    const std::int64_t before = parts_.context.comm().bytesSent();
    evaluator_.takeModel();
    if (parts_.shared) step = largestOfAll(parts_.context.comm(), step);
    bytes_ += parts_.context.comm().bytesSent() - before;
    return step;
}

}  // namespace dasgd
