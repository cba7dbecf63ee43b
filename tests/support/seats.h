// Ranks as threads that meet at one store, each with a connection of its own.
#pragma once

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "experiments/ranks/meeting/decision.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {

// Answers of `body`, a copy of it for each rank, by rank.
template <class Body>
std::vector<std::string> onSeats(int size, Body body, std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    const TempDir dir;
    std::vector<std::string> answers(static_cast<std::size_t>(size));
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < size; ++rank) {
        ranks.emplace_back([&, rank, body]() mutable {
            auto store = Rendezvous::file(dir / "store", size, std::chrono::seconds(20)).value();
            answers[static_cast<std::size_t>(rank)] = body(experiments::Seat{store, rank, size, patience});
        });
    }
    for (std::thread& rank : ranks) rank.join();
    return answers;
}

}  // namespace dasgd::test
