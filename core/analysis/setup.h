// What a run was made of and on, beside its algorithm: model, data, workers, batch, backend, link and machine. Runs
// that differ in it are no comparison of algorithms alone, and a caption has to say it. Pure functions, callable from
// any thread.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/configuration.h"

namespace dasgd {

// What the times of a run are: of a machine, of a machine whose link was slowed down to another one, of a model, or of
// a trace that another program wrote.
enum class TimeSource { Measured, EmulatedLink, Simulated, Imported };
// "measured", "measured, emulated link", "simulated", "imported".
[[nodiscard]] const char* timeInWords(TimeSource source);

struct SetupPart {
    std::string what;  // "link"
    std::string text;  // "200Mbps, 1ms, emulated"
    Settings detail;   // settings that make it another one although its text is the same
    bool operator==(const SetupPart&) const = default;
};

// In the order of a caption. A part that a run does not have, or of which nothing is known, is absent: the machine of
// simulated time, which it does not depend on, and the cores of older runs, which did not record them.
using RunSetup = std::vector<SetupPart>;

// What a run was computed on; what is not known is "", and 0.
struct RunMachine {
    std::string host;  // that started it
    std::string processor, cores;
    std::string time;       // of how many cores it might take at most, in a container that has a quota
    bool allCores = false;  // `cores` are known and all that the host has
    std::size_t hosts = 0;  // of its ranks
};
// `cpu` as it was recorded: "EPYC 7543, 16 cores to use, 135.1 GB memory", of older runs "EPYC 7543", and "16 cores to
// use for the time of 1.5" under a quota. The memory is no part of a machine: another kernel says another tenth of a
// gigabyte of it.
[[nodiscard]] RunMachine machineOf(const std::string& host, const std::string& cpu, std::size_t hosts);

[[nodiscard]] RunSetup setupOf(const Settings& settings, TimeSource time, const RunMachine& machine);

// A part in which set-ups differ, and what it is in them, each once. Where texts are the same they have the settings
// that are not.
struct SetupDifference {
    std::string what;
    std::vector<std::string> values;
};
// Among those that have the part.
[[nodiscard]] std::vector<SetupDifference> setupDifferences(const std::vector<const RunSetup*>& setups);
[[nodiscard]] std::vector<SetupDifference> setupDifferences(const std::vector<RunSetup>& setups);
// The parts that all of them have alike.
[[nodiscard]] RunSetup commonSetup(const std::vector<RunSetup>& setups);

// "workers 2 / 4; link not emulated / 200Mbps, 1ms, emulated"; "" without any.
[[nodiscard]] std::string setupInWords(const std::vector<SetupDifference>& differences);
// "lenet on mnist, 4 workers, 1 host, batch 32 a worker, gloo, link not emulated".
[[nodiscard]] std::string setupInWords(const RunSetup& setup);

}  // namespace dasgd
