#include "core/experiment/experiment.h"

#include <algorithm>
#include <string_view>

#include "core/algorithms/extensions.h"
#include "core/base/check.h"
#include "core/base/schema/input_file.h"
#include "core/base/schema/units.h"
#include "core/base/text/code_points.h"
#include "core/experiment/algorithm_names.h"
#include "core/experiment/shared_fields.h"
#include "core/experiment/stages_check.h"
#include "core/optimizers/clipped_optimizer.h"
#include "core/sim/network/platform.h"

namespace dasgd {

namespace {

constexpr std::size_t kMaxNameBytes = 200;

const std::vector<std::string> kNameOnly{"name"};
const std::vector<std::string> kDocumentKeys{"name",    "algorithm", "graph",     "compression", "model",
                                             "data",    "train",     "optimizer", "schedule",    "cluster",
                                             "network", "compute",   "faults",    "record"};

// A section that only some algorithms read.
struct OptionalSection {
    std::string name;
    bool (*isReadBy)(const Algorithm&);
};
const std::vector<OptionalSection> kOptionalSections{
    {"graph", [](const Algorithm& algorithm) { return dynamic_cast<const MixesOverGraph*>(&algorithm) != nullptr; }},
    {"compression",
     [](const Algorithm& algorithm) { return dynamic_cast<const CompressesExchanges*>(&algorithm) != nullptr; }}};

std::vector<std::string> sectionsOf(const std::string& algorithm, bool read) {
    const auto* entry = AlgorithmRegistry::find(algorithm);
    if (!entry) return {};
    const auto made = entry->create(Value(Value::Table{}), {});
    std::vector<std::string> names;
    for (const OptionalSection& section : kOptionalSections) {
        if (made && section.isReadBy(**made) == read) names.push_back(section.name);
    }
    return names;
}

Status checkName(const Value& value, const std::string& name) {
    if (!name.empty() && name.size() <= kMaxNameBytes && !hasHidden(name)) return {};
    return value.error("name must have 1 to " + std::to_string(kMaxNameBytes) +
                       " bytes and no control characters, nor any that change the direction of text or have no width");
}

// The section's table; an empty one, at the document's place, where the section is absent.
Result<Value> sectionOf(const Value& document, std::string_view section) {
    const Value* found = document.find(section);
    if (!found) return Value(Value::Table{}, document.position());
    if (found->isTable()) return *found;
    return found->error(std::string(section) + " must be a table, as [" + std::string(section) + "], found " +
                        std::string(found->typeName()));
}

// Name of the plug-in that a section asks for. An empty `fallback`: there is no default.
template <class T>
Result<std::string> pluginName(const Value& section, std::string_view kind, std::string_view fallback) {
    const Value* value = section.find("name");
    if (!value && !fallback.empty()) return std::string(fallback);
    const std::vector<std::string> names = Registry<T>::names();
    const std::string available = listOf(names);
    if (!value) {
        return section.error("the experiment names no " + std::string(kind) + ": add [" + std::string(kind) +
                             "] with name = \"…\", one of " + available);
    }
    const std::string* name = value->as<std::string>();
    if (!name) return value->error("name must be a string, found " + std::string(value->typeName()));
    if (Registry<T>::find(*name)) return *name;
    const std::string* near = detail::nearestName(*name, names);
    return value->error("unknown " + std::string(kind) + " '" + *name + "'" +
                        (near ? "; did you mean '" + *near + "'?" : ".") + " Available: " + available);
}

template <class T>
std::unique_ptr<T> make(const std::string& name, const Value& table, const std::vector<std::string>& alsoKnown) {
    auto plugin = Registry<T>::find(name)->create(table, alsoKnown);
    DASGD_CHECK(plugin && "the table was checked before");
    return std::move(*plugin);
}

// One section that names a plug-in: its object, its source and, into `resolved`, every field written out.
template <class T>
struct PluginSection {
    std::string name;
    Value table;
    std::unique_ptr<T> plugin;
};

template <class T>
Result<PluginSection<T>> readPlugin(const Value& document, std::string_view kind, std::string_view fallback,
                                    const std::vector<std::string>& alsoKnown, Value& resolved) {
    PluginSection<T> section;
    DASGD_ASSIGN(section.table, sectionOf(document, kind));
    DASGD_ASSIGN(section.name, pluginName<T>(section.table, kind, fallback));
    const auto* entry = Registry<T>::find(section.name);
    DASGD_ASSIGN(section.plugin, entry->create(section.table, alsoKnown));
    DASGD_ASSIGN(const Value fields, entry->resolve(section.table, alsoKnown));
    Value table;
    table.set("name", Value(section.name));
    for (const auto& [key, value] : *fields.as<Value::Table>()) table.set(key, value);
    resolved.set(kind, std::move(table));
    return section;
}

template <Visitable P>
Status readSection(const Value& document, std::string_view section, P& out) {
    DASGD_ASSIGN(const Value table, sectionOf(document, section));
    return readFields(table, out);
}

// Sets the default of `shuffle`: a global shuffle would undo any partition but iid, so there each shard is shuffled.
Status settleShuffle(const Value& table, Experiment& experiment) {
    DataParams& data = experiment.data;
    if (experiment.partition.kind == PartitionSpec::Kind::Iid || data.shuffle != "global") return {};
    if (const Value* given = table.find("shuffle")) {
        return given->error(
            "shuffle = \"global\" deals the whole training set out to all workers each epoch, which "
            "undoes partition = \"" +
            data.partition + "\"; choose shuffle = \"shard\" or \"none\", or partition = \"iid\"");
    }
    data.shuffle = "shard";
    return {};
}

// Sets the order of a sampler that draws: each worker draws from its own shard.
Status settleSampler(const Value& table, Experiment& experiment) {
    if (!experiment.data.drawsSamples()) return {};
    const auto refuse = [&](const char* key, const std::string& why) {
        return table.find(key)->error("sampler = \"" + experiment.data.sampler + "\" " + why);
    };
    if (experiment.dataset->isContinuous(experiment.model->naturalInput())) {
        return refuse("sampler", "draws samples, and those of " + experiment.dataName +
                                     " follow one another: choose other data, or sampler = \"passes\"");
    }
    if (table.find("shuffle") && experiment.data.shuffle != "shard") {
        return refuse("shuffle",
                      "draws from a shard that each worker keeps: leave shuffle out, or set shuffle = \"shard\"");
    }
    experiment.data.shuffle = "shard";
    return {};
}

// Refuses settings that would break the order of continuous data, such as text: training goes through them in order.
Status settleContinuous(const Value& table, Experiment& experiment) {
    if (!experiment.dataset->isContinuous(experiment.model->naturalInput())) return {};
    DataParams& data = experiment.data;
    const auto refuse = [&](const char* key, const std::string& needed) {
        return table.find(key)->error("the samples of " + experiment.dataName + " follow one another: leave " + key +
                                      " out, or set " + key + " = " + needed);
    };
    if (table.find("partition") && data.partition != "contiguous") return refuse("partition", "\"contiguous\"");
    if (table.find("shuffle") && data.shuffle != "none") return refuse("shuffle", "\"none\"");
    if (table.find("drop_last") && !data.dropLast) return refuse("drop_last", "true");
    data.partition = "contiguous";
    data.shuffle = "none";
    data.dropLast = true;
    return {};
}

Status readData(const Value& document, Experiment& experiment) {
    if (experiment.model->naturalInput().shape.empty()) {
        const Value* data = document.find("data");
        if (!data) return {};
        return fail(data->keyPosition().prefix() + "the model '" + experiment.modelName +
                    "' needs no data: remove [data]");
    }
    DASGD_ASSIGN(const Value table, sectionOf(document, "data"));
    experiment.dataTable = table;
    std::vector<std::string> shared = fieldNames<DataParams>();
    shared.emplace_back("name");
    DASGD_ASSIGN(auto section, readPlugin<Dataset>(document, "data", kDefaultData, shared, experiment.resolved));
    experiment.dataName = section.name;
    experiment.dataset = std::move(section.plugin);
    DASGD_TRY(readFields(commonPart<DataParams>(table), experiment.data));
    DASGD_TRY(settleContinuous(table, experiment));
    DASGD_ASSIGN(experiment.partition, PartitionSpec::parse(experiment.data.partition));
    DASGD_TRY(settleSampler(table, experiment));
    DASGD_TRY(settleShuffle(table, experiment));
    const Value common = writeFields(experiment.data);
    for (const auto& [key, value] : *common.as<Value::Table>()) experiment.resolved.find("data")->set(key, value);
    return {};
}

Status readGraph(const Value& document, const Algorithm& algorithm, Experiment& experiment) {
    const auto* mixes = dynamic_cast<const MixesOverGraph*>(&algorithm);
    const Value* given = document.find("graph");
    if (!mixes && given) {
        return fail(given->keyPosition().prefix() + experiment.algorithmName +
                    " mixes over no graph: remove [graph], or choose an algorithm of gossip, as gossip_sgd");
    }
    if (!mixes) return {};
    DASGD_ASSIGN(auto graph,
                 readPlugin<Graph>(document, "graph", mixes->defaultGraph(), kNameOnly, experiment.resolved));
    const Value* path = graph.table.find("path");
    const auto recorded = graph.plugin->open(folderOfNames(document, path));
    if (!recorded) return (path ? *path : graph.table).error(recorded.error().message);
    for (const auto& [key, value] : *recorded) experiment.resolved.find("graph")->set(key, value);
    experiment.graphName = std::move(graph.name);
    experiment.graph = std::move(graph.plugin);
    return {};
}

Status readCompression(const Value& document, const Algorithm& algorithm, Experiment& experiment) {
    DASGD_ASSIGN(const Value table, sectionOf(document, "compression"));
    const Value* name = table.find("name");
    if (!document.find("compression") || !name ||
        (name->as<std::string>() && *name->as<std::string>() == kNoCompression)) {
        for (const auto& [key, value] : *table.as<Value::Table>()) {
            if (key != "name")
                return value.error("nothing is compressed, so that " + key + " has no effect: give name");
        }
        return {};
    }
    const auto* compresses = dynamic_cast<const CompressesExchanges*>(&algorithm);
    if (!compresses) {
        const auto* uncoded = dynamic_cast<const SendsUncoded*>(&algorithm);
        const std::string why = uncoded ? uncoded->whyUncoded()
                                        : "does not compress what it sends: remove [compression], or choose one of " +
                                              algorithmsWith<CompressesExchanges>();
        return fail(document.find("compression")->keyPosition().prefix() + experiment.algorithmName + " " + why);
    }
    std::vector<std::string> shared = fieldNames<CompressionParams>();
    shared.emplace_back("name");
    DASGD_ASSIGN(auto section, readPlugin<Compressor>(document, "compression", "", shared, experiment.resolved));
    CompressionSettings settings{.name = section.name, .compressor = std::move(section.plugin)};
    const Compressor::Properties properties = settings.compressor->properties();
    const bool copies = compresses->keepsPublicCopies();
    settings.params.errorFeedback = properties.feedback && !copies;
    settings.params.rescaleError = properties.rescales && !copies;
    DASGD_TRY(readFields(commonPart<CompressionParams>(table), settings.params));
    if (!copies) {
        if (const auto refused = settleScheme(*settings.compressor, settings.params)) {
            const Value* given = table.find(refused->field);
            return (given ? *given : table).error(refused->message);
        }
    }
    const Value common = writeFields(settings.params);
    for (const auto& [key, value] : *common.as<Value::Table>()) {
        experiment.resolved.find("compression")->set(key, value);
    }
    experiment.compression = std::make_shared<const CompressionSettings>(std::move(settings));
    return {};
}

// Sets the work of an algorithm whose workers share it whatever they are told.
Status settleWork(Experiment& experiment) {
    const auto algorithm = experiment.makeAlgorithm();
    const auto* shares = dynamic_cast<const SharesWork*>(algorithm.get());
    if (!shares || !shares->alwaysShares()) return {};
    const Value* given = experiment.trainTable.find("work");
    if (given && !experiment.train.isShared()) {
        return given->error("the workers of " + experiment.algorithmName +
                            " make unequal numbers of steps: leave work out, or set work = \"shared\"");
    }
    experiment.train.work = "shared";
    return {};
}

// Checks the settings of [train] whose validity depends on the data.
Status checkTraining(const Value& document, const Experiment& experiment) {
    const TrainParams& train = experiment.train;
    const auto refuse = [&](const char* key, const std::string& why) {
        return document.find("train")->find(key)->error(key + why);
    };
    const std::string& model = experiment.modelName;
    if (train.labelSmoothing > 0 && !experiment.dataset) {
        return refuse("label_smoothing", " spreads the targets of samples, and the model '" + model + "' has none");
    }
    if (train.targetAccuracy > 0 &&
        (!experiment.dataset || experiment.model->naturalInput().task == Task::kRegression)) {
        return refuse("target_accuracy", " cannot be reached: the model '" + model +
                                             "' classifies nothing; give "
                                             "target_loss");
    }
    if (train.patience > 0 && experiment.data.validation == 0) {
        return refuse("patience", " counts evaluations on a validation set: set validation in [data], as 0.1");
    }
    if (train.checkpoint && train.checkpoint->best && experiment.data.validation == 0) {
        return refuse("checkpoint", ".best is chosen on a validation set: set validation in [data], as 0.1");
    }
    return {};
}

Status openNetwork(const Value& document, const Value& section, Experiment& experiment) {
    DASGD_ASSIGN(experiment.networkFile, openNetworkFile(*experiment.topology, document, section));
    if (!experiment.networkFile) return {};
    // A run reads its own copy of the file (storage/format.md), and so does a run that is made from its record.
    Value& resolved = *experiment.resolved.find("network");
    resolved.set("file", Value("artefacts/" + experiment.networkFile->path.filename().string()));
    resolved.set("checksum", Value(experiment.networkFile->checksum));
    return {};
}

// The record keeps -1, so that the same document with another train.seed draws other times.
void giveSeedOfRun(std::int64_t& seed, const Experiment& experiment) {
    if (seed < 0) seed = experiment.train.seed;
}

Status readFaults(const Value& document, Experiment& experiment) {
    if (!document.find("faults")) return {};
    DASGD_TRY(readSection(document, "faults", experiment.faults.emplace()));
    if (const auto wrong = experiment.faults->checkRanks(static_cast<int>(experiment.cluster.workers))) {
        return document.find("faults")->find(wrong->field)->error(wrong->message);
    }
    experiment.resolved.set("faults", writeFields(*experiment.faults));
    giveSeedOfRun(experiment.faults->seed, experiment);
    return {};
}

Status readSimulated(const Value& document, Experiment& experiment) {
    if (!experiment.timeSimulated()) return {};
    std::vector<std::string> shared = fieldNames<NetworkParams>();
    shared.emplace_back("name");
    DASGD_ASSIGN(auto section, readPlugin<Topology>(document, "network", kDefaultNetwork, shared, experiment.resolved));
    experiment.topologyName = section.name;
    experiment.topology = std::move(section.plugin);
    DASGD_TRY(readFields(commonPart<NetworkParams>(section.table), experiment.network));
    const Value common = writeFields(experiment.network);
    for (const auto& [key, value] : *common.as<Value::Table>()) experiment.resolved.find("network")->set(key, value);
    DASGD_TRY(openNetwork(document, section.table, experiment));
    const int ranks = static_cast<int>(experiment.cluster.workers);
    for (const Status& fits :
         {experiment.topology->check(ranks), checkAllReduce(experiment.network.allReduce(), ranks)}) {
        if (!fits) return section.table.error(fits.error().message);
    }
    DASGD_TRY(readSection(document, "compute", experiment.compute));
    experiment.compute.fillInDevice();
    experiment.resolved.set("compute", writeFields(experiment.compute));
    giveSeedOfRun(experiment.compute.seed, experiment);
    if (experiment.network.background) giveSeedOfRun(experiment.network.background->seed, experiment);
    return readFaults(document, experiment);
}

Status readCluster(const Value& document, Experiment& experiment) {
    DASGD_ASSIGN(const Value table, sectionOf(document, "cluster"));
    DASGD_ASSIGN(ClusterSection section, readClusterSection(table));
    experiment.cluster = std::move(section.params);
    experiment.backend = std::move(section.backend);
    experiment.resolved.set("cluster", std::move(section.resolved));
    experiment.layout = experiment.backend->layout(experiment.cluster.ranks());
    DASGD_TRY(experiment.backend->check(document, experiment.cluster));
    return readSimulated(document, experiment);
}

Status checkTimeOnly(const Experiment& experiment) {
    if (experiment.timeOnly() || !experiment.makeAlgorithm()->isTimeOnly()) return {};
    return experiment.algorithmTable.error(
        experiment.algorithmName +
        " knows only how long training takes, not how it goes: set backend = \"virtual\" in [cluster] and mode = "
        "\"time-only\" in [compute]");
}

Status checkRoles(const Experiment& experiment) {
    if (experiment.roles().trainers() > 0) return {};
    return experiment.algorithmTable.error(experiment.algorithmName + " leaves none of " +
                                           std::to_string(experiment.cluster.workers) +
                                           " ranks to train; set more workers in [cluster]");
}

Status readName(const Value& document, Experiment& experiment) {
    experiment.name = experiment.algorithmName + "-" + experiment.modelName;
    const Value* value = document.find("name");
    if (!value) return {};
    const std::string* name = value->as<std::string>();
    if (!name) return value->error("name must be a string, found " + std::string(value->typeName()));
    experiment.name = *name;
    return checkName(*value, *name);
}

Status checkKeys(const Value& document) {
    for (const auto& [key, value] : *document.as<Value::Table>()) {
        if (std::find(kDocumentKeys.begin(), kDocumentKeys.end(), key) == kDocumentKeys.end()) {
            return detail::unknownKey(value, key, kDocumentKeys);
        }
    }
    return {};
}

}  // namespace

// Reads the fields that all backends share, then those of the backend that is named.
Result<ClusterSection> readClusterSection(const Value& table) {
    ClusterSection section;
    DASGD_TRY(readFields(commonPart<ClusterParams>(table), section.params));
    const auto* entry = BackendRegistry::find(section.params.backend);
    const std::vector<std::string> shared = fieldNames<ClusterParams>();
    DASGD_ASSIGN(section.backend, entry->create(table, shared));
    section.resolved = writeFields(section.params);
    DASGD_ASSIGN(const Value own, entry->resolve(table, shared));
    for (const auto& [key, value] : *own.as<Value::Table>()) section.resolved.set(key, value);
    return section;
}

std::optional<FieldError> TrainParams::check() const {
    if (epochs > 0 && steps > 0) return FieldError{"steps", "epochs and steps are both given; keep one of them"};
    if (targetAccuracy > 0 && targetLoss > 0) {
        return FieldError{"target_loss", "target_accuracy and target_loss are both given; keep one of them"};
    }
    if (stopAtTarget && targetAccuracy == 0 && targetLoss == 0) {
        return FieldError{"stop_at_target", "stop_at_target needs target_accuracy or target_loss"};
    }
    if (minDelta > 0 && patience == 0) return FieldError{"min_delta", "min_delta needs patience"};
    if (weigh == "samples" && !balances()) {
        return FieldError{"weigh", "weigh = \"samples\" is of batches of unequal size: set balance = \"rate\""};
    }
    return std::nullopt;
}

std::optional<FieldError> DataParams::check() const {
    if (const auto parsed = PartitionSpec::parse(partition); !parsed) {
        return FieldError{"partition", parsed.error().message};
    }
    return std::nullopt;
}

std::vector<std::string> sectionsReadBy(const std::string& name) { return sectionsOf(name, true); }
std::vector<std::string> sectionsUnreadBy(const std::string& name) { return sectionsOf(name, false); }

std::unique_ptr<Algorithm> Experiment::makeAlgorithm() const {
    auto algorithm = make<Algorithm>(algorithmName, algorithmTable, kNameOnly);
    if (graph) dynamic_cast<MixesOverGraph&>(*algorithm).setGraph(graph);
    if (compression) dynamic_cast<CompressesExchanges&>(*algorithm).setCompression(compression);
    return algorithm;
}
std::unique_ptr<Model> Experiment::makeModel() const { return make<Model>(modelName, modelTable, kNameOnly); }
std::unique_ptr<Optimizer> Experiment::makeOptimizer() const {
    auto made = make<Optimizer>(optimizerName, optimizerTable, kNameOnly);
    if (train.gradientClip == 0) return made;
    return clipped(std::move(made), train.gradientClip);
}

double Experiment::learningRateScale() const {
    if (train.referenceBatch == 0) return 1;
    return static_cast<double>(train.samplesPerStep() * roles().trainers()) / static_cast<double>(train.referenceBatch);
}

Roles Experiment::roles() const {
    if (cluster.stages > 1) return Roles::ofStages(cluster.ranks(), static_cast<int>(cluster.stages));
    const auto algorithm = makeAlgorithm();
    const bool dividesTables = dynamic_cast<const DividesTables*>(algorithm.get()) != nullptr;
    if (dividesTables && model->naturalInput().categories.features > 0) return Roles::ofParts(cluster.ranks());
    const auto* own = dynamic_cast<const HasRoles*>(algorithm.get());
    return own ? own->roles(cluster.ranks()) : Roles::allTrain(cluster.ranks());
}

std::int64_t Experiment::fixedBatches(const Plan& plan) const {
    if (timeOnly() || !plan.ofData) return 1;
    // Passes over shards of unequal size join inside a batch.
    const bool equal = partition.kind == PartitionSpec::Kind::Iid || dataset->isContinuous(model->naturalInput());
    const bool fixed = data.shuffle == "none" && equal && !plan.passesJoin;
    return fixed ? plan.stepsPerEpoch : 0;
}

at::ScalarType Experiment::scalarType() const { return train.precision == "float64" ? at::kDouble : at::kFloat; }

Result<Experiment> readExperiment(const Value& document) {
    DASGD_CHECK(document.isTable());
    DASGD_TRY(checkKeys(document));
    Experiment experiment;
    Value& resolved = experiment.resolved;
    resolved.set("name", Value(std::string()));  // first in the record, known last

    DASGD_ASSIGN(auto algorithm, readPlugin<Algorithm>(document, "algorithm", "", kNameOnly, resolved));
    experiment.algorithmName = algorithm.name;
    experiment.algorithmTable = std::move(algorithm.table);
    DASGD_TRY(readGraph(document, *algorithm.plugin, experiment));
    DASGD_TRY(readCompression(document, *algorithm.plugin, experiment));
    DASGD_ASSIGN(auto model, readPlugin<Model>(document, "model", "", kNameOnly, resolved));
    experiment.modelName = model.name;
    experiment.modelTable = std::move(model.table);
    experiment.model = std::move(model.plugin);
    DASGD_TRY(readName(document, experiment));
    resolved.set("name", Value(experiment.name));
    DASGD_TRY(readData(document, experiment));

    DASGD_ASSIGN(experiment.trainTable, sectionOf(document, "train"));
    DASGD_TRY(readFields(experiment.trainTable, experiment.train));
    DASGD_TRY(checkTraining(document, experiment));
    DASGD_TRY(settleWork(experiment));
    if (experiment.train.epochs == 0 && experiment.train.steps == 0) experiment.train.epochs = 1;
    resolved.set("train", writeFields(experiment.train));
    DASGD_ASSIGN(auto optimizer, readPlugin<Optimizer>(document, "optimizer", kDefaultOptimizer, kNameOnly, resolved));
    experiment.optimizerName = optimizer.name;
    experiment.optimizerTable = std::move(optimizer.table);
    experiment.optimizer = std::move(optimizer.plugin);
    DASGD_ASSIGN(auto schedule, readPlugin<Schedule>(document, "schedule", kDefaultSchedule, kNameOnly, resolved));
    experiment.scheduleName = schedule.name;
    experiment.scheduleTable = std::move(schedule.table);
    experiment.schedule = std::move(schedule.plugin);

    DASGD_TRY(readCluster(document, experiment));
    DASGD_TRY(checkStages(document, experiment));
    DASGD_TRY(checkRoles(experiment));
    DASGD_TRY(checkTimeOnly(experiment));
    DASGD_TRY(readSection(document, "record", experiment.record));
    resolved.set("record", writeFields(experiment.record));
    return experiment;
}

namespace {

constexpr std::int64_t kFewestStepsToEvaluation = 20;
constexpr std::int64_t kFewestRoundsToEvaluation = 4;

}  // namespace

std::int64_t evaluationSpacing(const Experiment& experiment) {
    if (experiment.train.evalSpacing > 0) return experiment.train.evalSpacing;
    return std::max(kFewestStepsToEvaluation, kFewestRoundsToEvaluation * experiment.makeAlgorithm()->roundSteps());
}

Plan planSteps(const Experiment& experiment, std::int64_t trainSamples, std::optional<std::int64_t> trainers) {
    const TrainParams& train = experiment.train;
    Plan plan = planSteps({.samples = trainSamples,
                           .workers = trainers.value_or(experiment.roles().trainers()),
                           .batchSize = train.samplesPerStep(),
                           .epochs = train.epochs,
                           .steps = train.steps,
                           .evalEvery = train.evalEvery,
                           .dropLast = experiment.data.dropLast,
                           .timeOnly = experiment.timeOnly()});
    if (train.evalEvery == 0) plan.evalEvery = evalEveryOf(evaluationSpacing(experiment), plan.stepsPerEpoch);
    if (train.steps == 0 && !trainers && experiment.sharesWork()) {
        // At least the epochs' gradients, and as many as every worker would make in whole steps.
        const std::int64_t gradients = planSteps(experiment, trainSamples, 1).totalSteps;
        plan.totalSteps = (gradients + plan.workers - 1) / plan.workers;
    }
    return plan;
}

Plan planGradients(const Experiment& experiment, std::int64_t trainSamples) {
    Plan plan = planSteps(experiment, trainSamples, 1);
    const Plan shared = planSteps(experiment, trainSamples);
    plan.totalSteps = shared.totalSteps * shared.workers;
    return plan;
}

}  // namespace dasgd
