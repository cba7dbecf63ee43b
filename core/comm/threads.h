// Ranks as threads of one process: for tests, debugging and teaching. Sums are pairwise in rank order, so results are
// the same from run to run. A message is copied when both of its ends are there, by the thread of the second.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/comm/communicator.h"

namespace dasgd {

// State shared by the ranks of one run. Thread-safe. Owns the thread that carries out collectives while the ranks
// compute, one at a time in the order in which they became complete.
class ThreadsGroup {
public:
    ThreadsGroup(int size, std::chrono::milliseconds timeout, const Clock& clock);
    ~ThreadsGroup();
    ThreadsGroup(const ThreadsGroup&) = delete;
    ThreadsGroup& operator=(const ThreadsGroup&) = delete;

    // One communicator a rank; the group outlives it.
    [[nodiscard]] std::unique_ptr<Communicator> communicator(Rank rank);
    // Called when a rank has failed: every operation that is open, and every later one, fails with this reason.
    void abort(const std::string& reason);

    class Impl;

private:
    std::shared_ptr<Impl> impl_;
};

}  // namespace dasgd
