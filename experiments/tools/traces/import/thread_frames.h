// Finds the time of each slice of a file that is its own work: calls of a thread are nested, kernels of a stream follow
// one another.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "experiments/tools/traces/import/slice_sorter.h"
#include "experiments/tools/traces/import/trace_slices.h"

namespace dasgd::experiments {

// Takes slices by their start and gives on those whose time counts, in any order. An operator counts from its begin to
// its end, and operators inside of it do not count again. Where the call of a collective lies inside, the operator
// waits or only passes it on (an autograd node around a hook, a tensor subclass around its wait): then its own time
// does not count, and the operators inside of it do. PyTorch records no frame for a wait outside of functional
// collectives, so that time next to a call might be a wait: it is left out rather than counted as compute. Operators
// inside of a call are part of the collective.
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
    // Profilers that count whole microseconds let a call end up to one of them after the one that it lies in.
    static constexpr Ns kRounding = 1000;
    // Slices that wait for the end of the operator around them, of all threads. Beyond that, operators count by those
    // inside of them.
    static constexpr std::size_t kMostHeld = 1 << 18;

    // `computing`: the threads that compute, by track (thread_survey.h).
    ThreadFrames(std::vector<bool> computing, Take take, TraceCounts& leftOut, TraceCounts& remarks)
        : take_(std::move(take)),
          leftOut_(leftOut),
          remarks_(remarks),
          computing_(std::move(computing)),
          threads_(computing_.size()) {}

    void add(Slice slice, Frame frame);
    // No more slices.
    void finish();

private:
    struct Open {
        Slice slice;
        Frame frame = Frame::Operator;
        bool hasCall = false;       // it counts by the operators inside; then so do all frames around it
        std::vector<Slice> inside;  // operators right inside of an Operator, as long as it holds no call
    };
    static constexpr std::size_t kNone = SIZE_MAX;
    struct Thread {
        std::vector<Open> open;       // a Call is the last one
        std::vector<Slice> kernels;   // kernels that start together, until the next one begins
        Ns coveredUntil = INT64_MIN;  // end of the outermost operators so far
        // The outermost open Compiled, whose time counts but for the calls; nothing inside of it counts again.
        std::size_t compiled = kNone;          // its place in `open`
        Ns compiledFrom = 0;                   // the time before is given on, or cut out
        bool hasFrames = false;                // it holds call frames, which tell what to cut out; works do not
        std::vector<std::pair<Ns, Ns>> works;  // works inside of it, as long as it holds no call frame
    };

    void addKernel(Thread& thread, const Slice& kernel);
    // Closes the frames that end before the slice; where a slice outlasts its frame by rounding only, its end moves.
    void enter(Thread& thread, Slice& slice, Frame frame);
    void close(Thread& thread);
    void count(Thread& thread, const Slice& slice);
    // Notes a call in the outermost `depth` frames, and gives on the operators that waited for the ends of these.
    void splitAround(Thread& thread, std::size_t depth);
    // Work that a thread which computes tells from begin to end inside of an operator: it was waited for there.
    void addWork(Thread& thread, const Slice& work);
    // Gives on the time of the compiled frame before `from`, and leaves out what follows until `to`.
    void cutOut(Thread& thread, const Slice& compiled, Ns from, Ns to);
    void cutOutWorks(Thread& thread, const Slice& compiled);
    void closeCompiled(Thread& thread, const Open& compiled);

    Take take_;
    TraceCounts& leftOut_;
    TraceCounts& remarks_;
    std::vector<bool> computing_;  // by track, as `threads_`
    std::vector<Thread> threads_;
    std::size_t held_ = 0;  // slices and works in all threads
};

}  // namespace dasgd::experiments
