#include "experiments/config/platform_check.h"

#include <poll.h>

#include "experiments/base/process.h"
#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

// What follows the last line that answers; nullopt where the process did not come to that.
std::optional<std::string> answerIn(const std::string& output) {
    const std::string mark = kPlatformAnswer;
    const auto line = output.rfind(mark);
    if (line == std::string::npos || (line > 0 && output[line - 1] != '\n')) return std::nullopt;
    const auto begin = line + mark.size();
    return output.substr(begin, output.find('\n', begin) - begin);
}

// Until it ends or the time is up.
std::optional<ProcessExit> follow(ChildProcess& child, Ns patience) {
    const Ns deadline = MonotonicClock::rawNow() + patience;
    while (MonotonicClock::rawNow() < deadline) {
        const auto exit = child.poll();
        static_cast<void>(child.report());
        if (exit) return exit;
        pollfd wait[2] = {{child.pidFd(), POLLIN, 0}, {child.reportFd(), POLLIN, 0}};
        ::poll(wait, 2, 50);
    }
    return std::nullopt;
}

}  // namespace

Status askAboutPlatform(const PlatformQuestion& question, const std::string& program, Ns patience) {
    const std::string file = question.file.string();
    DASGD_ASSIGN(ChildProcess child,
                 ChildProcess::start({.program = program,
                                      .arguments = {"check-platform", file, "--workers",
                                                    std::to_string(question.workers), "--hosts", question.hosts},
                                      .log = {},
                                      .ownGroup = false}));
    const auto exit = follow(child, patience);
    if (!exit) {
        return fail(
            file + ": its check did not end within " + duration(static_cast<double>(patience) * 1e-9) +
            "; fewer workers, or routing=\"DijkstraCache\" or \"Floyd\" instead of \"Dijkstra\", make it shorter");
    }
    const auto answer = answerIn(child.report());
    if (!answer) return fail(file + ": SimGrid cannot read it; its process ended with " + describeExit(*exit));
    if (*answer != "ok") return fail(*answer);
    return {};
}

}  // namespace dasgd::experiments
