// Finds out which rank is missing after a rank that was started by hand has failed. The network library of a survivor
// reports at most a closed connection or a passed deadline, but not whose. So a failing rank asks for a check through
// the common store: a thread in every rank's process answers, whatever its training thread does; rank 0 tells all ranks
// which did not answer, and if rank 0 tells nothing, the others name rank 0.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "core/comm/gloo/gloo.h"

namespace dasgd::experiments {

struct LivenessResult {
    // "rank 3 on node4 (10.0.0.4) does not answer", with "; rank 2 on node3 (10.0.0.3) failed: …" of who called the
    // roll; where all answer "rank 2 on node3 (10.0.0.3) failed first: …"; "" where nothing is known besides this
    // rank's own failure.
    std::string text;
    bool allAnswer = true;
    bool rankZeroAnswers = true;  // rank 0, which serves the store and takes in records
};

class LivenessCheck {
public:
    // How long a rank may take to answer; of rank 0's word to the others, besides.
    static constexpr std::chrono::milliseconds kAnswer{2000}, kWord{1000};

    // Collective. `host`: of this rank, as the others are to name it. Errors: rank 0 did not come to this in time.
    static Result<LivenessCheck> open(Rendezvous& store, int rank, int size, const std::string& host);
    LivenessCheck(LivenessCheck&&) noexcept = default;
    // Sees a roll call that goes on to its end, but does not wait for a store that does not answer. A rank that leaves
    // without a failure of its own or of another must not do so before all have ended: it would be missing.
    ~LivenessCheck();

    // This rank has failed: of `error`, or has finished and does not hear how others ended: "". Waits for the roll's
    // end, at most kAnswer and kWord; after one that another rank called it answers at once.
    LivenessResult call(const std::string& error);

private:
    class Work;
    explicit LivenessCheck(std::shared_ptr<Work> work);
    std::shared_ptr<Work> work_;  // shared with the thread, which may outlive this object
    std::thread thread_;
};

}  // namespace dasgd::experiments
