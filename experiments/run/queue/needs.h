// The cores and GPUs that a run needs while it trains, and those of this machine that runs may take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/schema/value.h"

namespace dasgd::experiments {

struct Needs {
    int cores = 1, gpus = 0;
    bool operator==(const Needs&) const = default;
};

// Needs of a resolved experiment: a core for each compute thread of a rank (simulated ranks take turns in one process),
// and the GPUs that its ranks compute on.
[[nodiscard]] Needs needsOf(const Value& resolved);
// needsOf() for the text of an experiment; one core if it cannot be read.
[[nodiscard]] Needs needsOf(const std::string& resolvedToml);
// "4 cores", "4 cores and 2 GPUs".
[[nodiscard]] std::string inWords(const Needs& needs);

// CPUs by the kernel's numbers; GPUs as CUDA_VISIBLE_DEVICES names them.
struct Machine {
    std::vector<int> cpus;
    std::vector<std::string> gpus;
    [[nodiscard]] Needs size() const { return {static_cast<int>(cpus.size()), static_cast<int>(gpus.size())}; }
};

// The first `cores` and `gpus` of those that this process may use (its affinity, CUDA_VISIBLE_DEVICES, NVML). Errors:
// there are fewer.
[[nodiscard]] Result<Machine> ownMachine(std::optional<int> cores, std::optional<int> gpus);

// "0-3,6" and back; nullopt where the text is something else, or a number is over 1,000,000.
[[nodiscard]] std::string listText(const std::vector<int>& numbers);
[[nodiscard]] std::optional<std::vector<int>> listOf(const std::string& text);

// From now on this thread, and the processes that it starts, run on these CPUs alone.
[[nodiscard]] Status runOn(const std::vector<int>& cpus);

}  // namespace dasgd::experiments
