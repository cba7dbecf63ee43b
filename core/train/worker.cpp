#include "core/train/worker.h"

#include <torch/torch.h>

#include <cmath>
#include <mutex>
#include <vector>

#include "core/train/evaluator.h"
#include "core/train/sampler.h"
#include "core/train/step_context.h"

namespace dasgd {

namespace {

constexpr Ns kThroughputWindow = 200'000'000;
constexpr std::int64_t kWarmUpSteps = 3;

TraceLevel levelOf(const RecordParams& record) {
    if (record.trace == "full") return TraceLevel::Full;
    return record.trace == "summary" ? TraceLevel::Summary : TraceLevel::Off;
}

double seconds(Ns ns) { return static_cast<double>(ns) * 1e-9; }

// What every rank needs that can be refused: data, network, shard.
struct Workshop {
    Splits data;
    std::unique_ptr<Model> model;
    std::vector<std::int64_t> shard;
};

Result<Workshop> setUp(const Experiment& experiment, Rank rank) {
    Workshop shop;
    shop.model = experiment.makeModel();
    const InputSpec natural = shop.model->naturalInput();
    InputSpec input = natural;
    if (!natural.shape.empty()) {
        DASGD_ASSIGN(shop.data, experiment.dataset->load(natural));
        input = shop.data.input;
        const auto type = experiment.scalarType();
        shop.data.train.inputs = shop.data.train.inputs.to(type);
        shop.data.test.inputs = shop.data.test.inputs.to(type);
        auto shards = partitionSamples(shop.data.train.targets, experiment.partition,
                                       static_cast<int>(experiment.cluster.workers),
                                       static_cast<std::uint64_t>(experiment.train.seed));
        shop.shard = std::move(shards[static_cast<std::size_t>(rank.value())]);
    }
    // Initial weights come from torch's one default generator: ranks that are threads take turns.
    static std::mutex generator;
    const std::lock_guard lock(generator);
    torch::manual_seed(static_cast<std::uint64_t>(experiment.train.seed));
    DASGD_TRY(
        shop.model->build({.input = input, .rank = rank, .workers = static_cast<int>(experiment.cluster.workers)}));
    return shop;
}

struct Diverged : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class WorkerLoop {
public:
    WorkerLoop(const Experiment& experiment, const WorkerEnvironment& environment, Workshop shop)
        : experiment_(experiment),
          environment_(environment),
          shop_(std::move(shop)),
          params_(shop_.model->module(), experiment.scalarType()),
          trace_(environment.clock, environment.sink, levelOf(experiment.record)),
          context_(environment.comm, environment.clock, params_, trace_),
          evaluator_(*shop_.model, params_, environment.comm, shop_.data.test),
          plan_(planSteps(experiment, shop_.data.train.count())),
          optimizer_(experiment.makeOptimizer()),
          algorithm_(experiment.makeAlgorithm()) {
        if (!shop_.shard.empty()) {
            sampler_.emplace(std::move(shop_.shard), experiment.train.batchSize,
                             static_cast<std::uint64_t>(experiment.train.seed), environment.comm.rank());
        }
        if (experiment.record.weights) {
            for (std::int64_t i = 0; i < params_.size(); ++i) weightNames_.push_back("weight/" + std::to_string(i));
        }
    }

    // Throws CommError, Diverged and whatever LibTorch throws.
    WorkerOutcome run() {
        startTogether();
        environment_.sink.state(RankState::Running, 0, "");
        recordWeights();
        evaluate();
        algorithm_->start(context_);
        windowStart_ = environment_.clock.now();
        while (step_ < plan_.totalSteps) {
            if (environment_.control && !environment_.control->goOn(environment_.comm.rank(), step_)) {
                return end(WorkerOutcome::Kind::Stopped);
            }
            makeStep();
            if (step_ % plan_.evalEvery == 0 || step_ == plan_.totalSteps) evaluate();
        }
        return end(WorkerOutcome::Kind::Finished);
    }

