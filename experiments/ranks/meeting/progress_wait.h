// Waiting for what other ranks say while files of some are on their way to rank 0's host, or from there: rank 0 sees
// whether anything moves, and the others hear it from rank 0.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/comm/gloo/gloo.h"

namespace dasgd::experiments {

// Waits for the other ranks on one matter, which has the same name on all ranks. `store` outlives it. One thread.
class ProgressWait {
public:
    // Grows while files are on their way; null where none can be.
    using Moved = std::function<std::int64_t()>;

    // `timeout`: how long nothing may move. `moved` is asked of rank 0 alone.
    ProgressWait(Rendezvous& store, std::string matter, int rank, std::chrono::milliseconds timeout, Moved moved)
        : store_(store), matter_(std::move(matter)), rank_(rank), timeout_(timeout), moved_(std::move(moved)) {}

    // Errors: nothing has moved for the timeout, or the store is gone.
    Result<std::string> get(const std::string& key);

private:
    [[nodiscard]] bool moves();
    [[nodiscard]] std::string wordKey() const;

    Rendezvous& store_;
    const std::string matter_;
    const int rank_;
    const std::chrono::milliseconds timeout_;
    const Moved moved_;
    std::int64_t seen_ = 0, words_ = 0;
    std::chrono::steady_clock::time_point said_;
};

}  // namespace dasgd::experiments
