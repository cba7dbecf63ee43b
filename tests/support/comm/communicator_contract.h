// The contract of every communicator. Values, numbers and bytes over 1, 2, 4 and 7 ranks and lengths 0, 1 and 1000;
// instants, order, cancelling, chaining, groups and errors with a few ranks.
//
// Instantiated by tests/core/comm/communicator_test.cpp and tests/core/sim/engine/virtual_comm_test.cpp.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "core/comm/group_maths.h"

namespace dasgd::test {

// Ranks of one kind of communicator.
struct ContractBackend {
    using Body = std::function<void(Communicator&, Clock&)>;
    std::string name;
    // Runs `body` once a rank and throws the first exception of the lowest rank. A rank that throws leaves the others.
    std::function<void(int ranks, const Body& body, std::chrono::milliseconds timeout)> run;
    bool pairwise = false;   // sums go pairwise in rank order
    double linkSeconds = 0;  // that a message of kLinkBytes occupies the link; 0 where nothing is modelled
    static constexpr int kLinkFloats = 10'000;
};
inline void PrintTo(const ContractBackend& backend, std::ostream* out) { *out << backend.name; }

inline void waitAll(std::vector<Pending>& pending) {
    for (Pending& each : pending) each.wait();
}

// Waits until `condition` holds, without waiting for any operation.
inline void pollUntil(Clock& clock, const std::function<bool()>& condition) {
    while (!condition()) clock.sleepUntil(clock.now() + 1'000'000);
}

inline std::string errorOf(const std::function<void()>& work) {
    try {
        work();
    } catch (const CommError& error) {
        return error.what();
    }
    return "no error";
}

// ---------------------------------------------------------------------------------------------------------- values

class CommunicatorContract : public testing::TestWithParam<std::tuple<ContractBackend, int, std::int64_t>> {
protected:
    [[nodiscard]] int ranks() const { return std::get<1>(GetParam()); }
    [[nodiscard]] std::int64_t length() const { return std::get<2>(GetParam()); }
    [[nodiscard]] bool isPairwise() const { return std::get<0>(GetParam()).pairwise; }
    void run(const ContractBackend::Body& body) const {
        std::get<0>(GetParam()).run(ranks(), body, std::chrono::milliseconds(20'000));
    }
    // Element j of rank r: distinct in both, exactly representable.
    [[nodiscard]] at::Tensor own(int rank) const { return own(rank, length()); }
    [[nodiscard]] static at::Tensor own(int rank, std::int64_t length) {
        return torch::arange(length, torch::kFloat64) + 1000.0 * (rank + 1);
    }
    [[nodiscard]] at::Tensor nothing(std::int64_t rows) const {
        return torch::full({rows, length()}, -1.0, torch::kFloat64);
    }
    // Thirds: their sums depend on the order.
    [[nodiscard]] at::Tensor thirds(int rank) const { return own(rank) / 3; }
    [[nodiscard]] at::Tensor reduced(Reduce op) const {
        std::vector<at::Tensor> all;
        for (int r = 0; r < ranks(); ++r) all.push_back(thirds(r));
        return reducePairwise(all, op);
    }
    void expectReduced(const at::Tensor& tensor, const at::Tensor& expected) const {
        EXPECT_TRUE(isPairwise() ? torch::equal(tensor, expected) : torch::allclose(tensor, expected, 1e-14, 0));
    }
};

TEST_P(CommunicatorContract, AllReduceAndReduceScatterGiveSumMeanAndMax) {
    run([&](Communicator& comm, Clock&) {
        const int rank = comm.rank().value();
        for (const Reduce op : {Reduce::Sum, Reduce::Mean, Reduce::Max}) {
            const at::Tensor expected = reduced(op);
            at::Tensor tensor = thirds(rank);
            Pending whole = comm.allReduce(tensor, op);
            // Row r of every rank: its values times a power of two, which changes no rounding.
            const at::Tensor factors = torch::arange(1, ranks() + 1, torch::kFloat64);
            const at::Tensor rows = torch::outer(torch::pow(2.0, factors), thirds(rank));
            at::Tensor share = nothing(1)[0].clone();
            Pending scattered = comm.reduceScatter(rows, share, op);
            scattered.wait();
            whole.wait();
            expectReduced(tensor, expected);
            expectReduced(share, expected * std::pow(2.0, rank + 1));
        }
    });
}

TEST_P(CommunicatorContract, GathersExchangesAndBroadcastsMoveEveryValueToItsPlace) {
    run([&](Communicator& comm, Clock&) {
        const int rank = comm.rank().value();
        at::Tensor rows = nothing(ranks()), exchanged = nothing(ranks()), copied = own(rank);
        const at::Tensor given = torch::stack(std::vector<at::Tensor>(static_cast<std::size_t>(ranks()), own(rank))) +
                                 torch::arange(ranks(), torch::kFloat64).unsqueeze(1) * 0.5;
        // Rank r gives r·length/ranks elements: rank 0 nothing.
        std::vector<std::int64_t> counts;
        std::vector<at::Tensor> parts;
        for (int r = 0; r < ranks(); ++r) {
            counts.push_back(length() * r / ranks());
            parts.push_back(own(r, counts.back()));
        }
        at::Tensor uneven =
            torch::full({std::accumulate(counts.begin(), counts.end(), std::int64_t{0})}, -1.0, torch::kFloat64);
        std::vector<Pending> pending;
        pending.push_back(comm.allGather(own(rank), rows));
        pending.push_back(comm.allGatherV(parts[static_cast<std::size_t>(rank)], uneven, counts));
        pending.push_back(comm.allToAll(given, exchanged));
        pending.push_back(comm.broadcast(copied, Rank{ranks() - 1}));
        waitAll(pending);
        for (int r = 0; r < ranks(); ++r) {
            EXPECT_TRUE(torch::equal(rows[r], own(r)));
            EXPECT_TRUE(torch::equal(exchanged[r], own(r) + 0.5 * rank));
        }
        EXPECT_TRUE(torch::equal(uneven, torch::cat(parts)));
        EXPECT_TRUE(torch::equal(copied, own(ranks() - 1)));
    });
}

TEST_P(CommunicatorContract, MessagesArriveInOrderAlongTheRing) {
    run([&](Communicator& comm, Clock&) {
        const int rank = comm.rank().value();
        const Rank next((rank + 1) % ranks()), before((rank + ranks() - 1) % ranks());
        std::vector<at::Tensor> out, in;
        for (int i = 0; i < 3; ++i) {
            out.push_back(own(rank) * (i + 1));
            in.push_back(nothing(1)[0].clone());
        }
        std::vector<Pending> pending;
        pending.push_back(comm.receiveAny(in[0], 5));
        pending.push_back(comm.receive(in[1], before, 5));
        for (const at::Tensor& tensor : out) pending.push_back(comm.send(tensor, next, 5));
        pending.push_back(comm.receive(in[2], before, 5));
        waitAll(pending);
        for (int i = 0; i < 3; ++i)
            EXPECT_TRUE(torch::equal(in[static_cast<std::size_t>(i)], own(before.value()) * (i + 1)));
        EXPECT_EQ(pending[0].source(), before);
        EXPECT_EQ(pending[2].source(), std::nullopt) << "of a send";
        EXPECT_EQ(pending[0].collective(), 0U);
    });
}

// Messages have unlike sizes, one of them none; with two ranks all of them are between the same pair.
TEST_P(CommunicatorContract, ExchangesReachEveryNeighbourAmongCollectives) {
    run([&](Communicator& comm, Clock&) {
        EXPECT_TRUE(comm.exchange({}).empty()) << "nobody to meet";
        const int rank = comm.rank().value();
        const Rank next((rank + 1) % ranks()), before((rank + ranks() - 1) % ranks());
        const auto meet = [&](Communicator& among, double factor) {
            at::Tensor ahead = own(rank) * factor, more = own(rank, length() + 2) * factor;
            at::Tensor fromBefore = nothing(1)[0].clone(),
                       fromNext = torch::full({length() + 2}, -1.0, torch::kFloat64);
            at::Tensor empty = torch::empty({0}, torch::kFloat64), sum = own(rank);
            std::vector<Pending> pending = among.exchange({{.peer = before, .tag = 5, .tensor = fromBefore},
                                                           {.sends = true, .peer = next, .tag = 5, .tensor = ahead},
                                                           {.sends = true, .peer = before, .tag = 5, .tensor = more},
                                                           {.peer = next, .tag = 5, .tensor = fromNext},
                                                           {.sends = true, .peer = next, .tag = 5, .tensor = empty},
                                                           {.peer = before, .tag = 5, .tensor = empty}});
            Pending reduced = among.allReduce(sum, Reduce::Max);
            waitAll(pending);
            reduced.wait();
            EXPECT_TRUE(torch::equal(fromBefore, own(before.value()) * factor));
            EXPECT_TRUE(torch::equal(fromNext, own(next.value(), length() + 2) * factor));
            EXPECT_TRUE(torch::equal(sum, own(ranks() - 1)));
            EXPECT_EQ(reduced.collective() & 0xffff'ffffU, among.collectives()) << "an exchange has no number";
            for (Pending& each : pending) EXPECT_EQ(each.collective(), 0U);
        };
        const std::int64_t sent = 8 * (2 * length() + 2), reduced = 2 * 8 * length() * (ranks() - 1) / ranks();
        meet(comm, 1);
        meet(comm, 2);
        EXPECT_EQ(comm.bytesSent(), 2 * (sent + reduced));
        std::vector<Rank> members;
        for (int r = 0; r < ranks(); ++r) members.emplace_back(r);
        const auto group = comm.split(members);
        meet(*group, 3);
        EXPECT_EQ(comm.bytesSent(), 3 * (sent + reduced)) << "a group's bytes are the rank's";
    });
}

TEST_P(CommunicatorContract, ManyInFlightKeepTheirOrderAndNumbers) {
    run([&](Communicator& comm, Clock& clock) {
        std::vector<at::Tensor> tensors;
        std::vector<Pending> pending;
        const Ns launched = clock.now();
        for (int i = 0; i < 5; ++i) tensors.push_back(own(comm.rank().value()) * (i + 1));
        for (at::Tensor& tensor : tensors) pending.push_back(comm.allReduce(tensor, Reduce::Max));
        for (std::size_t i = pending.size(); i-- > 0;) {
            pending[i].wait();
            EXPECT_EQ(pending[i].collective(), i + 1);
            EXPECT_TRUE(torch::equal(tensors[i], own(ranks() - 1) * static_cast<double>(i + 1)));
        }
        const Ns ended = clock.now();
        for (std::size_t i = 0; i < pending.size(); ++i) {
            const Interval interval = pending[i].interval().value();
            EXPECT_GE(interval.start, i == 0 ? launched : pending[i - 1].interval()->end) << "one at a time";
            EXPECT_LE(interval.start, interval.end);
            EXPECT_LE(interval.end, ended);
        }
    });
}

TEST_P(CommunicatorContract, CountsTheBytesThatLeave) {
    std::atomic<std::int64_t> gathered = 0;
    run([&](Communicator& comm, Clock&) {
        const std::int64_t bytes = 8 * length(), others = ranks() - 1;
        std::int64_t before = 0;
        const auto sent = [&](Pending pending) {
            pending.wait();
            return comm.bytesSent() - std::exchange(before, comm.bytesSent());
        };
        const int rank = comm.rank().value();
        at::Tensor one = own(rank), rows = nothing(ranks()), more = nothing(ranks());
        EXPECT_EQ(sent(comm.allReduce(one, Reduce::Sum)), 2 * bytes * others / ranks());
        EXPECT_EQ(sent(comm.reduceScatter(rows, one, Reduce::Sum)), bytes * others);
        EXPECT_EQ(sent(comm.allGather(one, rows)), bytes * others);
        EXPECT_EQ(sent(comm.allToAll(rows, more)), bytes * others);
        std::vector<std::int64_t> counts;
        for (int r = 0; r < ranks(); ++r) counts.push_back(r);
        at::Tensor uneven = torch::zeros({ranks() * (ranks() - 1) / 2}, torch::kFloat64);
        gathered += sent(comm.allGatherV(own(rank, rank), uneven, counts));
        std::vector<Pending> pending;
        pending.push_back(comm.send(one, Rank{(rank + 1) % ranks()}, 0));
        at::Tensor in = nothing(1)[0].clone();
        EXPECT_EQ(sent(comm.receiveAny(in, 0)), bytes);
        waitAll(pending);
    });
    // Each element reaches every other rank, whichever way it goes.
    EXPECT_EQ(gathered, 8 * ranks() * (ranks() - 1) / 2 * (ranks() - 1));
}

inline std::string contractName(const testing::TestParamInfo<CommunicatorContract::ParamType>& info) {
    return std::get<0>(info.param).name + "_P" + std::to_string(std::get<1>(info.param)) + "_N" +
           std::to_string(std::get<2>(info.param));
}

inline auto contractOf(const std::vector<ContractBackend>& backends) {
    return testing::Combine(testing::ValuesIn(backends), testing::Values(1, 2, 4, 7), testing::Values(0, 1, 1000));
}

}  // namespace dasgd::test
