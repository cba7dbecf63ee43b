// Contract of every communicator of GPUs with tensors of its rank's device, over stand-ins or on a machine's GPUs.
#pragma once

#include <gmock/gmock.h>
#include <torch/types.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "core/backends/backend.h"
#include "tests/support/hosted.h"

namespace dasgd::test {

// Waits on the host, as code does that looks at a tensor's values.
inline void waitOnHost(Pending& pending) {
    pending.wait();
    while (!pending.done()) std::this_thread::sleep_for(std::chrono::microseconds(100));
    pending.wait();
}

inline std::string failureOf(Pending& pending) {
    try {
        waitOnHost(pending);
        return "";
    } catch (const CommError& error) {
        return error.what();
    }
}

// Every kind of collective, an exchange, and a group. Numbers are small integers: each way of summing gives the same.
inline void expectEveryCollective(HostedRank& rank) {
    Communicator& comm = rank.comm;
    const int ranks = comm.size(), own = comm.rank().value();
    const at::TensorOptions there = at::TensorOptions(at::kFloat).device(rank.device->device());
    const auto all = [&](const at::Tensor& tensor, double value, const char* what) {
        EXPECT_TRUE(tensor.cpu().eq(value).all().item<bool>()) << what << ", rank " << own;
    };
    const auto reduced = [&](Reduce op) {
        at::Tensor values = torch::full({1000}, own + 1.0, there);
        Pending pending = comm.allReduce(values, op);
        waitOnHost(pending);
        return values;
    };
    const int sum = ranks * (ranks + 1) / 2;
    all(reduced(Reduce::Sum), sum, "sum");
    all(reduced(Reduce::Max), ranks, "max");
    all(reduced(Reduce::Mean), (ranks + 1) / 2.0, "mean");
    {
        const at::Tensor rows = torch::arange(ranks, there).unsqueeze(1).expand({ranks, 7}).contiguous() + own;
        at::Tensor row = torch::zeros({7}, there);
        Pending pending = comm.reduceScatter(rows, row, Reduce::Sum);
        waitOnHost(pending);
        all(row, ranks * own + ranks * (ranks - 1) / 2.0, "reduce-scatter");
    }
    {
        const at::Tensor mine = torch::full({5}, own, there);
        at::Tensor rows = torch::zeros({ranks, 5}, there);
        Pending pending = comm.allGather(mine, rows);
        waitOnHost(pending);
        for (int r = 0; r < ranks; ++r) all(rows[r], r, "all-gather");
    }
    {
        std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks));
        std::iota(counts.begin(), counts.end(), 1);
        const at::Tensor mine = torch::full({own + 1}, own, there);
        at::Tensor parts = torch::full({sum}, -1, there);
        Pending pending = comm.allGatherV(mine, parts, counts);
        waitOnHost(pending);
        for (std::int64_t r = 0, at = 0; r < ranks; at += r + 1, ++r) {
            all(parts.narrow(0, at, r + 1), static_cast<double>(r), "all-gather of unequal parts");
        }
    }
    {
        const at::Tensor out = torch::arange(ranks, there).unsqueeze(1).expand({ranks, 3}).contiguous() + 10 * own;
        at::Tensor in = torch::zeros({ranks, 3}, there);
        Pending pending = comm.allToAll(out, in);
        waitOnHost(pending);
        for (int r = 0; r < ranks; ++r) all(in[r], 10 * r + own, "all-to-all");
    }
    {
        at::Tensor values = torch::full({9}, own, there);
        Pending pending = comm.broadcast(values, Rank{ranks - 1});
        waitOnHost(pending);
        all(values, ranks - 1, "broadcast");
    }
    if (ranks < 2) return;
    {
        const Rank next((own + 1) % ranks), before((own + ranks - 1) % ranks);
        const at::Tensor ahead = torch::full({1000}, own, there), back = torch::full({3}, 10 + own, there);
        at::Tensor fromBefore = torch::zeros({1000}, there), fromNext = torch::zeros({3}, there);
        const std::int64_t sent = comm.bytesSent();
        std::vector<Pending> exchanged = comm.exchange({{.peer = before, .tensor = fromBefore},
                                                        {.sends = true, .peer = next, .tensor = ahead},
                                                        {.peer = next, .tensor = fromNext},
                                                        {.sends = true, .peer = before, .tensor = back}});
        EXPECT_EQ(comm.bytesSent(), sent + 4 * (1000 + 3));
        EXPECT_EQ(exchanged.size(), 1U) << "by the stream, not by the host";
        for (Pending& pending : exchanged) waitOnHost(pending);
        all(fromBefore, before.value(), "an exchange ahead");
        all(fromNext, 10 + next.value(), "an exchange back");
    }
    // The last rank and the first, in that order; the others are in none.
    if (own != 0 && own != ranks - 1) return;
    const auto pair = comm.split({Rank{ranks - 1}, Rank{0}});
    at::Tensor values = torch::full({4}, own + 1.0, there);
    Pending pending = pair->allReduce(values, Reduce::Sum);
    waitOnHost(pending);
    all(values, ranks + 1, "a group");
}

// The second of two ranks does not come to a collective: the first says so at its deadline, by rank, operation and
// number, and whatever comes later fails at once. The deadline is that of connecting too.
inline void expectALateRankIsNamed(const dasgd::Backend& backend, const ClusterParams& given, int timeoutS = 1) {
    std::mutex mutex;
    std::condition_variable failed;
    bool over = false;
    MonotonicClock clock;
    ClusterParams cluster = given;
    cluster.workers = 2;
    cluster.timeoutS = timeoutS;
    EXPECT_THAT(
        onBackend(backend, cluster,
                  [&](RankHost&, HostedRank& rank) {
                      at::Tensor own = torch::ones({16}, at::TensorOptions(at::kFloat).device(rank.device->device()));
                      Pending first = rank.comm.allReduce(own, Reduce::Sum);
                      waitOnHost(first);
                      std::unique_lock lock(mutex);
                      if (rank.comm.rank() == Rank{1}) return failed.wait(lock, [&] { return over; });
                      lock.unlock();
                      const Ns start = clock.now();
                      Pending second = rank.comm.allReduce(own, Reduce::Sum);
                      EXPECT_THAT(failureOf(second),
                                  testing::ContainsRegex("rank 0: all_reduce #2 .64 bytes..*did not end within " +
                                                         std::to_string(timeoutS) + "000"));
                      EXPECT_LT(clock.now() - start, (timeoutS + 5) * 1'000'000'000LL) << "the timeout and 5 s";
                      Pending third = rank.comm.allReduce(own, Reduce::Sum);
                      EXPECT_THAT(failureOf(third), testing::HasSubstr("#3")) << "later ones fail at once";
                      lock.lock();
                      over = true;
                      failed.notify_all();
                  }),
        testing::IsEmpty());
}

}  // namespace dasgd::test