    [[nodiscard]] std::int64_t step() const { return step_; }

private:
    // Equal weights everywhere, whatever library made them; and no rank's clock starts before the last one is there.
    void startTogether() {
        Pending weights = environment_.comm.broadcast(params_.weights(), Rank{0});
        weights.wait();
        setupBytes_ = environment_.comm.bytesSent();
    }

    Batch nextBatch() {
        if (!sampler_) return {};
        const auto span = trace_.scope(SpanKind::Data, step_ + 1);
        const at::Tensor indices = sampler_->next();
        return {shop_.data.train.inputs.index_select(0, indices), shop_.data.train.targets.index_select(0, indices)};
    }

    void makeStep() {
        const Ns begin = environment_.clock.now();
        const double rate = optimizer_->learningRate() * experiment_.schedule->factor(step_, plan_.totalSteps);
        // Spans of a step carry the number that it will have when it is complete.
        context_.moveTo(step_ + 1, rate);
        const Batch batch = nextBatch();
        const double loss = descend(batch, rate);
        ++step_;
        algorithm_->afterStep(context_);
        const Ns now = environment_.clock.now();
        if (step_ > warmUp()) {
            measuredSteps_ += 1;
            measuredTime_ += now - begin;
        }
        metric("train/loss", loss);
        recordWeights();
        recordThroughput(now);
        if (!std::isfinite(loss)) {
            throw Diverged("the training loss of rank " + std::to_string(environment_.comm.rank().value()) + " is " +
                           (std::isnan(loss) ? "NaN" : "infinite") + " at step " + std::to_string(step_) +
                           ". A smaller learning rate, warm-up or a smaller delay usually helps.");
        }
    }

    double descend(const Batch& batch, double rate) {
        at::Tensor loss;
        {
            const auto span = trace_.scope(SpanKind::Forward, step_ + 1);
            loss = shop_.model->loss(batch);
        }
        {
            const auto span = trace_.scope(SpanKind::Backward, step_ + 1);
            params_.gradients().zero_();
            loss.backward();
        }
        algorithm_->afterBackward(context_);
        {
            const auto span = trace_.scope(SpanKind::Update, step_ + 1);
            const at::NoGradGuard guard;
            optimizer_->step(params_, rate);
        }
        return loss.item<double>();
    }

    void evaluate() {
        const Ns begin = environment_.clock.now();
        {
            const auto span = trace_.scope(SpanKind::Eval, step_);
            const EvaluationReport report = evaluator_.evaluate();
            evaluationBytes_ += report.bytesSent;
            if (environment_.comm.rank() == Rank{0}) {
                metric("eval/loss", report.loss);
                if (!std::isnan(report.accuracy)) {
                    metric("eval/accuracy", report.accuracy);
                    metric("eval/replica_accuracy", report.replicaAccuracy);
                }
                metric("consensus/distance", report.consensusDistance);
            }
        }
        recordOverlap();
        windowStart_ += environment_.clock.now() - begin;
    }

    void recordOverlap() {
        if (trace_.level() == TraceLevel::Off) return;
        const OverlapSummary overlap = trace_.overlap();
        metric("overlap/reduce_s", seconds(overlap.reduce));
        metric("overlap/compute_s", seconds(overlap.compute));
        metric("overlap/hidden_s", seconds(overlap.hidden));
        metric("overlap/blocked_s", seconds(overlap.blocked));
    }

    void recordThroughput(Ns now) {
        ++windowSteps_;
        const Ns elapsed = now - windowStart_;
        if (elapsed < kThroughputWindow && step_ < plan_.totalSteps) return;
        if (environment_.comm.rank() == Rank{0} && elapsed > 0) {
            metric("throughput/samples_per_s", static_cast<double>(windowSteps_ * samplesPerStep()) / seconds(elapsed));
        }
        windowStart_ = now;
        windowSteps_ = 0;
    }

