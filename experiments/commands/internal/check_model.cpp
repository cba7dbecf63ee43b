// `dasgd check-model` (hidden): tries the code of a model file in a child process of `dasgd`, which may write nothing.
// Its exit status is the answer; what is wrong with the file goes to the parent, and nothing that the code itself
// prints.
#include <ATen/Parallel.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <new>

#include "core/base/schema/value.h"
#include "experiments/base/sandbox.h"
#include "experiments/commands/command.h"
#include "experiments/config/model_check.h"

namespace dasgd::experiments {

namespace {

struct ModelOptions {
    std::string file, task = "classes", input, type = "Float";
    std::int64_t classes = 0;
};

Status tryModel(const ModelOptions& options) {
    DASGD_ASSIGN(const InputSpec input, inputOf(options.input, options.classes, options.task));
    DASGD_ASSIGN(const at::ScalarType type, scalarTypeOf(options.type));
    const Value fields(Value::Table{{"path", Value(options.file)}, {"task", Value(options.task)}});
    DASGD_ASSIGN(const auto model, ModelRegistry::find("torchscript")->create(fields, {}));
    try {
        return model->build({.input = input, .type = type});
    } catch (const std::bad_alloc&) {
        return fail(options.file + " does not fit into the memory that its trial may use");
    }
}

// Weights, a copy of them and their gradients, beside what a process uses anyhow.
std::uint64_t memoryFor(const std::string& file) {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(file, missing);
    return kMoreMemory + (missing ? 0 : 8 * bytes);
}

int check(const ModelOptions& options) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int answer = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (answer < 0 || nowhere < 0) return kRunFailed;
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::close(nowhere);
    at::set_num_threads(1);
    // LibTorch reads about the processor when it first computes, and a seed when it first draws; it can open no file
    // then.
    static_cast<void>(at::mm(at::rand({2, 2}), at::rand({2, 2})));
    confine(memoryFor(options.file));
    forbidNewFiles();
    const Status fits = tryModel(options);
    if (fits) ::_exit(kFinished);
    const std::string& message = fits.error().message;
    const bool told = ::write(answer, message.data(), message.size()) == static_cast<ssize_t>(message.size());
    ::_exit(told ? kWrongInput : kRunFailed);
}

Action declareCheckModel(CLI::App& app) {
    auto options = std::make_shared<ModelOptions>();
    app.add_option("--file", options->file, "A TorchScript file")->required();
    app.add_option("--task", options->task, "As [model] names it");
    app.add_option("--input", options->input, "Shape of a sample, as 1x28x28")->required();
    app.add_option("--classes", options->classes, "Of the data");
    app.add_option("--type", options->type, "Of the parameters, as Float");
    return [options] { return check(*options); };
}

const CommandRegistry::Add kCheckModelEntry{{.order = 143, .name = "check-model", .declare = declareCheckModel}};

}  // namespace

}  // namespace dasgd::experiments
