// The end of a command: its exit status and its message on stderr.
#pragma once

#include <string>

#include "core/base/result.h"

namespace dasgd::experiments {

// The exit statuses that scripts may rely on.
enum ExitCode : int { kFinished = 0, kRunFailed = 1, kWrongInput = 2, kStopped = 130 };

// Says what is wrong on stderr; the status for a wrong experiment or command line.
int refuse(const Error& error);

// The status to end with after `status`: output that did not arrive, on a full disk for instance, is said on stderr and
// no success. For the end of main.
[[nodiscard]] int statusOfOutput(int status);

// For a handler of exceptions: what the present one says, in one line.
[[nodiscard]] std::string presentException();
// Says on stderr what a library threw and nobody expected; the status of a run that failed. In a handler.
int failUnexpectedly();
// From now on an exception that no handler takes, on whatever thread (libraries have threads of their own), ends the
// process with that line and that status instead of aborting it.
void endOnUncaughtExceptions();

}  // namespace dasgd::experiments
