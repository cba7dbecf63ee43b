// What every communicator owes its callers, over sizes {1, 2, 4, 7} and lengths {0, 1, 1000}. Instantiated by
// gloo_test and threads_test.
#pragma once

#include <gtest/gtest.h>
#include <torch/types.h>

#include <atomic>
#include <tuple>

#include "tests/support/ranks.h"

namespace dasgd::test {

class CommunicatorContract : public testing::TestWithParam<std::tuple<Backend, int, std::int64_t>> {
protected:
    [[nodiscard]] Backend backend() const { return std::get<0>(GetParam()); }
    [[nodiscard]] int ranks() const { return std::get<1>(GetParam()); }
    [[nodiscard]] std::int64_t length() const { return std::get<2>(GetParam()); }
    // Element j of rank r: distinct in both, exactly representable.
    [[nodiscard]] at::Tensor own(int rank) const {
        return torch::arange(length(), torch::kFloat64) + 1000.0 * (rank + 1);
    }
};

TEST_P(CommunicatorContract, AllReduceIsSumMeanAndMax) {
    at::Tensor sum = torch::zeros({length()}, torch::kFloat64);
    for (int r = 0; r < ranks(); ++r) sum += own(r);
    runRanks(backend(), ranks(), [&](Communicator& comm, Clock&) {
        const int rank = comm.rank().value();
        for (const Reduce op : {Reduce::Sum, Reduce::Mean, Reduce::Max}) {
            at::Tensor tensor = own(rank);
            Pending pending = comm.allReduce(tensor, op);
            pending.wait();
            const at::Tensor expected = op == Reduce::Sum ? sum : op == Reduce::Mean ? sum / ranks() : own(ranks() - 1);
            EXPECT_TRUE(torch::allclose(tensor, expected, 1e-14, 0)) << "rank " << rank;
        }
    });
}

TEST_P(CommunicatorContract, AllGatherStacksRowsByRank) {
    runRanks(backend(), ranks(), [&](Communicator& comm, Clock&) {
        at::Tensor out = torch::full({ranks(), length()}, -1.0, torch::kFloat64);
        Pending pending = comm.allGather(own(comm.rank().value()), out);
        pending.wait();
        for (int r = 0; r < ranks(); ++r) EXPECT_TRUE(torch::equal(out[r], own(r)));
    });
}

TEST_P(CommunicatorContract, BroadcastGivesEveryoneTheRootsTensor) {
    const int root = ranks() - 1;
    runRanks(backend(), ranks(), [&](Communicator& comm, Clock&) {
        at::Tensor tensor = own(comm.rank().value());
        Pending pending = comm.broadcast(tensor, Rank{root});
        pending.wait();
        EXPECT_TRUE(torch::equal(tensor, own(root)));
    });
}

TEST_P(CommunicatorContract, MessagesArriveInOrderAlongTheRing) {
    if (ranks() == 1) return runRanks(backend(), 1, [](Communicator& comm, Clock&) { EXPECT_EQ(comm.size(), 1); });
    runRanks(backend(), ranks(), [&](Communicator& comm, Clock&) {
        const int rank = comm.rank().value();
        const int next = (rank + 1) % ranks();
        const int before = (rank + ranks() - 1) % ranks();
        const at::Tensor first = own(rank);
        const at::Tensor second = own(rank) * 2;
        at::Tensor in1 = torch::zeros_like(first);
        at::Tensor in2 = torch::zeros_like(first);
        Pending out1 = comm.send(first, Rank{next}, 5);
        Pending out2 = comm.send(second, Rank{next}, 5);
        Pending got1 = comm.receive(in1, Rank{before}, 5);
        Pending got2 = comm.receive(in2, Rank{before}, 5);
        for (Pending* pending : {&got1, &got2, &out1, &out2}) pending->wait();
        EXPECT_TRUE(torch::equal(in1, own(before)));
        EXPECT_TRUE(torch::equal(in2, own(before) * 2));
    });
}

TEST_P(CommunicatorContract, ManyInFlightKeepTheirOrderAndNumbers) {
    runRanks(backend(), ranks(), [&](Communicator& comm, Clock&) {
        std::vector<at::Tensor> tensors;
        std::vector<Pending> pending;
        for (int i = 0; i < 5; ++i) tensors.push_back(own(comm.rank().value()) * (i + 1));
        for (at::Tensor& tensor : tensors) pending.push_back(comm.allReduce(tensor, Reduce::Max));
        for (std::size_t i = pending.size(); i-- > 0;) {
            pending[i].wait();
            EXPECT_EQ(pending[i].collective(), i + 1);
            EXPECT_TRUE(torch::equal(tensors[i], own(ranks() - 1) * static_cast<double>(i + 1)));
        }
        for (std::size_t i = 0; i < pending.size(); ++i) {
            const Interval interval = pending[i].interval();
            EXPECT_LE(interval.start, interval.end);
            if (i > 0) {
                EXPECT_GE(interval.start, pending[i - 1].interval().end) << "one at a time on the link";
            }
        }
    });
}

TEST_P(CommunicatorContract, CountsTheRingsBytes) {
    runRanks(backend(), ranks(), [&](Communicator& comm, Clock&) {
        at::Tensor tensor = own(comm.rank().value());
        Pending pending = comm.allReduce(tensor, Reduce::Sum);
        pending.wait();
        EXPECT_EQ(comm.bytesSent(), 2 * 8 * length() * (ranks() - 1) / ranks());
    });
}

inline std::string contractName(const testing::TestParamInfo<CommunicatorContract::ParamType>& info) {
    return nameOf(std::get<0>(info.param)) + "_P" + std::to_string(std::get<1>(info.param)) + "_N" +
           std::to_string(std::get<2>(info.param));
}

}  // namespace dasgd::test
