// SIGINT and SIGTERM as something to wait for, instead of something that ends us; SIGHUP ignored, so that a run
// outlives its terminal. Made once, in main's thread, before any other thread: they inherit the blocked mask.
#pragma once

#include "core/base/result.h"
#include "experiments/base/process.h"

namespace dasgd::experiments {

class StopSignals {
public:
    StopSignals();
    // Readable when a signal came.
    [[nodiscard]] int fd() const { return fd_.get(); }
    // Takes in what came since; returns how many in all.
    int count();

private:
    Descriptor fd_;
    int count_ = 0;
};

}  // namespace dasgd::experiments
