// `dasgd check-platform`: looks at a platform file for `dasgd run`, which must outlive whatever SimGrid does over it.
// Hidden: people need not know it.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

#include "core/sim/network/platform.h"
#include "experiments/commands/command.h"
#include "experiments/config/platform_check.h"

namespace dasgd::experiments {

namespace {

struct CheckOptions {
    std::string file, hosts;
    int workers = 1;
};

[[noreturn]] void answer(const char* text) {
    for (const char* part : {"\n", kPlatformAnswer, text, "\n"}) {
        if (::write(STDOUT_FILENO, part, std::strlen(part)) < 0) break;
    }
    ::_exit(std::strcmp(text, "ok") == 0 ? kFinished : kWrongInput);
}

void lastWords(const char* at) { answer(at); }

int check(const CheckOptions& options) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // SimGrid's own words would only be in the way.
    ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    const Status fits = checkPlatform({options.file, hostNames(options.hosts)}, options.workers, lastWords);
    std::string text = fits ? "ok" : fits.error().message;
    std::replace(text.begin(), text.end(), '\n', ' ');
    answer(text.c_str());
}

Action declareCheckPlatform(CLI::App& app) {
    auto options = std::make_shared<CheckOptions>();
    app.add_option("FILE", options->file, "A platform file of SimGrid")->required();
    app.add_option("--workers", options->workers, "So many hosts must be reachable from each other");
    app.add_option("--hosts", options->hosts, "Which ones, by name");
    return [options] { return check(*options); };
}

const CommandRegistry::Add kCheckPlatformEntry{
    {.order = 140, .name = "check-platform", .declare = declareCheckPlatform}};

}  // namespace

}  // namespace dasgd::experiments
