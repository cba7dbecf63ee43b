#include "experiments/cluster/slurm/run_on_slurm.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/base/log.h"
#include "core/base/utc.h"
#include "experiments/base/errors.h"
#include "experiments/base/process.h"
#include "experiments/base/text.h"
#include "experiments/cluster/host/host_facts.h"
#include "experiments/run/session/run_series.h"
#include "experiments/transport/curve/run_secret.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

constexpr const char* kJobs = "dasgd-jobs";
constexpr int kPollMs = 2000;
constexpr int kMostUnanswered = 30;  // a controller that restarts is away for a minute at the most
constexpr std::size_t kTailBytesOfJob = 16384;
constexpr int kTailLinesOfJob = 5;

Status writeFile(const fs::path& file, const std::string& text, mode_t mode) {
    const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!out || ::write(out.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        return fail(file.string() + ": cannot be written: " + ::strerror(errno));
    }
    return {};
}

std::string tailOf(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    in.seekg(0, std::ios::end);
    const std::streamoff size = std::max<std::streamoff>(0, in.tellg());
    in.seekg(std::max<std::streamoff>(0, size - static_cast<std::streamoff>(kTailBytesOfJob)));
    return {std::istreambuf_iterator<char>(in), {}};
}

struct JobOutput {
    nlohmann::json row;              // of the run, null where rank 0 did not say it
    std::vector<std::string> words;  // the last lines besides
};

JobOutput readOutput(const fs::path& file) {
    JobOutput output;
    std::istringstream lines(tailOf(file));
    for (std::string line; std::getline(lines, line);) {
        auto json = nlohmann::json::parse(line, nullptr, false);
        if (json.is_object() && json.contains("run_id")) {
            output.row = std::move(json);
        } else if (!line.empty()) {
            output.words.push_back(printableWords(line));
        }
    }
    if (output.words.size() > kTailLinesOfJob)
        output.words.erase(output.words.begin(), output.words.end() - kTailLinesOfJob);
    return output;
}

int exitCodeOf(const SlurmJobState& state, bool cancelled) {
    if (cancelled || state.state == "CANCELLED") return kStopped;
    if (state.state == "COMPLETED" && state.exitCode == 0 && state.signal == 0) return kFinished;
    if (state.signal == 0 && (state.exitCode == kWrongInput || state.exitCode == kStopped)) return state.exitCode;
    return kRunFailed;
}

Status suitsSlurm(const CheckedExperiment& experiment, const std::string& file) {
    if (experiment.layout.isProcessARank() && !experiment.layout.timeSimulated) return {};
    return fail(file + ": cluster.backend is '" + experiment.backend +
                "', which runs on one host alone; leave out --on, or add `--set cluster.backend=gloo`");
}

class SlurmSeries {
public:
    SlurmSeries(const ClusterProfile& profile, const ClusterTask& task, StopSignals& signals)
        : profile_(profile), task_(task), signals_(signals) {}

    // Only what would be submitted.
    int show(const CheckedExperiment& experiment) const {
        std::fputs(slurmScript(profile_, taskOf(experiment), {jobs() / "TIME"}).c_str(), stdout);
        return kFinished;
    }

    // Errors: the job could not be submitted, or SLURM lost it.
    Result<int> run(const CheckedExperiment& experiment, const std::string& title) {
        const SlurmTask job = taskOf(experiment);
        DASGD_ASSIGN(const JobFolder folder, makeJobFolder(jobs(), profile_, job, toTomlDocument(experiment.resolved)));
        DASGD_ASSIGN(const std::string number, submitJob(folder.script(), task_.detach));
        if (task_.detach) {
            announce(number, folder, title);
            return static_cast<int>(kFinished);
        }
        note(title + ": job " + number + " is submitted; its output goes to " + folder.output().string());
        DASGD_ASSIGN(const SlurmJobState end, followJob(number, signals_, [&](const SlurmJobState& state) {
                         note("job " + number + " " + state.inWords());
                     }));
        return report(number, folder, title, end);
    }

private:
    [[nodiscard]] fs::path jobs() const {
        if (!profile_.jobs.empty()) return fs::absolute(withHome(profile_.jobs));
        return fs::absolute(fs::path(task_.file)).parent_path() / kJobs;
    }
    [[nodiscard]] SlurmTask taskOf(const CheckedExperiment& experiment) const {
        return {experiment.name, experiment.workers, experiment.timeoutS, task_.resume};
    }

    void note(const std::string& text) const {
        if (!task_.quiet) logLine(LogLevel::Info, printable(text));
    }

    void announce(const std::string& job, const JobFolder& folder, const std::string& title) const {
        if (task_.json) {
            std::printf("%s\n", dumpLine({{"job", job}, {"folder", folder.path.string()}, {"title", title}}).c_str());
        } else {
            std::printf("%s: job %s\n    output: %s\n    to end it: scancel %s\n", printable(title).c_str(),
                        job.c_str(), folder.output().c_str(), job.c_str());
        }
    }

