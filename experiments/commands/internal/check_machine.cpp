// `dasgd check-machine` (hidden): whether this machine has what the ranks of a [cluster] need, in a child process of
// `dasgd run` or `dasgd doctor`.
#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <memory>

#include "core/base/schema/toml_reader.h"
#include "core/experiment/experiment.h"
#include "experiments/commands/command.h"
#include "experiments/config/machine_check.h"

namespace dasgd::experiments {

namespace {

Result<std::string> look(const std::string& text) {
    DASGD_ASSIGN(const Value document, parseToml(text, "check-machine"));
    const Value* cluster = document.find("cluster");
    if (!cluster || !cluster->isTable()) return fail("check-machine takes a [cluster] with a backend");
    DASGD_ASSIGN(const ClusterSection section, readClusterSection(*cluster));
    return section.backend->checkMachine(section.params);
}

int check(const std::string& text) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const Result<std::string> found = look(text);
    std::printf("\n%s\n", machineAnswer(found).c_str());
    std::fflush(stdout);
    return found ? kFinished : kWrongInput;
}

Action declareCheckMachine(CLI::App& app) {
    auto text = std::make_shared<std::string>();
    app.add_option("TOML", *text, "A document with a [cluster]")->required();
    return [text] { return check(*text); };
}

const CommandRegistry::Add kCheckMachineEntry{{.order = 141, .name = "check-machine", .declare = declareCheckMachine}};

}  // namespace

}  // namespace dasgd::experiments
