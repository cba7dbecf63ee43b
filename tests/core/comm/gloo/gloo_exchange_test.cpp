#include "core/comm/gloo/gloo_exchange.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/ranks.h"

namespace dasgd::test {
namespace {

TEST(GlooExchanges, SeveralAtOnceOfLargeRowsArriveWhole) {
    runRanks(Backend::Gloo, 3, [](Communicator& comm, Clock&) {
        constexpr std::int64_t kRow = 700'001;  // more than a socket takes at once
        const double own = comm.rank().value();
        const at::Tensor ramp = torch::arange(kRow, torch::kFloat64);
        // Row r of rank i: i + 10·r + the place.
        const at::Tensor rows = torch::stack({ramp + own, ramp + own + 10, ramp + own + 20});
        at::Tensor sum = torch::zeros_like(ramp), exchanged = torch::zeros_like(rows), all = torch::zeros_like(rows);
        Pending pending[] = {comm.reduceScatter(rows, sum, Reduce::Sum), comm.allToAll(rows, exchanged),
                             comm.allGather(rows[0], all)};
        for (Pending& each : pending) each.wait();
        EXPECT_TRUE(torch::equal(sum, 3 * ramp + 3 + 30 * own));
        for (int i = 0; i < 3; ++i) {
            EXPECT_TRUE(torch::equal(exchanged[i], ramp + i + 10 * own)) << "from rank " << i;
            EXPECT_TRUE(torch::equal(all[i], ramp + i)) << "from rank " << i;
        }
    });
}

TEST(GlooExchanges, RowsOfUnevenLengthsSomeOfThemEmpty) {
    runRanks(Backend::Gloo, 3, [](Communicator& comm, Clock&) {
        const std::vector<std::int64_t> counts{0, 5, 2};
        const auto own = static_cast<std::size_t>(comm.rank().value());
        at::Tensor all = torch::zeros({7});
        Pending gathered = comm.allGatherV(torch::full({counts[own]}, static_cast<float>(own)), all, counts);
        gathered.wait();
        EXPECT_TRUE(torch::equal(all, torch::tensor({1.F, 1.F, 1.F, 1.F, 1.F, 2.F, 2.F})));
    });
}

TEST(GlooExchanges, APeerThatLeavesFailsWhatItOwes) {
    std::atomic<bool> left = false;
    runRanks(Backend::Gloo, 2, [&](Communicator& comm, Clock&) {
        if (comm.rank() == Rank{1}) {
            left = true;
            return;
        }
        while (!left) std::this_thread::yield();
        at::Tensor all = torch::zeros({2, 1'000'000});
        Pending gathered = comm.allGather(torch::ones({1'000'000}), all);
        try {
            gathered.wait();
            FAIL() << "nobody sent the second row";
        } catch (const CommError& error) {
            EXPECT_THAT(error.what(), ::testing::HasSubstr("rank 0: all_gather #1"));
        }
    });
}

}  // namespace
}  // namespace dasgd::test
