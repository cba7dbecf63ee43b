// Waiting for sends and receives of c10d, whose end only a thread sees that blocks in wait().
#pragma once

#include <chrono>
#include <deque>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "core/comm/completion.h"

namespace dasgd {

using GlooWorks = std::deque<c10::intrusive_ptr<c10d::Work>>;

inline constexpr char kClosed[] = "the communicator was closed";

// Waits for all of them, without a deadline: a wait that times out breaks all connections. Returns "" where all ended
// without an error, else the reason.
[[nodiscard]] inline std::string awaitAll(const GlooWorks& works) {
    constexpr std::chrono::milliseconds kForever = std::chrono::hours(24 * 3650);  // c10d has no wait without an end
    try {
        for (const auto& work : works) {
            if (!work->wait(kForever)) return kClosed;
        }
        return {};
    } catch (const std::exception& error) {
        return firstLine(error);
    }
}

}  // namespace dasgd
