#include "experiments/config/platform_check.h"

#include <sstream>

#include "experiments/base/process.h"
#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

struct PlatformReport {
    std::optional<std::string> answer;
    std::string step;   // the last one
    std::string words;  // the last of SimGrid's own, which it says before it ends the process
};

PlatformReport reportIn(const std::string& output) {
    constexpr std::string_view kCritical = "CRITICAL] ";
    PlatformReport report;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(kPlatformAnswer)) report.answer = line.substr(std::string_view(kPlatformAnswer).size());
        if (line.starts_with(kPlatformStep)) report.step = line.substr(std::string_view(kPlatformStep).size());
        if (const auto at = line.find(kCritical); at != std::string::npos) {
            report.words = line.substr(at + kCritical.size());
        }
    }
    return report;
}

bool isOverARoute(const std::string& step) { return step.find("route") != std::string::npos; }

Status ask(const PlatformQuestion& question, const std::string& program, Ns patience, bool everyWay) {
    const std::string file = question.file.string();
    std::vector<std::string> arguments{"check-platform", file,          "--workers", std::to_string(question.workers),
                                       "--hosts",        question.hosts};
    if (everyWay) arguments.emplace_back("--every-way");
    DASGD_ASSIGN(ChildProcess child, ChildProcess::start({program, arguments, {}, false}));
    const auto exit = child.awaitEnd(patience);
    if (!exit) {
        return fail(
            file + ": its check did not end within " + duration(static_cast<double>(patience) * 1e-9) +
            "; fewer workers, or routing=\"DijkstraCache\" or \"Floyd\" instead of \"Dijkstra\", make it shorter");
    }
    const PlatformReport report = reportIn(child.report());
    if (report.answer) return *report.answer == "ok" ? Status() : fail(*report.answer);
    if (isOverARoute(report.step) && !everyWay) return ask(question, program, patience, true);
    return fail(file + ": SimGrid cannot use it: its process ended with " + describeExit(*exit) +
                (report.step.empty() ? "" : " while " + report.step) +
                (report.words.empty() ? "" : " (" + report.words + ")") +
                (isOverARoute(report.step) ? "; connect them, or choose other hosts" : ""));
}

}  // namespace

Status askAboutPlatform(const PlatformQuestion& question, const std::string& program, Ns patience) {
    return ask(question, program, patience, false);
}

}  // namespace dasgd::experiments
