// The other side of a mirror: keeps a copy of a remote workspace's runs in a workspace of this machine, and goes on
// after each connection that was lost.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "experiments/base/stop_signals.h"
#include "experiments/transport/mirror/remote.h"

namespace dasgd::experiments {

struct MirrorNews {
    enum class State { Connected, CaughtUp, Lost };
    State state{};
    std::int64_t records = 0;            // number of records that this process has stored
    std::size_t runs = 0;                // number of runs of which records were taken
    std::string why;                     // in state Lost: the reason
    std::chrono::milliseconds again{0};  // in state Lost: time until the next try
};

struct MirrorOptions {
    Remote remote;
    std::filesystem::path workspace;
    int owner = -1;                              // a descriptor: whoever started us is gone once it is closed there
    bool once = false;                           // ends once it has all that there is
    double intervalS = 0.2;                      // between two looks there
    std::chrono::milliseconds patience{15'000};  // with a silent link
    std::chrono::milliseconds firstPause{500}, longestPause{30'000};  // before it connects again; doubles each time
    std::function<void(const MirrorNews&)> news;
    std::function<void(const std::string&)> said;  // a line that ssh or the program there printed for people
};

// Until a signal comes, the owner is gone, or `once` and it has everything. Errors: the first connection does not come
// about, the other side refuses, this workspace cannot be written, a run has more than is taken (MirrorSink::check),
// what comes is damaged three times in a row.
Status keepMirror(const MirrorOptions& options, StopSignals& signals);

}  // namespace dasgd::experiments
