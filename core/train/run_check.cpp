#include "core/train/run_check.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/algorithms/extensions.h"
#include "core/experiment/plan_experiment.h"
#include "core/models/sample_losses.h"
#include "core/train/data/training_data.h"
#include "core/train/device/device_check.h"
#include "core/train/steps/measure_step.h"

namespace dasgd {

namespace {

// Beginning of a message: the position of "section.key" in the document, else that of the section, else nothing.
std::string placeOfKey(const Value& document, const std::string& path) {
    const auto dot = path.find('.');
    const Value* section = document.find(path.substr(0, dot));
    if (!section || !section->isTable()) return "";
    const Value* value = section->find(path.substr(dot + 1));
    return (value ? value->position() : section->position()).prefix();
}

Status refuseKey(const Value& document, const std::string& path, const std::string& message) {
    return fail(placeOfKey(document, path) + message);
}

bool decaysWeights(const Experiment& experiment) {
    const Value* decay = experiment.resolved.find("optimizer")->find("weight_decay");
    return decay && *decay->as<double>() > 0;
}

Status checkAlgorithm(const Value& document, const Experiment& experiment, const Plan& plan) {
    const RunOutline facts{.workers = static_cast<int>(experiment.cluster.workers),
                           .steps = plan.totalSteps,
                           .batch = experiment.train.samplesPerStep(),
                           .microBatches = experiment.train.accumulate,
                           .model = experiment.modelName,
                           .backend = experiment.cluster.backend,
                           .onGpus = experiment.layout.onGpus,
                           .byFormula = experiment.timeSimulated() && experiment.network.fidelity == "formula",
                           .clips = experiment.train.gradientClip > 0,
                           .layerwise = OptimizerRegistry::find(experiment.optimizerName)->traits.layerwise,
                           .optimizerState = experiment.makeOptimizer()->stateTensors(),
                           .decaysWeights = decaysWeights(experiment),
                           .fixedBatches = experiment.fixedBatches(plan),
                           .sharesWork = experiment.sharesWork(),
                           .tables = experiment.model->naturalInput().categories.features,
                           .parameterShapes = plan.parameterShapes,
                           .elementBytes = static_cast<std::int64_t>(c10::elementSize(experiment.scalarType())),
                           .hostBytes = memoryOfHost()};
    const auto broken = experiment.makeAlgorithm()->check(facts);
    if (!broken) return {};
    const bool own = broken->field.find('.') == std::string::npos;
    return refuseKey(document, own ? "algorithm." + broken->field : broken->field, broken->message);
}

Status checkOptimizer(const Value& document, const Experiment& experiment, const Plan& plan) {
    if (!OptimizerRegistry::find(experiment.optimizerName)->traits.needsHiddenMatrices || plan.hiddenMatrices > 0) {
        return {};
    }
    return refuseKey(document, "optimizer.name",
                     experiment.optimizerName + " is made for the matrices of hidden layers, and " +
                         experiment.modelName +
                         " has none between those of its input and its output: choose a deeper model, or another "
                         "optimizer, as \"adamw\"");
}

Status checkCompression(const Value& document, const Experiment& experiment, const Plan& plan) {
    if (!experiment.compression) return {};
    const auto refuse = [&](const FieldError& broken) {
        const bool own = broken.field.find('.') == std::string::npos;
        return refuseKey(document, own ? "compression." + broken.field : broken.field, broken.message);
    };
    if (experiment.layout.onGpus) {
        return refuse({"name",
                       "messages are coded on the host, and these ranks compute on GPUs: choose backend = \"gloo\", "
                       "\"threads\" or \"virtual\", or remove [compression]"});
    }
    const auto algorithm = experiment.makeAlgorithm();
    const auto& exchanges = dynamic_cast<CompressesExchanges&>(*algorithm);
    const Compressor& compressor = *experiment.compression->compressor;
    if (compressor.properties().forPairs && !exchanges.exchangesPairs()) {
        return refuse({"name", experiment.compression->name +
                                   " is read by one partner with nearly the same weights, and " +
                                   experiment.algorithmName +
                                   " exchanges nothing in pairs: use it with swarm_sgd, or choose another operator, as "
                                   "int"});
    }
    if (const auto broken = compressor.check(plan.parameterShapes)) return refuse(*broken);
    if (const auto broken = exchanges.checkCompression(*experiment.compression)) return refuse(*broken);
    const Value* momentum = experiment.resolved.find("optimizer")->find("momentum");
    if (compressor.properties().ownMomentum && momentum && *momentum->as<double>() > 0) {
        return refuse({document.find("optimizer") ? "optimizer.momentum" : "name",
                       experiment.compression->name +
                           " holds gradients back, and a momentum has to act on them before: set momentum = 0 in "
                           "[optimizer], and compression.momentum in its place"});
    }
    return {};
}

// Refuses shared work where the algorithm or the data cannot have it, and what needs ranks with equal numbers of steps.
Status checkSharedWork(const Value& document, const Experiment& experiment, const Plan& plan) {
    if (!experiment.sharesWork()) return {};
    const auto refuse = [&](const std::string& why, const char* key = "train.work") {
        return refuseKey(document, key, "the workers share the work (train.work): " + why);
    };
    if (dynamic_cast<SharesWork*>(experiment.makeAlgorithm().get()) == nullptr) {
        return refuse(experiment.algorithmName +
                      " makes equal steps on all workers: choose an algorithm with a parameter server, as async_sgd");
    }
    if (plan.hasBuffers && !experiment.timeOnly()) {
        return refuse(
            experiment.modelName +
                " has running statistics, which the workers have and the server that is evaluated has not: choose "
                "a model without them",
            "model.name");
    }
    if (experiment.dataset && experiment.dataset->isContinuous(experiment.model->naturalInput())) {
        return refuse("every sample is drawn once by all workers together, and each reads its own part of " +
                          experiment.dataName +
                          " in order: choose other data, or an algorithm with train.work = \"steps\"",
                      "data.name");
    }
    const bool dealt = experiment.partition.kind == PartitionSpec::Kind::Iid && experiment.data.shuffle != "shard";
    if (plan.trainSamples > 0 && !dealt) {
        return refuse(
            "every sample of an epoch is drawn once by all workers together, and with this partition or shuffle = "
            "\"shard\" each worker has samples of its own: set partition = \"iid\" and shuffle = \"global\" in [data]",
            "data.partition");
    }
    if (experiment.train.checkpoint) {
        return refuse("its runs cannot be resumed yet: remove train.checkpoint", "train.checkpoint");
    }
    if (experiment.record.profile) {
        return refuse("record.profile names steps that all ranks make: remove it", "record.profile");
    }
    return {};
}

// Refuses batches of unequal size where the algorithm, the model or the data cannot have them.
Status checkBalance(const Value& document, const Experiment& experiment, const Plan& plan) {
    if (!experiment.train.balances()) return {};
    const auto refuse = [&](const std::string& why, const char* key = "train.balance") {
        return refuseKey(document, key, "balance = \"" + experiment.train.balance + "\": " + why);
    };
    const std::unique_ptr<Algorithm> algorithm = experiment.makeAlgorithm();
    const int workers = static_cast<int>(experiment.cluster.workers);
    if (experiment.sharesWork()) {
        return refuse("workers that share the work (train.work) make steps at their own pace already: remove it");
    }
    if (experiment.cluster.stages > 1) {
        return refuse("the stages of a replica train on the same samples: remove it, or set stages = 1 in [cluster]");
    }
    if (experiment.roles().trainers() < workers) {
        return refuse(experiment.algorithmName +
                      " has ranks that serve, and a server adds up equal batches: choose an algorithm in which all "
                      "ranks train, as sync_sgd");
    }
    const auto* means = dynamic_cast<const MeansOfUnevenBatches*>(algorithm.get());
    if (!means || algorithm->hasUnboundedSkew({.steps = plan.totalSteps, .ranks = workers})) {
        return refuse(experiment.algorithmName +
                      " forms no mean over ranks that wait for each other, or one that needs equal batches: choose "
                      "another algorithm, as sync_sgd, local_sgd or dasgd, or remove it");
    }
    if (experiment.compression && experiment.compression->compressor->properties().votes) {
        return refuse(
            "a vote counts the sign of each worker's gradient, whatever its samples: set vote = false in "
            "[compression]");
    }
    if (experiment.train.weigh == "samples" && !means->weighsRanks()) {
        return refuse(experiment.compression
                          ? "compressed averages of weights count all workers alike: leave weigh out, or remove "
                            "[compression]"
                          : experiment.algorithmName +
                                " forms no mean of weights in which workers could count by their samples: leave weigh "
                                "out (means of gradients always go by samples)",
                      "train.weigh");
    }
    if (experiment.layout.onGpus) {
        return refuse("the rates of GPUs are not measured: choose backend = \"gloo\", \"threads\" or \"virtual\"",
                      "cluster.backend");
    }
    if (experiment.timeOnly()) return {};
    if (!experiment.dataset) {
        return refuse("it divides the samples of a step, and the model " + experiment.modelName + " needs none");
    }
    const bool dealt = experiment.partition.kind == PartitionSpec::Kind::Iid && experiment.data.shuffle != "shard";
    if (dealt) return {};
    return refuse(
        "the samples of a step are divided anew among all workers, and with this partition or shuffle = \"shard\" each "
        "has samples of its own: set partition = \"iid\" and shuffle = \"global\" in [data]",
        "data.partition");
}

Status checkSampler(const Value& document, const Experiment& experiment) {
    if (!experiment.data.drawsSamples() || experiment.timeOnly()) return {};
    const auto refuse = [&](const std::string& why, const char* key) {
        return refuseKey(document, key, "sampler = \"" + experiment.data.sampler + "\": " + why);
    };
    if (dynamic_cast<const HasGradientNorms*>(experiment.model.get()) == nullptr) {
        return refuse(experiment.modelName +
                          " does not know the norm of each sample's gradient: choose logistic or linear_svm, or "
                          "sampler = \"passes\"",
                      "model.name");
    }
    if (experiment.sharesWork() || experiment.train.balances()) {
        return refuse("each worker draws from samples of its own, and with " +
                          std::string(experiment.sharesWork() ? "train.work" : "train.balance") +
                          " they divide those of all: remove one of the two",
                      experiment.sharesWork() ? "train.work" : "train.balance");
    }
    if (experiment.layout.onGpus) {
        return refuse(
            "samples are drawn on the host, and these ranks compute on GPUs: choose backend = \"gloo\", "
            "\"threads\" or \"virtual\"",
            "cluster.backend");
    }
    return {};
}

Status checkStraggler(const Value& document, const Experiment& experiment) {
    const auto& straggler = experiment.compute.straggler;
    if (!experiment.timeSimulated() || !straggler) return {};
    const std::int64_t workers = experiment.cluster.workers;
    const auto beyond = std::ranges::find_if(straggler->ranks, [&](std::int64_t rank) { return rank >= workers; });
    if (beyond == straggler->ranks.end()) return {};
    const Value* given = document.find("compute")->find("straggler")->find("ranks");
    return given->error("straggler.ranks names rank " + std::to_string(*beyond) + "; with " + std::to_string(workers) +
                        " workers the ranks are 0 to " + std::to_string(workers - 1));
}

// Refuses a batch that would hold a sample twice; passes over a worker's part may follow one another within a step.
Status checkBatch(const Value& document, const Experiment& experiment, const Plan& plan) {
    if (plan.trainSamples == 0 || experiment.timeOnly()) return {};
    const bool passesJoin =
        experiment.sharesWork() ? planGradients(experiment, plan.trainSamples).passesJoin : plan.passesJoin;
    if (!passesJoin) return {};
    const TrainParams& train = experiment.train;
    const bool beyondAll = train.samplesPerStep() > plan.trainSamples;
    std::string text = "batch_size is " + std::to_string(train.batchSize);
    if (train.accumulate > 1) {
        text.append(", with accumulate ").append(std::to_string(train.samplesPerStep())).append(" samples a step,");
    }
    if (beyondAll) {
        text.append(" and the training set of ").append(experiment.dataName).append(" has ");
        text.append(std::to_string(plan.trainSamples)).append(" samples");
    } else {
        text.append(" and each of ").append(std::to_string(plan.workers)).append(" workers has ");
        text.append(std::to_string(plan.epochSamples)).append(" of the ").append(std::to_string(plan.trainSamples));
        text.append(" samples of ").append(experiment.dataName);
    }
    text.append(": choose at most that many");
    if (!beyondAll) text.append(", or a step would take some of them twice");
    return refuseKey(document, "train.batch_size", text);
}

// Refuses settings that depend on evaluations where nothing is trained, since there are none.
Status checkEvaluated(const Value& document, const Experiment& experiment) {
    if (!experiment.timeOnly()) return {};
    const TrainParams& train = experiment.train;
    for (const auto& [key, given] :
         {std::pair("train.patience", train.patience > 0), std::pair("train.target_accuracy", train.targetAccuracy > 0),
          std::pair("train.target_loss", train.targetLoss > 0)}) {
        if (!given) continue;
        return refuseKey(document, key,
                         std::string(key) +
                             " has nothing to judge: with mode = \"time-only\" in [compute] nothing is "
                             "trained");
    }
    return {};
}

// Refuses record.profile where it cannot work: LibTorch has one profiler a process, and a simulated run has no
// operators of a rank's own.
Status checkProfile(const Value& document, const Experiment& experiment, const Plan& plan) {
    const auto& profile = experiment.record.profile;
    if (!profile) return {};
    if (experiment.record.trace != "full") {
        return refuseKey(document, "record.profile",
                         "profile records spans: it takes trace = \"full\", not \"" + experiment.record.trace + "\"");
    }
    if (experiment.timeSimulated() || !experiment.layout.isProcessARank()) {
        return refuseKey(document, "record.profile",
                         "profile takes a backend whose ranks are processes of their own, as gloo's are; those of " +
                             experiment.cluster.backend + " share one");
    }
    if (profile->last() <= plan.totalSteps) return {};
    return refuseKey(document, "record.profile",
                     "profile covers the steps " + std::to_string(profile->first) + " to " +
                         std::to_string(profile->last()) + ", and the run has " + std::to_string(plan.totalSteps));
}

}  // namespace

Status checkRun(const Value& document, const Experiment& experiment, const Plan& plan) {
    DASGD_TRY(checkDeviceSettings(document, experiment));
    DASGD_TRY(checkEvaluated(document, experiment));
    DASGD_TRY(checkSampler(document, experiment));
    DASGD_TRY(checkSharedWork(document, experiment, plan));
    DASGD_TRY(checkBalance(document, experiment, plan));
    DASGD_TRY(checkBatch(document, experiment, plan));
    DASGD_TRY(checkAlgorithm(document, experiment, plan));
    DASGD_TRY(checkOptimizer(document, experiment, plan));
    DASGD_TRY(checkCompression(document, experiment, plan));
    DASGD_TRY(checkStraggler(document, experiment));
    DASGD_TRY(checkProfile(document, experiment, plan));
    if (experiment.record.weights && experiment.timeOnly()) {
        return refuseKey(document, "record.weights",
                         "there are no weights to record: with mode = \"time-only\" in [compute] nothing is trained");
    }
    return {};
}

Status checkStepTime(const Value& document, const Experiment& experiment) {
    if (!experiment.timeSimulated() || !experiment.compute.ofDevice()) return {};
    DASGD_ASSIGN(const TrainingData data, loadTrainingData(experiment));
    if (const auto times = stepTimesOf(experiment, data); !times) {
        return refuseKey(document, "compute.step_time", times.error().message);
    }
    return {};
}

}  // namespace dasgd
