// `dasgd doctor --on NAME`: what each host of a cluster lacks, before a run is started on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "experiments/config/cluster_profile.h"

namespace dasgd::experiments {

struct ClusterFinding {
    std::string host;
    std::string what;     // reachable, version, network, clock, …
    std::string verdict;  // ok, note, broken
    std::string text;     // with what to do, where it is not ok
};

// Between the calendars of two hosts, by what each answered to the same process.
struct ClockOffset {
    Ns offset = 0;  // offset of the host's clock from the clock of this host
    Ns bound = 0;   // largest error of the offset
};
// Clock readings of the fastest exchange: `sent` and `taken` on this host, `there` on the other.
struct ClockExchange {
    Ns sent = 0, there = 0, taken = 0;
};
[[nodiscard]] ClockOffset clockOffsetOf(const std::vector<ClockExchange>& exchanges);
[[nodiscard]] ClusterFinding clockFinding(const std::string& host, const ClockOffset& own, const ClockOffset& first);

// Asks the hosts. Kinds "ssh" and "slurm"; a local cluster is what `dasgd doctor` looks at anyway.
[[nodiscard]] std::vector<ClusterFinding> examineHosts(const ClusterProfile& profile);
[[nodiscard]] std::vector<ClusterFinding> examineSlurm(const ClusterProfile& profile);

// Prints them, as a table or one JSON object; the exit status: 1 where something is broken.
[[nodiscard]] int reportFindings(const std::vector<ClusterFinding>& findings, bool json);

}  // namespace dasgd::experiments
