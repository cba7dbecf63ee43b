// Messages over Gloo that its own sends and receives do not support.
#include "core/comm/gloo/gloo_messages.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <atomic>

#include "tests/support/ranks.h"

namespace dasgd::test {
namespace {

TEST(GlooMessages, PayloadsOfAllSizesArriveWhetherAskedForBeforeOrAfter) {
    for (const bool before : {true, false}) {
        runRanks(Backend::Gloo, 2, [&](Communicator& comm, Clock& clock) {
            // In doubles: 6 fill a header, 131,072 a slice.
            const std::vector<std::int64_t> sizes{0, 1, 6, 7, 100, 131'072, 131'073, 700'000};
            std::vector<at::Tensor> in, out;
            std::vector<Pending> pending;
            const auto receive = [&] {
                for (std::size_t i = 0; i < sizes.size(); ++i) {
                    pending.push_back(comm.receive(in[i], Rank{0}, static_cast<int>(i)));
                }
            };
            for (const std::int64_t size : sizes) {
                in.push_back(torch::zeros({size}, torch::kFloat64));
                out.push_back(torch::arange(size, torch::kFloat64) + 1);
            }
            if (comm.rank() == Rank{1} && before) receive();
            at::Tensor together = torch::ones({1});
            Pending met = comm.allReduce(together, Reduce::Sum);
            met.wait();
            if (comm.rank() == Rank{0}) {
                for (std::size_t i = 0; i < sizes.size(); ++i) {
                    pending.push_back(comm.send(out[i], Rank{1}, static_cast<int>(i)));
                }
            } else if (!before) {
                // Asks for the last one first: those before it wait in memory.
                at::Tensor last = torch::zeros({1});
                Pending word = comm.receive(last, Rank{0}, 77);
                word.wait();
                receive();
            }
            Pending word;
            if (comm.rank() == Rank{0} && !before) word = comm.send(torch::ones({1}), Rank{1}, 77);
            for (Pending& each : pending) each.wait();
            if (word) word.wait();
            if (comm.rank() == Rank{1}) {
                for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_TRUE(torch::equal(in[i], out[i])) << sizes[i];
            }
            static_cast<void>(clock);
        });
    }
}

TEST(GlooMessages, AMissedDeadlineOfOneMessageBreaksNothingElse) {
    runRanks(
        Backend::Gloo, 2,
        [&](Communicator& comm, Clock&) {
            const Rank other(1 - comm.rank().value());
            at::Tensor never = torch::zeros({4}), in = torch::zeros({4}), sum = torch::ones({4});
            Pending missing = comm.receive(never, other, 1);
            EXPECT_THROW(missing.wait(), CommError);
            Pending sent = comm.send(torch::full({4}, 3.0), other, 2);
            Pending received = comm.receive(in, other, 2);
            Pending reduced = comm.allReduce(sum, Reduce::Sum);
            received.wait();
            sent.wait();
            reduced.wait();
            EXPECT_EQ(in[3].item<float>(), 3);
            EXPECT_EQ(sum[0].item<float>(), 2);
        },
        std::chrono::milliseconds(1000));
}

TEST(GlooMessages, AReceiveFromAnyoneFailsWhenEveryoneIsGone) {
    std::atomic<int> left = 0;
    std::string heard;
    runRanks(Backend::Gloo, 3, [&](Communicator& comm, Clock&) {
        if (comm.rank() != Rank{0}) {
            ++left;
            return;
        }
        at::Tensor in = torch::zeros({1});
        Pending received = comm.receiveAny(in, 4);
        try {
            received.wait();
        } catch (const CommError& error) {
            heard = error.what();
        }
    });
    EXPECT_EQ(left, 2);
    EXPECT_THAT(heard, testing::HasSubstr("receive from any rank, tag 4 (4 bytes) failed: every other rank is gone"));
}

TEST(GlooMessages, ARankMaySendToItself) {
    runRanks(Backend::Gloo, 1, [&](Communicator& comm, Clock&) {
        at::Tensor out = torch::full({9}, 2.0), in = torch::zeros({9});
        Pending sent = comm.send(out, Rank{0}, 0);
        out.zero_();
        Pending received = comm.receive(in, Rank{0}, 0);
        sent.wait();
        received.wait();
        EXPECT_EQ(received.source(), Rank{0});
        EXPECT_TRUE(torch::equal(in, torch::full({9}, 2.0)));
    });
}

}  // namespace
}  // namespace dasgd::test
