// Finds the threads of a file that compute; the others belong to a communication library.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "experiments/tools/traces/import/slice_sorter.h"
#include "experiments/tools/traces/import/thread_frames.h"

namespace dasgd::experiments {

// Takes the slices of a whole file, as one slice tells nothing: a profiler that starts in the middle of a collective
// leaves a library's copy without the work around it, and a thread that computes may begin with a work.
//
// A thread computes where it calls a collective outside of works, where works overlap its operators without lying
// around them (PyTorch's older versions told a work on the thread that had begun it), or where operators outside of
// works take longer than those inside. In a process of which no thread does, those with any operator outside of works
// compute.
class ThreadSurvey {
public:
    // `processes`: the process of each track.
    explicit ThreadSurvey(std::vector<std::uint32_t> processes)
        : processes_(std::move(processes)), threads_(processes_.size()) {}

    // By start; of slices that start together the longer first.
    void add(const Slice& slice, ThreadFrames::Frame frame);
    // By track.
    [[nodiscard]] std::vector<bool> computing() const;

private:
    // Time that any slice of a kind covers.
    struct Cover {
        Ns total = 0, until = INT64_MIN;
        void add(const Slice& slice);
    };
    struct Thread {
        Cover outside, inside;                // operators and calls that begin outside of works, and inside of one
        Ns workUntil = INT64_MIN;             // end of the works so far
        std::int64_t works = 0, crossed = 0;  // number of works; of those whose begin or end lies in an operator
        std::int64_t lastCrossed = 0;
        bool calls = false;  // a collective, outside of works
        [[nodiscard]] bool computes() const;
    };

    static void cross(Thread& thread);

    std::vector<std::uint32_t> processes_;
    std::vector<Thread> threads_;  // by track
};

}  // namespace dasgd::experiments
