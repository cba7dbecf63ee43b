// `dasgd check-platform` (hidden): checks a platform file in a child process of `dasgd run`, because SimGrid may crash
// on it. Crashes are not caught here; the parent reports them.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>

#include "core/sim/network/platform.h"
#include "experiments/base/sandbox.h"
#include "experiments/commands/command.h"
#include "experiments/config/platform_check.h"

namespace dasgd::experiments {

namespace {

struct CheckOptions {
    std::string file, hosts;
    int workers = 1;
    bool everyWay = false;
};

void sayLine(const char* kind, std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    // A line of its own, whatever SimGrid has left unfinished.
    text = std::string("\n") + kind + text + "\n";
    if (::write(STDOUT_FILENO, text.data(), text.size()) < 0) ::_exit(kRunFailed);
}

Status look(const CheckOptions& options) {
    DASGD_ASSIGN(const OpenedPlatform opened, openPlatform(options.file, ""));
    DASGD_ASSIGN(const PlatformImage image, PlatformImage::make(opened));
    forbidNewFiles();
    const auto tell = [](const std::string& step) { sayLine(kPlatformStep, step); };
    return checkPlatform(image, hostNames(options.hosts), options.workers, {tell, options.everyWay});
}

int check(const CheckOptions& options) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent also needs SimGrid's last words before it aborts.
    ::dup2(STDOUT_FILENO, STDERR_FILENO);
    confine();
    const Status fits = look(options);
    sayLine(kPlatformAnswer, fits ? "ok" : fits.error().message);
    // SimGrid's cleanup may crash after it has refused a file.
    ::_exit(fits ? kFinished : kWrongInput);
}

Action declareCheckPlatform(CLI::App& app) {
    auto options = std::make_shared<CheckOptions>();
    app.add_option("FILE", options->file, "A platform file of SimGrid")->required();
    app.add_option("--workers", options->workers, "So many hosts must be reachable from each other");
    app.add_option("--hosts", options->hosts, "Which ones, by name");
    app.add_flag("--every-way", options->everyWay, "Tell of each route before it is asked for");
    return [options] { return check(*options); };
}

const CommandRegistry::Add kCheckPlatformEntry{
    {.order = 140, .name = "check-platform", .declare = declareCheckPlatform}};

}  // namespace

}  // namespace dasgd::experiments
