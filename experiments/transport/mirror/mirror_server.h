// One side of a mirror: tells the runs of a workspace of this machine over its standard input and output. It listens on
// nothing; whoever started it, over ssh, is who may read.
#pragma once

#include <chrono>
#include <filesystem>

#include "core/base/result.h"
#include "experiments/base/stop_signals.h"

namespace dasgd::experiments {

struct MirrorServerOptions {
    std::filesystem::path workspace;
    std::chrono::milliseconds interval{200};     // between two looks at a workspace that has nothing new
    std::chrono::milliseconds patience{60'000};  // with a silent other side
};

// Until the other side closes `in`, or a signal comes. SIGPIPE is ignored. Errors, which the other side is told too:
// there is no workspace, or of another version; what comes is no frame; silence.
Status serveMirror(const MirrorServerOptions& options, int in, int out, StopSignals& signals);

}  // namespace dasgd::experiments
