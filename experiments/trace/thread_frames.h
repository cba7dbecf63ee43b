// Finds the time of each slice of a file that is its own work: calls of a thread are nested, kernels of a stream follow
// one another.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "experiments/trace/slice_sorter.h"
#include "experiments/trace/trace_slices.h"

namespace dasgd::experiments {

// Takes slices by their start and gives on those whose time counts, in any order. An operator counts from its begin to
// its end, and operators inside of it do not count again. Where the call of a collective lies inside, the operator
// waits or only passes it on (an autograd node around a hook, a tensor subclass around its wait): then its own time
// does not count, and the operators inside of it do. Operators inside of a call are part of the collective.
class ThreadFrames {
public:
    enum class Frame : std::uint8_t {
        Operator,
        Compiled,  // an operator with kernels of its own that are no slices: only the collective's calls are cut out
        Call,      // a collective's call frame on the thread that makes it; never given on
        Work,   // a collective's time: on a thread of the communication library a Call, on one that computes no frame
        Kernel  // work of a stream, which does one thing after the other: it ends where the next one begins
    };
    using Take = std::function<void(const Slice&)>;
    ThreadFrames(std::size_t tracks, Take take, TraceCounts& leftOut, TraceCounts& remarks)
        : take_(std::move(take)), leftOut_(leftOut), remarks_(remarks), threads_(tracks) {}

    void add(Slice slice, Frame frame);
    // No more slices.
    void finish();

private:
    struct Open {
        Slice slice;
        Frame frame = Frame::Operator;
        bool hasCall = false;
        std::vector<Slice> inside;             // operators right inside of an Operator, as long as it holds no call
        std::vector<std::pair<Ns, Ns>> calls;  // inside of a Compiled
    };
    struct Thread {
        std::vector<Open> open;      // a Call is the last one
        std::vector<Slice> kernels;  // kernels that start together, until the next one begins
        Ns coveredUntil = kNever;    // end of the outermost operators so far
        bool computes = false;       // it has operators or calls outside of Work
    };
    static constexpr Ns kNever = INT64_MIN;

    void addKernel(Thread& thread, const Slice& kernel);
    // Closes the frames that end before the slice; where a slice outlasts its frame by rounding only, its end moves.
    void enter(Thread& thread, Slice& slice, Frame frame);
    void close(Thread& thread);
    void count(Thread& thread, const Slice& slice);
    void giveOnBetween(const Open& compiled);
    // Work that a thread which computes tells from begin to end inside of an operator: it was waited for there.
    void noteCall(Thread& thread, const Slice& call);

    Take take_;
    TraceCounts& leftOut_;
    TraceCounts& remarks_;
    std::vector<Thread> threads_;  // by track
};

}  // namespace dasgd::experiments
