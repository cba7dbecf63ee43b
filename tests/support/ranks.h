// Ranks as threads of the test, over either communicator: `runRanks(Backend::Gloo, 4, [](Communicator& comm, Clock&)
// {…})`.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/comm/gloo/gloo.h"
#include "core/comm/threads.h"
#include "tests/support/full_tests.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {

enum class Backend { Threads, Gloo };
inline std::string nameOf(Backend backend) { return backend == Backend::Threads ? "threads" : "gloo"; }

// Communicators over which a suite runs its ranks. Where it runs on another backend
// (tests/support/nccl/suite_backend.cpp), that one takes the place of threads, and there is no need to run over Gloo
// once more.
inline std::vector<Backend> suiteBackends() {
    if (std::getenv("DASGD_TEST_BACKEND")) return {Backend::Threads};
    return {Backend::Threads, Backend::Gloo};
}

// Communicators for the many settings of one rule's oracle. In one setting every rule takes the same way over Gloo as
// over threads in tests/core/algorithms/every_backend_test.cpp; the others run over Gloo with `./lab test --full`.
inline std::vector<Backend> oracleBackends() { return testsInFull() ? suiteBackends() : std::vector{Backend::Threads}; }

using RankBody = std::function<void(Communicator&, Clock&)>;
using OwningRankBody = std::function<void(std::unique_ptr<Communicator>, Clock&)>;
// Wraps a rank's communicator, for example in an emulated link.
using Dress = std::function<std::unique_ptr<Communicator>(std::unique_ptr<Communicator>, Clock&)>;

// Runs `body` once a rank, each in a thread of its own; the first exception is thrown again here. A rank that throws
// aborts the others, as a run does.
inline void runRanksOwning(Backend backend, int size, const OwningRankBody& body,
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
                body(std::move(comm), clock);
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

inline void runRanks(Backend backend, int size, const RankBody& body,
                     std::chrono::milliseconds timeout = std::chrono::milliseconds(20'000),
                     const Dress& dress = nullptr) {
    runRanksOwning(
        backend, size, [&](const std::unique_ptr<Communicator>& comm, Clock& clock) { body(*comm, clock); }, timeout,
        dress);
}

}  // namespace dasgd::test
