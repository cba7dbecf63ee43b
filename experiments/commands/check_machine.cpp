// `dasgd check-machine` (hidden): whether this machine has what the ranks of a [cluster] need, in a child process of
// `dasgd run` or `dasgd doctor`.
#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <memory>

#include "core/backends/backend.h"
#include "core/base/toml_reader.h"
#include "experiments/commands/command.h"
#include "experiments/config/machine_check.h"

namespace dasgd::experiments {

namespace {

Result<std::string> look(const std::string& text) {
    DASGD_ASSIGN(const Value document, parseToml(text, "check-machine"));
    const Value* cluster = document.find("cluster");
    const Value* backend = cluster && cluster->isTable() ? cluster->find("backend") : nullptr;
    const std::string* name = backend ? backend->as<std::string>() : nullptr;
    const BackendRegistry::Entry* entry = name ? BackendRegistry::find(*name) : nullptr;
    if (!entry) return fail("check-machine takes a [cluster] with a backend");
    std::vector<std::string> common;
    for (const FieldInfo& field : describeFields<ClusterParams>()) common.push_back(field.name);
    Value own(Value::Table{}, cluster->position()), shared = own;
    for (const auto& [key, value] : *cluster->as<Value::Table>()) {
        const bool isShared = std::ranges::find(common, key) != common.end();
        (isShared ? shared : own).set(key, value);
    }
    ClusterParams params;
    DASGD_TRY(readFields(shared, params));
    DASGD_ASSIGN(const auto made, entry->create(own, {}));
    return made->checkMachine(params);
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
