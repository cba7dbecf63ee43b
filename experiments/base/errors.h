// How a command ends: its exit status and what it says on stderr.
#pragma once

#include "core/base/result.h"

namespace dasgd::experiments {

// The exit statuses that scripts may rely on.
enum ExitCode : int { kFinished = 0, kRunFailed = 1, kWrongInput = 2, kStopped = 130 };

// Says what is wrong on stderr; the status for a wrong experiment or command line.
int refuse(const Error& error);

}  // namespace dasgd::experiments
