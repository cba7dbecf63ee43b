// Ranks as threads of the test, over either communicator: `runRanks(Backend::Gloo, 4, [](Communicator& comm, Clock&)
// {…})`.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/comm/gloo.h"
#include "core/comm/threads.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {

// c10d keeps one flight recorder a process, and its tables are not locked where two groups write their first operations
// at one moment: only tests have two groups in a process. Before any thread is there.
inline const int kNoFlightRecorder = ::setenv("TORCH_FR_BUFFER_SIZE", "0", 1);

enum class Backend { Threads, Gloo };
inline std::string nameOf(Backend backend) { return backend == Backend::Threads ? "threads" : "gloo"; }

using RankBody = std::function<void(Communicator&, Clock&)>;
// What stands between a rank and its communicator, as an emulated link.
using Dress = std::function<std::unique_ptr<Communicator>(std::unique_ptr<Communicator>, Clock&)>;

// Runs `body` once a rank, each in a thread of its own; the first exception is thrown again here. A rank that throws
// aborts the others, as a run does.
inline void runRanks(Backend backend, int size, const RankBody& body,
                     std::chrono::milliseconds timeout = std::chrono::milliseconds(20'000),
                     const Dress& dress = nullptr) {
    MonotonicClock clock;
    const TempDir folder;
    ThreadsGroup group(size, timeout, clock);
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
    std::vector<std::thread> threads;
    for (int r = 0; r < size; ++r) {
        threads.emplace_back([&, r] {
            try {
                std::unique_ptr<Communicator> comm;
                if (backend == Backend::Threads) {
                    comm = group.communicator(Rank{r});
                } else {
                    auto rendezvous =
                        Rendezvous::file(folder.path() / "store", size, std::chrono::milliseconds(20'000));
                    if (!rendezvous) throw std::runtime_error(rendezvous.error().message);
                    auto made = makeGloo(*rendezvous, {.rank = Rank{r}, .size = size, .timeout = timeout}, clock);
                    if (!made) throw std::runtime_error(made.error().message);
                    comm = std::move(*made);
                }
                if (dress) comm = dress(std::move(comm), clock);
                body(*comm, clock);
            } catch (...) {
                errors[static_cast<std::size_t>(r)] = std::current_exception();
                group.abort("rank " + std::to_string(r) + " failed");
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors) {
        if (error) std::rethrow_exception(error);
    }
}

}  // namespace dasgd::test
