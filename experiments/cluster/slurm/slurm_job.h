// A job of SLURM, by SLURM's own commands: submitted, watched, cancelled.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dasgd::experiments {

// State of a job as SLURM reports it.
struct SlurmJobState {
    std::string state;   // PENDING, RUNNING, COMPLETED, …
    std::string reason;  // reason for which it waits; "" or "None" where it does not wait
    std::string nodes;   // "n[1-2]"; "" before it runs
    int exitCode = 0, signal = 0;
    int restarts = 0;

    [[nodiscard]] bool isOver() const;
    // "waits (Priority)", "runs on n[1-2]", "has ended: COMPLETED, exit status 0".
    [[nodiscard]] std::string inWords() const;
    friend bool operator==(const SlurmJobState&, const SlurmJobState&) = default;
};

// `scontrol --oneliner show job`: KEY=VALUE, with blanks between. nullopt where there is no JobState.
[[nodiscard]] std::optional<SlurmJobState> parseScontrol(const std::string& text);
// `sacct --parsable2 --noheader --format=State,ExitCode,NodeList,Reason` of the job itself.
[[nodiscard]] std::optional<SlurmJobState> parseSacct(const std::string& text);

// Standard output of one of SLURM's commands. Errors: it cannot be started, takes more than a minute, or ends with
// another status than 0: what it says on stderr.
[[nodiscard]] Result<std::string> outputOfSlurm(const std::string& program, const std::vector<std::string>& arguments);

// The number of the new job. Errors: there is no sbatch, or what it says against it.
[[nodiscard]] Result<std::string> submitJob(const std::filesystem::path& script, bool behindItsNamesakes);
// Asks the controller, or the accounting if the controller has forgotten the job. Errors: neither answers.
[[nodiscard]] Result<SlurmJobState> slurmJobState(const std::string& job);
Status cancelJob(const std::string& job);

}  // namespace dasgd::experiments
