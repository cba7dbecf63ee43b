#include "experiments/config/machine_check.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "experiments/base/process.h"
#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

// Libraries of drivers may print lines before it.
std::string lastLineOf(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    const auto end = text.rfind('\n');
    return end == std::string::npos ? text : text.substr(end + 1);
}

}  // namespace

std::string machineAnswer(const Result<std::string>& found) {
    return dumpLine({{found ? "found" : "error", found ? *found : found.error().message}});
}

Result<std::string> askAboutMachine(const Value& cluster, const std::string& program, Ns patience) {
    Value document;
    document.set("cluster", cluster);
    DASGD_ASSIGN(ChildProcess child,
                 ChildProcess::start({program, {"check-machine", toTomlDocument(document)}, {}, true}));
    const auto exit = child.awaitEnd(patience);
    if (!exit) {
        return fail("the GPUs of this machine do not answer within " + duration(static_cast<double>(patience) * 1e-9) +
                    ": does nvidia-smi?");
    }
    const auto answer = nlohmann::json::parse(lastLineOf(child.report()), nullptr, false);
    if (answer.is_object() && answer.contains("error")) return fail(answer.value("error", ""));
    if (answer.is_object() && answer.contains("found")) return answer.value("found", "");
    return fail("the process that looked at the GPUs of this machine ended with " + describeExit(*exit) +
                ": do other programs run on them?");
}

Status checkMachine(const CheckedExperiment& experiment, const std::string& program) {
    if (!experiment.layout.onGpus) return {};
    DASGD_TRY(askAboutMachine(*experiment.resolved.find("cluster"), program));
    return {};
}

}  // namespace dasgd::experiments
