#include "experiments/probe_experiment.h"

#include "experiments/toml_reader.h"

namespace dasgd::experiments {

namespace {

constexpr std::int64_t kAlone = 20;
constexpr std::int64_t kOverlapped = 20;
constexpr std::int64_t kWarmUp = 3;

Value tableOf(const Value& document, const char* section) {
    const Value* found = document.find(section);
    return found && found->isTable() ? *found : Value();
}

}  // namespace

Result<CheckedExperiment> probeExperiment(const std::string& file, const Overrides& overrides) {
    DASGD_ASSIGN(Value document, readTomlFile(file));
    return probeExperimentOf(std::move(document), overrides);
}

Result<CheckedExperiment> probeExperimentOf(Value document, const Overrides& overrides) {
    document.erase("sweep");
    Value probe;
    probe.set("name", Value(std::string("probe")));
    probe.set("alone", Value(kAlone));
    probe.set("overlapped", Value(kOverlapped));
    document.set("algorithm", std::move(probe));
    Value train = tableOf(document, "train");
    train.erase("epochs");
    train.set("steps", Value(kWarmUp + kAlone + kOverlapped));
    train.set("eval_every", Value(std::int64_t{1'000'000}));
    document.set("train", std::move(train));
    Value record = tableOf(document, "record");
    record.set("trace", Value(std::string("full")));
    document.set("record", std::move(record));
    DASGD_ASSIGN(auto experiments, checkExperiments(document, overrides));
    if (experiments.front().workers < 2) {
        return fail("one worker has no network to measure; set cluster.workers to 2 or more");
    }
    return std::move(experiments.front());
}

}  // namespace dasgd::experiments