    int report(const std::string& job, const JobFolder& folder, const std::string& title,
               const SlurmJobState& end) const {
        const JobOutput output = readOutput(folder.output());
        const int code = exitCodeOf(end, signals_.count() > 0);
        if (code == kRunFailed || code == kWrongInput) {
            for (const std::string& line : output.words) logLine(LogLevel::Error, line);
            logLine(LogLevel::Error,
                    "job " + job + " " + end.inWords() + "; all of its output: " + folder.output().string());
        }
        if (task_.json) {
            nlohmann::json line = output.row.is_object() ? output.row : nlohmann::json{{"status", "failed"}};
            line["job"] = job;
            line["nodes"] = end.nodes;
            std::printf("%s\n", dumpLine(line).c_str());
        } else {
            const std::string run = output.row.is_object() ? output.row.value("run_id", "") : "no result";
            const std::string status = output.row.is_object() ? output.row.value("status", "") : end.state;
            std::printf("%s: %s\n    %s, job %s on %s\n    recorded in %s of its first node\n",
                        printable(title).c_str(), printable(run).c_str(), printable(status).c_str(), job.c_str(),
                        printable(end.nodes).c_str(), printable(profile_.workspaceThere()).c_str());
        }
        std::fflush(stdout);
        return code;
    }

    const ClusterProfile& profile_;
    const ClusterTask& task_;
    StopSignals& signals_;
};

}  // namespace

Result<JobFolder> makeJobFolder(const fs::path& jobs, const ClusterProfile& profile, const SlurmTask& task,
                                const std::string& experiment) {
    DASGD_ASSIGN(const RunSecret secret, RunSecret::make());
    std::error_code code;
    fs::create_directories(jobs, code);
    const std::string name = utcNowAs("%Y%m%d-%H%M%S") + "-" + std::to_string(::getpid());
    JobFolder folder;
    for (int again = 0; again < 1000; ++again) {
        folder.path = jobs / (again == 0 ? name : name + "-" + std::to_string(again));
        if (::mkdir(folder.path.c_str(), 0700) == 0) break;
        if (errno != EEXIST) {
            return fail(folder.path.string() + ": cannot be made: " + ::strerror(errno) +
                        "; `jobs` in the profile names a folder that this host and all nodes see");
        }
    }
    DASGD_TRY(writeFile(folder.secret(), secret.hex() + "\n", 0600));
    DASGD_TRY(writeFile(folder.experiment(), experiment, 0600));
    DASGD_TRY(writeFile(folder.script(), slurmScript(profile, task, folder), 0700));
    return folder;
}

Result<SlurmJobState> followJob(const std::string& job, StopSignals& signals,
                                const std::function<void(const SlurmJobState&)>& changed) {
    std::optional<SlurmJobState> told;
    bool cancelled = false;
    for (int unanswered = 0;;) {
        const auto state = slurmJobState(job);
        unanswered = state ? 0 : unanswered + 1;
        if (!state && unanswered > kMostUnanswered) return tl::unexpected(state.error());
        if (state && (!told || *state != *told)) changed(*state);
        if (state) told = *state;
        if (state && state->isOver()) return *state;
        pollfd wait{signals.fd(), POLLIN, 0};
        ::poll(&wait, 1, kPollMs);
        if (signals.count() > 0 && !std::exchange(cancelled, true)) DASGD_TRY(cancelJob(job));
        if (signals.mustEndNow())
            return fail("job " + job + " was cancelled and has not ended yet; `squeue --job " + job + "` tells");
    }
}

int runOnSlurm(const ClusterProfile& profile, const ClusterTask& task, StopSignals& signals) {
    Overrides overrides = task.overrides;
    if (profile.threads > 0) {
        overrides.set.insert(overrides.set.begin(), "cluster.threads_per_worker=" + std::to_string(profile.threads));
    }
    const auto experiments = loadExperiments(task.file, overrides);
    if (!experiments) return refuse(experiments.error());
    for (const CheckedExperiment& experiment : *experiments) {
        if (const Status good = suitsSlurm(experiment, task.file); !good) return refuse(good.error());
    }
    SlurmSeries series(profile, task, signals);
    int code = kFinished;
    for (std::size_t i = 0; i < experiments->size() && signals.count() == 0; ++i) {
        const CheckedExperiment& experiment = (*experiments)[i];
        if (task.dryRun) {
            code = series.show(experiment);
            continue;
        }
        const auto ended = series.run(experiment, counted(i, experiments->size(), titleOf(experiment)));
        if (!ended) {
            refuse(ended.error());
            return kRunFailed;
        }
        if (*ended != kFinished) code = *ended;
    }
    return code;
}

}  // namespace dasgd::experiments
