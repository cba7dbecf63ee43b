#include "core/comm/emulated_link.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include "tests/support/ranks.h"

namespace dasgd::test {
namespace {

constexpr Link kLink{.latencyS = 0.002, .bytesPerSecond = 1e6};

TEST(EmulatedLink, TimesAreTheAlphaBetaFormulas) {
    // By hand: P = 4, S = 1000 bytes, α = 2 ms, B = 1 MB/s.
    EXPECT_DOUBLE_EQ(ringAllReduceSeconds(kLink, 1000, 4), 6 * 0.002 + 1.5e-3);
    EXPECT_DOUBLE_EQ(allGatherSeconds(kLink, 1000, 4), 3 * 0.003);
    EXPECT_DOUBLE_EQ(broadcastSeconds(kLink, 1000, 4), 2 * 0.003);
    EXPECT_DOUBLE_EQ(messageSeconds(kLink, 1000), 0.003);
    EXPECT_DOUBLE_EQ(ringAllReduceSeconds(kLink, 1000, 1), 0);
}

TEST(EmulatedLink, CompletesNoEarlierThanItsTimeAndKeepsValues) {
    for (const Backend backend : {Backend::Threads, Backend::Gloo}) {
        runRanks(backend, 2, [&](Communicator& comm, Clock& clock) {
            struct Borrowed final : Communicator {
                explicit Borrowed(Communicator& other) : Communicator(other.rank(), other.size()), other_(other) {}
                Pending allReduce(at::Tensor& t, Reduce op) override {
                    countSent(16);
                    return other_.allReduce(t, op);
                }
                Pending allGather(const at::Tensor& i, at::Tensor& o) override { return other_.allGather(i, o); }
                Pending broadcast(at::Tensor& t, Rank r) override { return other_.broadcast(t, r); }
                Pending send(const at::Tensor& t, Rank r, int tag) override { return other_.send(t, r, tag); }
                Pending receive(at::Tensor& t, Rank r, int tag) override { return other_.receive(t, r, tag); }
                Communicator& other_;
            };
            const auto slow = emulateLink(std::make_unique<Borrowed>(comm), kLink, clock);
            at::Tensor first = torch::full({1000}, comm.rank().value() + 1.0, torch::kFloat64);
            at::Tensor second = first.clone();
            const Ns start = clock.now();
            Pending one = slow->allReduce(first, Reduce::Sum);
            Pending two = slow->allReduce(second, Reduce::Mean);
            EXPECT_FALSE(one.done());
            two.wait();
            const double each = ringAllReduceSeconds(kLink, 8000, 2);
            EXPECT_GE(static_cast<double>(clock.now() - start) * 1e-9, 2 * each) << "the link carries one at a time";
            one.wait();
            EXPECT_TRUE(one.done());
            EXPECT_GE(static_cast<double>(one.interval().end - one.interval().start) * 1e-9, each);
            EXPECT_GE(two.interval().start, one.interval().end);
            EXPECT_TRUE(torch::equal(first, torch::full({1000}, 3.0, torch::kFloat64)));
            EXPECT_TRUE(torch::equal(second, torch::full({1000}, 1.5, torch::kFloat64)));
            EXPECT_EQ(slow->bytesSent(), 32);
            EXPECT_EQ(two.collective(), 2U);
        });
    }
}

}  // namespace
}  // namespace dasgd::test
