#include "core/train/worker_loop.h"

#include <torch/types.h>

#include <algorithm>

#include "core/base/metric_names.h"
#include "core/train/activity.h"
#include "core/train/device/sample_places.h"
#include "core/train/evaluation/arrivals.h"
#include "core/train/timing/timed_windows.h"

namespace dasgd {

namespace {

TraceLevel levelOf(const RecordParams& record) {
    if (record.trace == "full") return TraceLevel::Full;
    return record.trace == "summary" ? TraceLevel::Summary : TraceLevel::Off;
}

}  // namespace

WorkerLoop::WorkerLoop(const Experiment& experiment, const WorkerEnvironment& environment, const TrainingData& data,
                       std::unique_ptr<Model> model, at::Generator forward, std::string& doing)
    : experiment_(experiment),
      environment_(environment),
      data_(data),
      model_(std::move(model)),
      forward_(std::move(forward)),
      doing_(doing),
      params_(paramsOf(doing)),
      plan_(planSteps(experiment, data.splits.train.count())),
      firstStep_(firstStepOf(experiment, environment.checkpoints, plan_, data.splits.train.count())),
      optimizer_(experiment.makeOptimizer()),
      rate_(optimizer_->learningRate() * experiment.learningRateScale()),
      algorithm_(experiment.makeAlgorithm()),
      shares_(experiment.sharesWork() ? dynamic_cast<SharesWork*>(algorithm_.get()) : nullptr),
      gradients_(planGradients(experiment, data.splits.train.count())),
      executor_(environment.executor(environment.clock, environment.sink, levelOf(experiment.record),
                                     windowsOf(experiment, plan_, hasUnboundedSkew(), firstStep_))),
      context_(environment.comm, environment.clock, params_, *executor_, plan_.batchSize, extras()),
      hasData_(data.splits.train.count() > 0),
      ownUpdate_(dynamic_cast<OwnUpdate*>(algorithm_.get())),
      means_(dynamic_cast<MeansOfUnevenBatches*>(algorithm_.get())),
      roles_(experiment.roles()),
      stages_(experiment.cluster.stages > 1 ? dynamic_cast<TrainsStages*>(algorithm_.get()) : nullptr),
      trains_(stages_ || roles_.trains(environment.comm.rank())),
      tables_(tableStep(experiment, *algorithm_, model_.get())),
      timing_(*executor_, environment.sink, plan_,
              {.hasUnboundedSkew = experiment.cluster.workers > 1 && hasUnboundedSkew(),
               .reportsForRun = reportsForRun(),
               .trainers = roles_.trainers()},
              [this](std::string_view name, double value) {
                  Metric timed = metricNow(name);
                  // Ranks end their windows at equal numbers of steps of their own.
                  if (name == metrics::kRankSamplesPerS) timed.step = step_;
                  timed.value = value;
                  environment_.sink.metric(timed);
              }) {
    chooseSamples();
    if (stages_) {
        doing_ = "dividing the model into stages";
        stage_ = makeStage({experiment, data, model_.get(), params_, *executor_, forward_}, environment.comm.rank());
        stages_->setStage(*stage_);
    }
    if (!model_) {
        if (!stage_) local_ = makeIdleStep(params_, context_.gradientFeed());
        return;
    }
    SamplePlaces places(experiment.data, environment.device);
    if (trains_ && !stage_) {
        doing_ = "copying the training set to the device (data.device_data)";
        const Rank trainer(roles_.trainerIndex(environment.comm.rank()));
        local_ = makeLocalStep(experiment, data, *model_, params_, *optimizer_, trainer,
                               stepDevice(places.place(data.splits.train)), firstStep_, chosenSamples());
        doing_ = activity::kWarmUp;
        local_->warmUp(forward_);
    }
    doing_ = "copying the test set to the device (data.device_data)";
    evaluations_.emplace(RunEvaluations::Parts{.experiment = experiment,
                                               .model = *model_,
                                               .context = context_,
                                               .algorithm = *algorithm_,
                                               .sink = environment.sink,
                                               .unboundedSkew = hasUnboundedSkew(),
                                               .board = environment.evaluations,
                                               .shared = shares_ != nullptr,
                                               .data = &data,
                                               .layout = layout(),
                                               .trainedUntil = [this](Ns now) { return trainedUntil(now); },
                                               .windowsEnded =
                                                   [this] {
                                                       if (trains_) timing_.recordWindows();
                                                   },
                                               .keepBest = keepBest()},
                         EvaluationSets(places.place(data.splits.test), places.place(data.validation)));
    if (environment.checkpoints) {
        checkpoints_.emplace(experiment, *environment.checkpoints,
                             RankParts{*model_, *optimizer_, *algorithm_, context_, forward_, evaluations_->selection(),
                                       balance_ ? &*balance_ : nullptr, sampler_ ? &*sampler_ : nullptr},
                             environment.sink, hasUnboundedSkew(), firstStep_);
    }
    if (experiment.record.weights) {
        const std::int64_t first = stage_ ? stage_->part().weights().storage_offset() : 0;
        for (std::int64_t i = 0; i < ownParams().parameters(); ++i)
            weightNames_.push_back(metrics::kWeight + std::to_string(first + i));
    }
}

WorkerOutcome WorkerLoop::run() {
    const bool isResumed = environment_.checkpoints && environment_.checkpoints->from;
    isResumed ? resumeFromCheckpoint() : begin();
    timing_.countFrom(environment_.clock.now());
    if (shares_) return runShared();
    while (step_ < plan_.totalSteps) {
        if (evaluations_ && !evaluations_->mayContinue(step_)) break;
        if (environment_.control && !environment_.control->mayContinue(environment_.comm.rank(), step_)) {
            return end(WorkerOutcome::Kind::Stopped);
        }
        if (trains_) {
            makeStep();
        } else {
            serve();
        }
        if (step_ % plan_.evalEvery == 0 || step_ == plan_.totalSteps) evaluate();
        if (checkpoints_ && step_ < plan_.totalSteps && !evaluations_->over()) {
            doing_ = activity::kCheckpoint;
            checkpoints_->afterStep(step_, [this] { return counters(); });
        }
    }
    return end(WorkerOutcome::Kind::Finished);
}

WorkerOutcome WorkerLoop::runShared() {
    while (trains_ ? beginsGradient() : goesOnServing()) {
        if (trains_) {
            makeStep();
            continue;
        }
        serve();
        if (step_ % plan_.evalEvery == 0 || shares_->isOver()) evaluate();
    }
    const bool stopped = trains_ ? shares_->wasStopped() : stopped_;
    return end(stopped ? WorkerOutcome::Kind::Stopped : WorkerOutcome::Kind::Finished);
}

bool WorkerLoop::beginsGradient() {
    const auto next = shares_->nextGradient(context_);
    if (next) {
        gradient_ = next->number;
        runStep_ = next->step;
        local_->moveTo(gradient_);
    }
    // Whoever looks at the run sees how far all ranks are together.
    const std::int64_t begun = next ? gradient_ - 1 : shares_->wasStopped() ? gradient_ : gradients_.totalSteps;
    if (environment_.control) {
        static_cast<void>(environment_.control->stopAsked(environment_.comm.rank(), begun / plan_.workers));
    }
    return next.has_value();
}

bool WorkerLoop::goesOnServing() {
    if (shares_->isOver()) return false;
    if (environment_.control && environment_.control->stopAsked(environment_.comm.rank(), step_)) {
        stopped_ = shares_->endSharing(true) || stopped_;
    } else if (evaluations_ && !evaluations_->mayContinue(step_)) {
        static_cast<void>(shares_->endSharing(false));
    }
    return !shares_->isOver();
}

FlatParams WorkerLoop::paramsOf(std::string& doing) const {
    if (!model_) {
        return FlatParams::shapesOf(data_.parameterShapes, data_.bufferShapes, experiment_.scalarType());
    }
    doing = "giving the parameters and their gradients a place on the device";
    if (environment_.device) environment_.device->prepare(experiment_.scalarType());
    return {model_->module(), experiment_.scalarType(), layout()};
}

FlatLayout WorkerLoop::layout() const {
    return flatLayoutOf(experiment_, environment_.device ? environment_.device->device() : at::Device(at::kCPU));
}

void WorkerLoop::chooseSamples() {
    if (experiment_.train.balances()) balance_.emplace(plan_, experiment_.train.rebalance);
    if (!experiment_.data.drawsSamples() || !model_ || !trains_) return;
    const auto trainer = static_cast<std::size_t>(roles_.trainerIndex(environment_.comm.rank()));
    sampler_.emplace(data_.shards[trainer], experiment_.data.samplerForm, experiment_.data.samplerFloor);
}

ChosenSamples WorkerLoop::chosenSamples() {
    ChosenSamples chosen{.batches = {}, .sampler = sampler_ ? &*sampler_ : nullptr};
    if (balance_) chosen.batches = [this](std::int64_t step) { return balance_->batchesOf(step); };
    return chosen;
}

StepDevice WorkerLoop::stepDevice(SamplePlaces::Placed train) {
    return {.device = environment_.device,
            .train = std::move(train),
            .capturePrevented = [this]() -> std::string {
                if (!context_.gradientFeed().hasListener()) return "";
                return experiment_.algorithmName + " listens to the backward pass";
            },
            .ownUpdate = ownUpdate_ ? experiment_.algorithmName : "",
            .note = [this](const std::string& text) { environment_.sink.state(RankState::Running, step(), text); }};
}

StepContext::Extras WorkerLoop::extras() {
    StepContext::Extras extras{.optimizer = optimizer_.get(),
                               .seed = static_cast<std::uint64_t>(experiment_.train.seed),
                               .metric = {},
                               .device = environment_.device,
                               .fixedBatches = experiment_.fixedBatches(plan_),
                               .stepsPerEpoch = plan_.stepsPerEpoch};
    // Time-only runs record no metrics of the algorithm; the spans hold everything.
    if (!experiment_.timeOnly())
        extras.metric = [this](std::string_view name, double v) {
            // A metric that is recorded before the optimiser has stepped belongs to the step under way.
            metric(name, v, shares_ ? step() : context_.step());
        };
    return extras;
}

void WorkerLoop::begin() {
    startTogether();
    environment_.sink.state(RankState::Running, 0, stage_ ? stage_->description() : "");
    recordWeights();
    recordSkipped();
    if (shares_) shares_->share(gradients_.totalSteps);
    evaluateFirst();
    algorithm_->start(context_);
}

void WorkerLoop::evaluateFirst() {
    if (shares_ && evaluations_) return executor_->run({SpanKind::Eval}, [this] { evaluate(); });
    evaluate();
}

void WorkerLoop::resumeFromCheckpoint() {
    if (!checkpoints_) throw std::runtime_error("a time-only run has no checkpoint to resume from; run it again");
    doing_ = "resuming from the checkpoint";
    context_.moveTo(firstStep_, 0);
    const Ns trained = restore();  // trained time of the rank that had trained longest
    setupBytes_ += environment_.comm.bytesSent();
    environment_.sink.state(RankState::Running, step_, "");
    checkpoints_->startResumed();
    // Training time is counted from here on, as from the first evaluation of a run that starts; start-up is not
    // training.
    if (reportsForRun() && trained > 0 && !hasUnboundedSkew())
        metric(metrics::kTrainedSeconds, static_cast<double>(trained) * 1e-9);
}

Ns WorkerLoop::restore() {
    const UntimedScope untimed(*executor_);
    Ns trained = 0;
    executor_->run({SpanKind::Checkpoint}, [&] {
        const RankCounters saved = checkpoints_->restore();
        step_ = saved.step;
        trainedBefore_ = saved.trained;
        setupBytes_ = -saved.bytesSent;
        if (experiment_.timeSimulated()) return environment_.clock.sleepUntil(saved.wall);
        trained = largestOfAll(environment_.comm, saved.trained);
        environment_.clock.sleepUntil(resumeInstant(environment_.comm, environment_.clock, 0));
    });
    return trained;
}

EvaluationBoard::KeepBest WorkerLoop::keepBest() {
    const auto& wanted = experiment_.train.checkpoint;
    if (!environment_.checkpoints || !wanted || !wanted->best) return nullptr;
    if (environment_.evaluations) return writeBestInto(environment_.checkpoints->place);
    return [this](std::int64_t step, Archive network) { checkpoints_->keepBest(step, std::move(network)); };
}

RankCounters WorkerLoop::counters() const {
    const Metric now = metricNow("");
    return {step_, now.bytesSent, now.wall, trainedUntil(now.wall), environment_.comm.collectives()};
}

void WorkerLoop::startTogether() {
    const UntimedScope untimed(*executor_);
    Pending weights = environment_.comm.broadcast(params_.weights(), Rank{0});
    weights.wait();
    // The sender of a broadcast need not wait for its receivers, so all ranks meet here.
    if (!experiment_.timeSimulated())
        environment_.clock.sleepUntil(resumeInstant(environment_.comm, environment_.clock, 0));
    setupBytes_ = environment_.comm.bytesSent();
}

double WorkerLoop::learningRate() const {
    const double factor = experiment_.schedule->factor(
        {.completed = step_, .total = plan_.totalSteps, .epochSteps = plan_.meanEpochSteps()});
    return rate_ * factor;
}

void WorkerLoop::serve() {
    context_.moveTo(step_ + 1, learningRate());
    ++step_;
    dynamic_cast<HasRoles&>(*algorithm_).serve(context_);
    executor_->flush();
    recordWeights();
}

void WorkerLoop::makeStep() {
    profiler_.beforeStep(step_ + 1);
    const double rate = learningRate();
    // Spans of a step carry the number that it will have when it is complete.
    context_.moveTo(step_ + 1, rate);
    descend(rate);
    context_.noteLoss(stage_ ? stage_->loss() : local_->loss());
    ++step_;
    doing_ = activity::kAlgorithm;
    algorithm_->afterStep(context_);
    if (balance_) balance_->afterStep(context_, step_);
    const Ns now = environment_.clock.now();
    executor_->stepDone(now);
    timing_.recordWindows();
    if (experiment_.timeOnly()) {
        timing_.stepMade(now);
        if (step_ == plan_.totalSteps) timing_.recordSteps();
        return;
    }
    recordWeights();
    // Only the last stage of a replica has a loss.
    if (context_.loss().defined()) {
        losses_.push(metricNow(metrics::kTrainLoss), laterValueOf(context_.loss(), environment_.device));
    }
    losses_.readReady([this](const Metric& loss) { recordLoss(loss); });
}

void WorkerLoop::descend(double rate) {
    if (balance_) return descendUnevenly(rate);
    if (stages_) {
        doing_ = "the passes of its stage";
        if (!stages_->makePasses(context_)) return;
    } else {
        passes(shares_ ? gradients_.batchOf(gradient_) : plan_.batchOf(step_ + 1), experiment_.train.batchSize);
    }
    doing_ = activity::kUpdate;
    algorithm_->afterBackward(context_);
    executor_->run({SpanKind::Update}, [&] { update(rate); });
}

void WorkerLoop::descendUnevenly(double rate) {
    const std::int64_t step = step_ + 1, batch = balance_->batchOf(environment_.comm.rank(), step);
    const double weight = balance_->weightOf(environment_.comm.rank(), step);
    if (experiment_.train.weigh == "samples") means_->setMeanWeight(weight);
    const Ns begin = environment_.clock.now();
    // Micro-batches keep to their size, for which there is memory; a single batch may be larger than it.
    passes(batch, experiment_.train.accumulate > 1 ? experiment_.train.batchSize : batch,
           means_->averagesGradientsOf(step) ? weight : 1);
    const Ns passed = environment_.clock.now() - begin;
    doing_ = activity::kUpdate;
    algorithm_->afterBackward(context_);
    const Ns updates = environment_.clock.now();
    executor_->run({SpanKind::Update}, [&] { update(rate); });
    balance_->made(batch, passed + environment_.clock.now() - updates);
}

void WorkerLoop::passes(std::int64_t batch, std::int64_t most, double weight) {
    for (std::int64_t before = 0; before < batch; before += most) {
        pass({.samples = std::min(most, batch - before), .before = before, .of = batch, .weight = weight});
    }
}

void WorkerLoop::pass(const MicroBatch& part) {
    const auto full = static_cast<double>(experiment_.train.batchSize);
    executor_->setBatchShare(static_cast<double>(part.samples) / full, !part.first());
    context_.gradientFeed().holdBack(!part.last());
    doing_ = activity::kLoading;
    if (hasData_) executor_->run({SpanKind::Data}, [&] { local_->load(part); });
    if (tables_) {
        doing_ = activity::kTables;
        tables_->beforeForward(context_, local_->batch(), part.samples);
    }
    doing_ = activity::kForward;
    if (experiment_.data.drawsSamples()) {
        executor_->run({SpanKind::Forward}, [&] { local_->learnNorms(); });
        executor_->setBatchShare(static_cast<double>(part.samples) / full, true);
    }
    executor_->run({.kind = SpanKind::Forward, .bytes = part.samples}, [&] { local_->forward(part); });
    doing_ = activity::kBackward;
    executor_->run({SpanKind::Backward}, [&] { local_->backward(); });
    if (!tables_) return;
    doing_ = activity::kTables;
    tables_->afterBackward(context_);
}

void WorkerLoop::update(double rate) {
    if (!ownUpdate_ && !stage_) return local_->update(rate);
    const at::NoGradGuard guard;
    if (stage_) return optimizer_->step(stage_->part(), rate);
    ownUpdate_->update(context_, *optimizer_);
}

void WorkerLoop::recordLoss(const Metric& loss) {
    environment_.sink.metric(loss);
    throwIfDiverged(loss, environment_.comm.rank());
}

void WorkerLoop::evaluate() {
    doing_ = activity::kEvaluation;
    losses_.readAll([this](const Metric& loss) { recordLoss(loss); });
    if (!evaluations_) return;
    Metric at = metricNow("");
    // A server of shared work evaluates, and sends all workers their weights: bytes for one worker, on average.
    if (shares_ && !trains_) at.bytesSent /= roles_.trainers();
    evaluations_->evaluate(at, step_ == plan_.totalSteps || (shares_ && shares_->isOver()));
}

void WorkerLoop::recordSkipped() {
    const auto skipped = data_.skipped();
    // Where work is shared, a server alone reads the test set.
    if (skipped && (trains_ || shares_)) metric(metrics::kSkippedFiles, static_cast<double>(*skipped));
}

void WorkerLoop::recordWeights() {
    if (weightNames_.empty()) return;
    // The one record that makes the host wait for a device in each step; it is meant for small models, and off by
    // default.
    FlatParams& own = ownParams();
    const at::Tensor weights = own.withoutPadding(own.weights()).to(torch::kFloat64).cpu();
    const auto* values = weights.const_data_ptr<double>();
    for (std::size_t i = 0; i < weightNames_.size(); ++i) metric(weightNames_[i], values[i]);
}

WorkerOutcome WorkerLoop::end(WorkerOutcome::Kind kind) {
    profiler_.end();
    executor_->trainingDone();
    if (checkpoints_ && kind == WorkerOutcome::Kind::Stopped && !shares_) {
        doing_ = activity::kCheckpoint;
        checkpoints_->save([this] { return counters(); }, CheckpointWriter::Pace::AtOnce);
    }
    // A server's only record in such a run, and with it what it has sent.
    if (experiment_.timeOnly() && !trains_) metric(metrics::kServedSteps, static_cast<double>(step()));
    algorithm_->drain(context_);
    executor_->flush();
    if (trains_) timing_.recordWindows();
    losses_.readAll([this](const Metric& loss) { recordLoss(loss); });
    const bool finished = kind == WorkerOutcome::Kind::Finished;
    // Before the evaluations beside training end: the other ranks are there already.
    const std::int64_t last = finished && evaluations_ ? evaluations_->takeModel(step()) : step();
    if (evaluations_) evaluations_->finish();
    if (trains_) {
        timing_.recordSteps();
        timing_.recordTimed();
    }
    recordSkipped();
    const std::string lost = saveResult(finished, last);
    environment_.sink.state(finished ? RankState::Finished : RankState::Stopped, last, lost);
    return {.kind = kind, .step = last, .error = lost};
}

std::string WorkerLoop::saveResult(bool finished, std::int64_t step) {
    if (!checkpoints_) return "";
    doing_ = activity::kCheckpoint;
    std::string lost = checkpoints_->finish(step);
    const std::string model = finished && reportsForRun() ? checkpoints_->writeModel(step) : "";
    if (!model.empty()) lost += (lost.empty() ? "" : "; ") + model;
    return lost;
}

void WorkerLoop::metric(std::string_view name, double value, std::int64_t step) {
    Metric metric = metricNow(name, step);
    metric.value = value;
    environment_.sink.metric(metric);
}

Metric WorkerLoop::metricNow(std::string_view name, std::int64_t step) const {
    return {.name = name,
            .step = step,
            .epoch = shares_ ? gradients_.epochAfter(gradientsSoFar()) : plan_.epochAfter(step),
            .wall = environment_.clock.now(),
            .samples = shares_ ? gradients_.samplesAfter(gradientsSoFar()) : plan_.samplesAfter(step),
            .bytesSent = environment_.comm.bytesSent() - untimedBytes()};
}

std::int64_t WorkerLoop::untimedBytes() const {
    return setupBytes_ + (evaluations_ ? evaluations_->bytesSent() : 0) +
           (checkpoints_ ? checkpoints_->bytesSent() : 0);
}

bool WorkerLoop::hasUnboundedSkew() const {
    return shares_ || algorithm_->hasUnboundedSkew({.steps = plan_.totalSteps, .ranks = environment_.comm.size()});
}

}  // namespace dasgd
