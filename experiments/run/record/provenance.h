// Where and with what a run was made.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "storage/runs/hardware.h"

namespace dasgd::experiments {

struct Provenance {
    std::string host, cpu;
    std::vector<storage::HardwarePart> hardware;
    std::string gitCommit;     // "" outside a repository
    bool gitDirty = false;     // uncommitted changes; files that git does not know (the workspace …) do not count
    std::string gitDirtyDiff;  // against the commit; cut off after 1 MiB, which its last line then says
    std::string versions;      // JSON object: library → version
};

// `near`: the folder whose repository counts, the working folder where that is in none. Takes at most a few seconds.
[[nodiscard]] Provenance collectProvenance(const std::filesystem::path& near);

// {"LibTorch": "2.11.0", …}
[[nodiscard]] std::string versionsJson();

[[nodiscard]] std::string cpuModel();
// "8 of 16 cores to use" where not all of the host's are for us, "16 cores to use for the time of 1.5" in a container
// that may take no more of it (`quota`, cores).
[[nodiscard]] std::string coresInWords(int own, long all, std::optional<double> quota);
// "Intel(R) Xeon(R) Processor, 16 cores to use, 135.1 GB memory".
[[nodiscard]] std::string machineInWords();

}  // namespace dasgd::experiments
