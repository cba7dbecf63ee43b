#include "experiments/cluster/slurm/slurm_script.h"

#include <algorithm>
#include <cmath>

#include "experiments/transport/curve/run_secret.h"

namespace dasgd::experiments {

namespace {

constexpr std::size_t kMostNameBytes = 60;
// A stop takes as long as a collective may, and the checkpoint.
constexpr double kStopSlackS = 30;

std::string jobName(const std::string& experiment) {
    std::string name = "dasgd-" + experiment.substr(0, kMostNameBytes);
    for (char& c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
        if (!plain && c != '-' && c != '_') c = '_';
    }
    return name;
}

// sbatch reads what stands behind #SBATCH itself, with the quotes of a shell.
std::string option(const std::string& name, const std::string& value) {
    return "#SBATCH --" + name + (value.empty() ? "" : "=" + shellWord(value)) + "\n";
}

std::string options(const ClusterProfile& profile, const SlurmTask& task, const JobFolder& folder) {
    const auto isGiven = [&](const std::string& name) {
        return std::ranges::any_of(profile.slurm, [&](const auto& one) { return one.first == name; });
    };
    std::string text = option("job-name", jobName(task.name)) + option("output", folder.output().string()) +
                       option("open-mode", "append") + option("requeue", "") +
                       option("ntasks", std::to_string(task.ranks));
    if (profile.ranksPerHost > 0) {
        const std::int64_t nodes = (task.ranks + profile.ranksPerHost - 1) / profile.ranksPerHost;
        text += option("nodes", std::to_string(nodes));
        text += option("ntasks-per-node", std::to_string(std::min<std::int64_t>(profile.ranksPerHost, task.ranks)));
    }
    if (profile.threads > 0 && !isGiven("cpus-per-task"))
        text += option("cpus-per-task", std::to_string(profile.threads));
    if (profile.gpus > 0 && !isGiven("gpus-per-node")) text += option("gpus-per-node", std::to_string(profile.gpus));
    if (!isGiven("signal")) {
        text += option("signal", "TERM@" + std::to_string(std::lround(task.timeoutS + kStopSlackS)));
    }
    for (const auto& [name, value] : profile.slurm) text += option(name, value);
    return text;
}

}  // namespace

std::string slurmScript(const ClusterProfile& profile, const SlurmTask& task, const JobFolder& folder) {
    const auto path = [](const std::filesystem::path& file) { return shellWord(file.string()); };
    std::string text = "#!/bin/sh\n" + options(profile, task, folder);
    text += "# Made by dasgd run --on " + profile.name +
            ". Started again by SLURM, it goes on from the run's checkpoint.\n";
    text += "umask 077\n";
    for (const auto& [name, value] : profile.environment) text += "export " + name + "=" + shellWord(value) + "\n";
    if (!profile.interface.empty()) text += "export DASGD_INTERFACE=" + shellWord(profile.interface) + "\n";
    if (profile.port > 0) text += "export MASTER_PORT=" + std::to_string(profile.port) + "\n";
    text += std::string(RunSecret::kVariable) + "=$(cat " + path(folder.secret()) + ") || exit 1\n";
    text += std::string("export ") + RunSecret::kVariable + "\n";
    text += "export DASGD_SIGNALLED=" + path(folder.signalled()) + "\n";
    text += "rm -f \"$DASGD_SIGNALLED\"\n";
    text += task.resume ? "resume=--resume\n" : "resume=\n[ \"${SLURM_RESTART_COUNT:-0}\" -eq 0 ] || resume=--resume\n";
    text += "srun --kill-on-bad-exit=0 " + shellWord(profile.dasgd) + " worker " + path(folder.experiment()) +
            " --workspace " + shellWord(profile.workspaceThere()) + " --json $resume\n";
    text += "status=$?\n";
    text += "if [ \"$status\" -eq 130 ] && [ -e \"$DASGD_SIGNALLED\" ]; then\n";
    text += "    scontrol requeue \"$SLURM_JOB_ID\" && sleep 60\n";
    text += "fi\n";
    text += "exit \"$status\"\n";
    return text;
}

}  // namespace dasgd::experiments
