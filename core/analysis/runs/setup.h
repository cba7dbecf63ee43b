// Set-up of a run, beside its algorithm: model, data, workers, batch, backend, link and machine. Runs that differ in it
// do not compare algorithms alone, and a caption has to say so. Pure functions, callable from any thread.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/runs/configuration.h"

namespace dasgd {

// Source of a run's times: a machine, a machine whose link was slowed down to another one, a model, or a trace that
// another program wrote.
enum class TimeSource { Measured, EmulatedLink, Simulated, Imported };
// "measured", "measured, emulated link", "simulated", "imported".
[[nodiscard]] const char* timeInWords(TimeSource source);

struct SetupPart {
    std::string what;  // "link"
    std::string text;  // "200Mbps, 1ms, emulated"
    Settings detail;   // settings in which it may differ although its text is the same
    bool operator==(const SetupPart&) const = default;
};

// Parts in the order of a caption. A part that a run does not have, or that is not known, is absent: the machine of
// simulated time, which does not depend on it, and the cores of older runs, which did not record them.
using RunSetup = std::vector<SetupPart>;

// Machine that a run was computed on; unknown members are "", and 0.
struct RunMachine {
    std::string host;  // host that started it
    std::string processor, cores;
    std::string time;       // number of cores whose time it might take at most, under a container's quota
    bool allCores = false;  // `cores` are known, and are all that the host has
    std::size_t hosts = 0;  // number of hosts of its ranks
};
// Parses `cpu` as it was recorded: "EPYC 7543, 16 cores to use, 135.1 GB memory", in older runs "EPYC 7543", and "16
// cores to use for the time of 1.5" under a quota. The memory is not part of a machine: another kernel reports another
// tenth of a gigabyte of it.
[[nodiscard]] RunMachine machineOf(const std::string& host, const std::string& cpu, std::size_t hosts);

[[nodiscard]] RunSetup setupOf(const Settings& settings, TimeSource time, const RunMachine& machine);

// A part in which set-ups differ, and its values, each once. Where texts are the same they include the settings that
// differ.
struct SetupDifference {
    std::string what;
    std::vector<std::string> values;
};
// Differences among the set-ups that have the part.
[[nodiscard]] std::vector<SetupDifference> setupDifferences(const std::vector<const RunSetup*>& setups);
[[nodiscard]] std::vector<SetupDifference> setupDifferences(const std::vector<RunSetup>& setups);
// The parts that are the same in all of them.
[[nodiscard]] RunSetup commonSetup(const std::vector<RunSetup>& setups);

// Text for a caption: "workers 2 / 4; link not emulated / 200Mbps, 1ms, emulated"; "" without any difference.
[[nodiscard]] std::string setupInWords(const std::vector<SetupDifference>& differences);
// Text for a caption: "lenet on mnist, 4 workers, 1 host, batch 32 a worker, gloo, link not emulated".
[[nodiscard]] std::string setupInWords(const RunSetup& setup);

}  // namespace dasgd