    void recordWeights() {
        if (weightNames_.empty()) return;
        const at::Tensor weights = params_.weights().to(torch::kFloat64);
        const auto* values = weights.const_data_ptr<double>();
        for (std::size_t i = 0; i < weightNames_.size(); ++i) metric(weightNames_[i], values[i]);
    }

    WorkerOutcome end(WorkerOutcome::Kind kind) {
        // The last average, which nobody will merge, has no steps left to hide behind: it says nothing about the
        // overlap.
        recordOverlap();
        algorithm_->drain(context_);
        if (kind == WorkerOutcome::Kind::Finished) {
            const std::int64_t before = environment_.comm.bytesSent();
            averageModel(params_, environment_.comm);
            evaluationBytes_ += environment_.comm.bytesSent() - before;
        }
        if (measuredSteps_ > 0 && environment_.comm.rank() == Rank{0}) {
            metric("run/step_ms", seconds(measuredTime_) * 1e3 / static_cast<double>(measuredSteps_));
        }
        const bool finished = kind == WorkerOutcome::Kind::Finished;
        environment_.sink.state(finished ? RankState::Finished : RankState::Stopped, step_, "");
        return {.kind = kind, .step = step_, .error = ""};
    }

    void metric(std::string_view name, double value) {
        environment_.sink.metric({.name = name,
                                  .step = step_,
                                  .epoch = static_cast<double>(step_) / static_cast<double>(plan_.stepsPerEpoch),
                                  .wall = environment_.clock.now(),
                                  .samples = step_ * samplesPerStep(),
                                  .bytesSent = environment_.comm.bytesSent() - evaluationBytes_ - setupBytes_,
                                  .value = value});
    }

    [[nodiscard]] std::int64_t samplesPerStep() const { return experiment_.train.batchSize * environment_.comm.size(); }
    [[nodiscard]] std::int64_t warmUp() const { return std::min(kWarmUpSteps, plan_.totalSteps / 2); }

    const Experiment& experiment_;
    const WorkerEnvironment& environment_;
    Workshop shop_;
    FlatParams params_;
    Trace trace_;
    StepContext context_;
    Evaluator evaluator_;
    Plan plan_;
    std::unique_ptr<Optimizer> optimizer_;
    std::unique_ptr<Algorithm> algorithm_;
    std::optional<Sampler> sampler_;
    std::vector<std::string> weightNames_;
    std::int64_t step_ = 0;
    std::int64_t evaluationBytes_ = 0;  // kept out of `bytes_sent`: they are the laboratory's, not the algorithm's
    std::int64_t setupBytes_ = 0;
    Ns windowStart_ = 0;
    std::int64_t windowSteps_ = 0;
    Ns measuredTime_ = 0;
    std::int64_t measuredSteps_ = 0;
};

std::string firstLineOf(const std::exception& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
}

}  // namespace

WorkerOutcome runWorker(const Experiment& experiment, const WorkerEnvironment& environment) {
    torch::set_num_threads(static_cast<int>(experiment.cluster.threadsPerWorker));
    environment.sink.state(RankState::Starting, 0, "");
    std::int64_t step = 0;
    const auto failed = [&](const std::string& message) {
        environment.sink.state(RankState::Failed, step, message);
        if (environment.control) environment.control->leave(environment.comm.rank());
        return WorkerOutcome{WorkerOutcome::Kind::Failed, step, message};
    };
    std::unique_ptr<WorkerLoop> loop;
    try {
        auto shop = setUp(experiment, environment.comm.rank());
        if (!shop) return failed(shop.error().message);
        loop = std::make_unique<WorkerLoop>(experiment, environment, std::move(*shop));
        WorkerOutcome outcome = loop->run();
        if (environment.control) environment.control->leave(environment.comm.rank());
        return outcome;
    } catch (const std::exception& error) {
        step = loop ? loop->step() : 0;
        return failed(firstLineOf(error) + (step > 0 ? " (after step " + std::to_string(step) + ")" : ""));
    }
}

}  // namespace dasgd
