#include "tests/support/comm/communicator_contract.h"

namespace dasgd::test {

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

}  // namespace dasgd::test
