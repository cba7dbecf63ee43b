#include "experiments/tools/calibrate/probe_experiment.h"

#include <string_view>

#include "core/base/schema/toml_reader.h"
#include "experiments/config/document.h"
#include "experiments/config/schema.h"
#include "experiments/tools/report/run_summary.h"

namespace dasgd::experiments {

namespace {

constexpr std::int64_t kAloneSteps = 20;
constexpr std::int64_t kOverlappedSteps = 20;
constexpr std::size_t kLongestStem = 190;  // bytes: with a suffix no more than a name may have

bool isInsideCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

void addToName(Value& document, std::string_view suffix) {
    Value* value = document.find("name");
    std::string* name = value ? value->as<std::string>() : nullptr;
    // An empty name is refused as it stands; a file that was made so keeps the one it has.
    if (!name || name->empty() || name->ends_with(suffix)) return;
    if (name->size() > kLongestStem) {
        std::size_t end = kLongestStem;
        while (end > 0 && isInsideCharacter((*name)[end])) --end;
        name->resize(end);
    }
    *name += suffix;
}

Result<Value> onlyDocument(Value document, const Overrides& overrides) {
    document.erase("sweep");
    DASGD_ASSIGN(std::vector<ExpandedExperiment> expanded, expandExperiments(document, overrides));
    reportDropped(expanded);
    if (expanded.size() == 1) return std::move(expanded.front().document);
    return fail("the file stands for " + std::to_string(expanded.size()) +
                " experiments and one is needed; take its [[case]] tables out, or give the one that is meant a file of "
                "its own");
}

void leaveOutTargetsAndProfile(Value& document) {
    Value train = sectionOf(document, "train");
    for (const char* key : {"patience", "min_delta", "target_accuracy", "target_loss", "stop_at_target"}) {
        train.erase(key);
    }
    document.set("train", std::move(train));
    Value record = sectionOf(document, "record");
    record.erase("profile");
    document.set("record", std::move(record));
}

void leaveOutBalance(Value& document) {
    Value train = sectionOf(document, "train");
    for (const char* key : {"balance", "rebalance", "weigh"}) train.erase(key);
    document.set("train", std::move(train));
}

Status refuseStages(const Value& document) {
    const auto* stages = valueAt<std::int64_t>(document, "cluster", "stages");
    if (!stages || *stages <= 1) return {};
    return document.find("cluster")->find("stages")->error(
        "there is no forecast and no calibration of a model that is cut into stages yet: set stages = 1, or simulate "
        "the run itself (backend = \"virtual\", dasgd run)");
}

Result<CheckedExperiment> probeExperiment(const std::string& file, const Overrides& overrides) {
    DASGD_ASSIGN(Value document, readTomlFile(file));
    DASGD_ASSIGN(Value only, onlyDocument(std::move(document), overrides));
    return probeExperimentOf(std::move(only));
}

Result<CheckedExperiment> probeExperimentOf(Value document) {
    DASGD_TRY(refuseStages(document));
    // Without a name the experiment is called after its algorithm, which is the probe already.
    addToName(document, " (probe)");
    Value probe;
    probe.set("name", Value(std::string("probe")));
    probe.set("alone", Value(kAloneSteps));
    probe.set("overlapped", Value(kOverlappedSteps));
    setAlgorithm(document, std::move(probe));
    // The first could end the probe early, and profiled steps are not timed.
    leaveOutTargetsAndProfile(document);
    leaveOutBalance(document);
    Value train = sectionOf(document, "train");
    train.erase("epochs");
    train.set("steps", Value(kWarmUpSteps + kAloneSteps + kOverlappedSteps));
    train.set("eval_every", Value(std::int64_t{1'000'000}));
    document.set("train", std::move(train));
    put(document, "record", "trace", Value(std::string("full")));
    DASGD_ASSIGN(CheckedExperiment experiment, checkExperiment(document));
    if (experiment.workers < 2) {
        return fail("one worker has no network to measure; set cluster.workers to 2 or more");
    }
    return experiment;
}

Result<Calibration> runProbe(RunSession& session, const CheckedExperiment& probe, const std::string& title) {
    DASGD_ASSIGN(const std::string runId, session.runToTheEnd(probe, title));
    DASGD_ASSIGN(auto reader, session.reader());
    return calibrationOf(reader, runId);
}

}  // namespace dasgd::experiments
