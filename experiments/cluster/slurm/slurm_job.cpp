#include "experiments/cluster/slurm/slurm_job.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/base/process.h"
#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

constexpr Ns kToolPatience = 60'000'000'000;
constexpr std::size_t kMostOutput = std::size_t{1} << 20;
constexpr std::string_view kOverStates[] = {"BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE", "FAILED",
                                            "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT"};

int numberIn(std::string_view text) {
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// "130:0": exit status and signal.
void takeExit(SlurmJobState& job, std::string_view text) {
    job.exitCode = numberIn(text);
    const auto colon = text.find(':');
    job.signal = colon == std::string_view::npos ? 0 : numberIn(text.substr(colon + 1));
}

std::string firstWord(const std::string& text) { return text.substr(0, text.find_first_of(" \n")); }

}  // namespace

Result<std::string> outputOfSlurm(const std::string& program, const std::vector<std::string>& arguments) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return fail("cannot open a pipe; raise `ulimit -n`");
    const Descriptor ours(ends[0]);
    Descriptor theirs(ends[1]);
    auto child = ChildProcess::start({.program = program, .arguments = arguments, .errors = theirs.get()});
    if (!child) return fail(child.error().message + "; SLURM's commands have to be installed on this host");
    theirs = Descriptor();
    const auto exit = child->awaitEnd(kToolPatience, kMostOutput);
    std::string said(4096, '\0');
    const ssize_t got = ::read(ours.get(), said.data(), said.size());
    said.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    while (!said.empty() && said.back() == '\n') said.pop_back();
    if (!exit) return fail(program + " did not answer within 60 s");
    if (exit->signal != 0 || exit->code != 0) {
        return fail(program + ": " + (said.empty() ? describeExit(*exit) : printable(said)));
    }
    return child->report();
}

bool SlurmJobState::isOver() const { return std::ranges::find(kOverStates, state) != std::end(kOverStates); }

std::string SlurmJobState::inWords() const {
    if (state == "PENDING") return "waits" + (reason.empty() || reason == "None" ? "" : " (" + reason + ")");
    if (state == "RUNNING") return "runs on " + nodes;
    if (!isOver()) return "is " + state;
    const std::string how =
        signal != 0 ? "signal " + std::to_string(signal) : "exit status " + std::to_string(exitCode);
    return "has ended: " + state + ", " + how + (nodes.empty() ? "" : ", on " + nodes);
}

std::optional<SlurmJobState> parseScontrol(const std::string& text) {
    SlurmJobState job;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const auto equals = word.find('=');
        if (equals == std::string::npos) continue;
        const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
        // Text that users wrote may hold such words too, but follows these fields.
        if (key == "JobState" && job.state.empty()) job.state = value;
        if (key == "Reason" && job.reason.empty()) job.reason = value;
        if (key == "NodeList" && job.nodes.empty()) job.nodes = value == "(null)" ? "" : value;
        if (key == "Restarts") job.restarts = numberIn(value);
        if (key == "ExitCode") takeExit(job, value);
    }
    return job.state.empty() ? std::nullopt : std::optional(job);
}

std::optional<SlurmJobState> parseSacct(const std::string& text) {
    std::istringstream line(text.substr(0, text.find('\n')));
    std::vector<std::string> fields;
    for (std::string field; std::getline(line, field, '|');) fields.push_back(field);
    if (fields.size() < 3 || fields[0].empty()) return std::nullopt;
    SlurmJobState job{.state = firstWord(fields[0]), .nodes = fields[2] == "None assigned" ? "" : fields[2]};
    takeExit(job, fields[1]);
    if (fields.size() > 3) job.reason = fields[3];
    return job;
}

Result<std::string> submitJob(const std::filesystem::path& script, bool behindItsNamesakes) {
    std::vector<std::string> arguments{"--parsable"};
    if (behindItsNamesakes) arguments.emplace_back("--dependency=singleton");
    arguments.push_back(script.string());
    DASGD_ASSIGN(const std::string text, outputOfSlurm("sbatch", arguments));
    const std::string job = text.substr(0, text.find_first_of(";\n"));
    if (job.empty() || job.find_first_not_of("0123456789") != std::string::npos) {
        return fail("sbatch answered '" + printable(text) + "', which is no number of a job");
    }
    return job;
}

Result<SlurmJobState> slurmJobState(const std::string& job) {
    const auto shown = outputOfSlurm("scontrol", {"--oneliner", "show", "job", job});
    if (shown) {
        if (auto state = parseScontrol(*shown)) return *state;
    }
    const auto counted = outputOfSlurm("sacct", {"--jobs", job, "--allocations", "--parsable2", "--noheader",
                                                 "--format=State,ExitCode,NodeList,Reason"});
    if (counted) {
        if (auto state = parseSacct(*counted)) return *state;
    }
    return fail("SLURM does not tell of job " + job + ": " +
                (shown ? "scontrol shows no state" : shown.error().message));
}

Status cancelJob(const std::string& job) {
    const auto said = outputOfSlurm("scancel", {job});
    return said ? Status() : tl::unexpected(said.error());
}

}  // namespace dasgd::experiments
