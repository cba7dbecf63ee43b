#include "core/comm/gloo/gloo.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/ranks.h"

namespace dasgd::test {
namespace {

TEST(Gloo, ARankThatNeverComesEndsTheWaitAtTheDeadline) {
    const MonotonicClock clock;
    std::string message;
    try {
        runRanks(
            Backend::Gloo, 2,
            [&](Communicator& comm, Clock&) {
                at::Tensor tensor = torch::ones({10});
                if (comm.rank() == Rank{1}) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
                    return;
                }
                Pending pending = comm.allReduce(tensor, Reduce::Sum);
                pending.wait();
            },
            std::chrono::milliseconds(500));
    } catch (const CommError& error) {
        message = error.what();
    }
    EXPECT_THAT(message, testing::HasSubstr("rank 0: all_reduce #1 (40 bytes) failed"));
}

// Repeated, because with SIGPIPE at its default 2 of 60 such departures ended this process.
TEST(Gloo, APeerThatLeavesIsAnErrorNotAHang) {
    const auto run = [] {
        runRanks(Backend::Gloo, 2, [&](Communicator& comm, Clock&) {
            if (comm.rank() == Rank{1}) return;  // its sockets close
            at::Tensor tensor = torch::ones({1000});
            Pending pending = comm.allReduce(tensor, Reduce::Sum);
            pending.wait();
        });
    };
    for (int i = 0; i < 30; ++i) EXPECT_THROW(run(), CommError);
}

// Local addresses, in hexadecimal, of the LISTEN rows of /proc/self/net/tcp and tcp6: every socket of this network
// namespace that listens, this process's among them.
std::vector<std::string> listeners() {
    std::vector<std::string> all;
    for (const char* file : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
        std::ifstream in(file);
        std::string line;
        std::getline(in, line);
        while (std::getline(in, line)) {
            std::istringstream fields(line);
            std::string number, local, remote, state;
            fields >> number >> local >> remote >> state;
            if (state == "0A") all.push_back(local);
        }
    }
    return all;
}

TEST(Gloo, SocketsStayOnLoopbackThroughFileAndThroughPort) {
    const std::vector<std::string> before = listeners();
    const MonotonicClock clock;
    constexpr int kPort = 29'781;
    std::vector<std::thread> ranks;
    std::atomic<int> good = 0;
    std::atomic<int> ready = 0;
    std::vector<std::string> during;
    for (int r = 0; r < 2; ++r) {
        ranks.emplace_back([&, r] {
            auto rendezvous = Rendezvous::tcp("127.0.0.1", kPort, Rank{r}, 2, std::chrono::milliseconds(20'000));
            ASSERT_TRUE(rendezvous) << rendezvous.error().message;
            auto comm = makeGloo(*rendezvous, {.rank = Rank{r}, .size = 2}, clock);
            ASSERT_TRUE(comm) << comm.error().message;
            if (r == 0) during = listeners();
            at::Tensor tensor = torch::full({3}, r + 1.0);
            Pending pending = (*comm)->allReduce(tensor, Reduce::Sum);
            pending.wait();
            if (torch::equal(tensor, torch::full({3}, 3.0))) ++good;
            // The store lives in rank 0: it must not go before the other is done.
            for (++ready; ready < 2;) std::this_thread::yield();
        });
    }
    for (std::thread& thread : ranks) thread.join();
    EXPECT_EQ(good, 2);
    int loopback = 0;
    for (const std::string& address : during) {
        if (std::find(before.begin(), before.end(), address) != before.end()) continue;
        EXPECT_TRUE(address.starts_with("0100007F:")) << address << " is not on loopback";
        ++loopback;
    }
    EXPECT_GE(loopback, 2) << "the store's and at least one of Gloo's own sockets were there to be seen";
}

}  // namespace
}  // namespace dasgd::test
