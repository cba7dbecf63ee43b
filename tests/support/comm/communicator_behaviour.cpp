#include "tests/support/comm/communicator_behaviour.h"

namespace dasgd::test {

TEST_P(CommunicatorBehaviour, OperationsEndByThemselvesAtTheirInstants) {
    run(2, [&](Communicator& comm, Clock& clock) {
        const Rank other(1 - comm.rank().value());
        at::Tensor in = filled(0), sum = filled(1);
        const Ns launched = clock.now();
        Pending received = comm.receive(in, other, 1);
        EXPECT_FALSE(received.done());
        EXPECT_EQ(received.interval(), std::nullopt);
        EXPECT_EQ(received.source(), std::nullopt);
        if (comm.rank() == Rank{0}) awaitWord(comm, other);
        if (comm.rank() == Rank{1}) sendWord(comm, other);
        const at::Tensor out = filled(7);
        std::vector<Pending> pending;
        pending.push_back(std::move(received));
        pending.push_back(comm.send(out, other, 1));
        pending.push_back(comm.allReduce(sum, Reduce::Sum));
        for (Pending& each : pending) {
            pollUntil(clock, [&] { return each.done(); });
        }
        const Ns seen = clock.now();
        clock.sleepUntil(seen + 20'000'000);
        for (Pending& each : pending) {
            each.wait();
            const Interval interval = each.interval().value();
            EXPECT_GE(interval.start, launched);
            EXPECT_GE(interval.end, interval.start);
            EXPECT_LE(interval.end, seen) << "the end is not taken at the wait";
        }
        EXPECT_TRUE(torch::equal(in, filled(7)));
        EXPECT_TRUE(torch::equal(sum, filled(2)));
    });
}

TEST_P(CommunicatorBehaviour, WaitingForALateSenderIsNoTransfer) {
    std::atomic<Ns> launched = 0;
    run(2, [&](Communicator& comm, Clock& clock) {
        const Rank other(1 - comm.rank().value());
        at::Tensor small = torch::zeros({1}), large = filled(0);
        if (comm.rank() == Rank{1}) {
            std::vector<Pending> pending;
            pending.push_back(comm.receive(small, other, 1));
            pending.push_back(comm.receive(large, other, 2));
            sendWord(comm, other);
            waitAll(pending);
            for (Pending& received : pending) {
                EXPECT_GE(received.interval()->start, launched.load());
                EXPECT_GT(received.interval()->end, received.interval()->start) << "bytes take time";
            }
            return;
        }
        awaitWord(comm, other);
        clock.sleepUntil(clock.now() + 20'000'000);
        launched = clock.now();
        std::vector<Pending> pending;
        pending.push_back(comm.send(small, other, 1));
        pending.push_back(comm.send(large, other, 2));
        waitAll(pending);
    });
}

TEST_P(CommunicatorBehaviour, NothingWaitsForWhatIsUnrelated) {
    run(2, [&](Communicator& comm, Clock&) {
        const Rank other(1 - comm.rank().value());
        if (comm.rank() == Rank{0}) {
            Pending early = comm.send(filled(2), other, 2);
            at::Tensor sum = filled(1);
            Pending reduced = comm.allReduce(sum, Reduce::Sum);
            reduced.wait();
            early.wait();
            awaitWord(comm, other);
            Pending late = comm.send(filled(1), other, 1);
            late.wait();
            return;
        }
        at::Tensor first = filled(0), second = filled(0), sum = filled(1);
        Pending unanswered = comm.receive(first, other, 1);
        Pending answered = comm.receive(second, other, 2);
        Pending reduced = comm.allReduce(sum, Reduce::Sum);
        answered.wait();
        reduced.wait();
        EXPECT_TRUE(torch::equal(second, filled(2)));
        EXPECT_FALSE(unanswered.done());
        sendWord(comm, other);
        unanswered.wait();
        EXPECT_TRUE(torch::equal(first, filled(1)));
    });
}

// Messages in turn would end a whole message apart where time is modelled.
TEST_P(CommunicatorBehaviour, BothDirectionsOfALinkGoAtOnce) {
    run(2, [&](Communicator& comm, Clock& clock) {
        const Rank other(1 - comm.rank().value());
        const at::Tensor out = torch::ones({ContractBackend::kLinkFloats});
        at::Tensor in = torch::zeros_like(out);
        const Ns launched = clock.now();
        Pending sent = comm.send(out, other, 1);
        Pending received = comm.receive(in, other, 1);
        sent.wait();
        received.wait();
        EXPECT_TRUE(torch::equal(in, out));
        const auto alone = static_cast<Ns>(GetParam().linkSeconds * 1e9);
        if (alone == 0) return;
        const Ns first = std::min(sent.interval()->end, received.interval()->end);
        const Ns last = std::max(sent.interval()->end, received.interval()->end);
        EXPECT_GE(first, launched + alone) << "a message takes its time";
        EXPECT_LT(last - first, alone);
    });
}

TEST_P(CommunicatorBehaviour, AReceiveFromAnyoneTellsWhoSent) {
    constexpr int kRanks = 4;
    run(kRanks, [&](Communicator& comm, Clock&) {
        const int rank = comm.rank().value();
        if (rank != 0) {
            Pending sent = comm.send(filled(rank), Rank{0}, 3);
            return sent.wait();
        }
        std::array<bool, kRanks> heard{};
        for (int i = 1; i < kRanks; ++i) {
            at::Tensor in = filled(0);
            Pending received = comm.receiveAny(in, 3);
            received.wait();
            const int source = received.source().value().value();
            EXPECT_TRUE(torch::equal(in, filled(source)));
            EXPECT_FALSE(std::exchange(heard.at(static_cast<std::size_t>(source)), true));
        }
    });
}

TEST_P(CommunicatorBehaviour, AReceiveThatNobodyAnsweredCanBeCancelled) {
    run(2, [&](Communicator& comm, Clock&) {
        const Rank other(1 - comm.rank().value());
        if (comm.rank() == Rank{0}) {
            awaitWord(comm, other);
            Pending sent = comm.send(filled(5), other, 9);
            EXPECT_FALSE(sent.cancel());
            return sent.wait();
        }
        at::Tensor never = filled(-1), in = filled(0);
        Pending any = comm.receiveAny(never, 9);
        Pending given = comm.receive(never, other, 9);
        EXPECT_TRUE(any.cancel());
        EXPECT_TRUE(given.cancel());
        EXPECT_FALSE(any.cancel()) << "once";
        EXPECT_TRUE(any.done());
        EXPECT_EQ(any.interval(), std::nullopt);
        EXPECT_THAT(errorOf([&] { any.wait(); }),
                    testing::HasSubstr("rank 1: receive from any rank, tag 9 (800 bytes) was cancelled"));
        sendWord(comm, other);
        Pending received = comm.receiveAny(in, 9);
        received.wait();
        EXPECT_TRUE(torch::equal(in, filled(5))) << "the message goes to the next receive";
        EXPECT_TRUE(torch::equal(never, filled(-1)));
        EXPECT_FALSE(received.cancel()) << "it has ended";
        EXPECT_TRUE(torch::equal(in, filled(5)));
    });
}

// A mean over four ranks in two levels: within pairs, then between them, then a message around the ring.
TEST_P(CommunicatorBehaviour, AChainGoesOnByItself) {
    run(4, [&](Communicator& comm, Clock& clock) {
        const int rank = comm.rank().value();
        const auto pair = comm.split({Rank{rank / 2 * 2}, Rank{rank / 2 * 2 + 1}});
        const auto across = comm.split({Rank{rank % 2}, Rank{rank % 2 + 2}});
        at::Tensor mean = filled(rank), in = filled(-1);
        const Rank next((rank + 1) % 4), before((rank + 3) % 4);
        Pending received = comm.receive(in, before, 1);
        Pending chain =
            pair->allReduce(mean, Reduce::Mean).then([&] { return across->allReduce(mean, Reduce::Mean); }).then([&] {
                return comm.send(mean, next, 1);
            });
        pollUntil(clock, [&] { return chain.done() && received.done(); });
        const Ns seen = clock.now();
        chain.wait();
        received.wait();
        EXPECT_TRUE(torch::equal(in, filled(1.5)));
        EXPECT_LE(chain.interval().value().end, seen);
    });
}

TEST_P(CommunicatorBehaviour, AChainEndsWithItsFirstFailure) {
    run(1, [&](Communicator& comm, Clock&) {
        at::Tensor in = filled(0);
        bool launched = false;
        Pending chain = comm.receiveAny(in, 1).then([&] {
            launched = true;
            return comm.allReduce(in, Reduce::Sum);
        });
        EXPECT_FALSE(chain.done());
        EXPECT_TRUE(chain.cancel());
        EXPECT_TRUE(chain.done());
        EXPECT_THAT(errorOf([&] { chain.wait(); }), testing::HasSubstr("was cancelled"));
        EXPECT_FALSE(launched);
        Pending broken = comm.allReduce(in, Reduce::Sum).then([]() -> Pending { throw CommError("no second"); });
        EXPECT_THAT(errorOf([&] { broken.wait(); }), testing::HasSubstr("no second"));
    });
}

TEST_P(CommunicatorBehaviour, GroupsDoNotWaitForEachOther) {
    run(4, [&](Communicator& comm, Clock&) {
        const int rank = comm.rank().value();
        const auto group = comm.split({Rank{rank % 2 + 2}, Rank{rank % 2}});
        EXPECT_EQ(group->size(), 2);
        EXPECT_EQ(group->rank(), Rank{rank < 2 ? 1 : 0}) << "the order is the caller's";
        at::Tensor all = filled(1), some = filled(rank);
        // The whole waits for rank 3, which waits for its group's sum.
        Pending whole;
        if (rank != 3) whole = comm.allReduce(all, Reduce::Sum);
        Pending part = group->allReduce(some, Reduce::Sum);
        part.wait();
        if (rank == 3) whole = comm.allReduce(all, Reduce::Sum);
        whole.wait();
        EXPECT_TRUE(torch::equal(some, filled(rank % 2 == 0 ? 2 : 4)));
        EXPECT_TRUE(torch::equal(all, filled(4)));
        EXPECT_EQ(whole.collective(), 1U);
        EXPECT_EQ(whole.ranks(), 0) << "all of the run";
        EXPECT_EQ(part.ranks(), 2);
        EXPECT_EQ(part.collective() & 0xffff'ffffU, 1U) << "numbers of its own";
        EXPECT_GT(part.collective() >> 32U, 0U) << "distinct within the run";
        at::Tensor in = filled(0);
        Pending sent = group->send(filled(rank), Rank{rank < 2 ? 0 : 1}, 0);
        Pending received = group->receiveAny(in, 0);
        received.wait();
        sent.wait();
        EXPECT_TRUE(torch::equal(in, filled((rank + 2) % 4)));
        EXPECT_EQ(comm.bytesSent(), 2 * 800 * 3 / 4 + 800 + 800) << "a group's bytes are the rank's";
        const auto again = comm.split({Rank{rank % 2 + 2}, Rank{rank % 2}});
        Pending once = again->allReduce(some, Reduce::Max);
        once.wait();
        EXPECT_NE(once.collective(), part.collective());
    });
}

// A hash of what names these two groups is the same in 31 bits.
TEST_P(CommunicatorBehaviour, NoTwoGroupsNumberTheirCollectivesAlike) {
    const auto ranksOf = [](const std::vector<int>& numbers) {
        return std::vector<Rank>(numbers.begin(), numbers.end());
    };
    const auto first = ranksOf({1, 0, 7, 5, 3, 6, 2, 4}), second = ranksOf({3, 4, 5, 1, 0, 7, 6, 2});
    std::array<std::array<std::uint64_t, 2>, 8> numbers{};
    run(8, [&](Communicator& comm, Clock&) {
        const auto one = comm.split(first), other = comm.split(second);
        for (Communicator* group : {one.get(), other.get()}) {
            at::Tensor sum = filled(comm.rank().value());
            Pending pending = group->allReduce(sum, Reduce::Sum);
            pending.wait();
            EXPECT_TRUE(torch::equal(sum, filled(28)));
            numbers.at(static_cast<std::size_t>(comm.rank().value())).at(group == one.get() ? 0 : 1) =
                pending.collective();
        }
    });
    EXPECT_NE(numbers[0][0], numbers[0][1]);
    for (const auto& each : numbers) EXPECT_EQ(each, numbers[0]) << "the same on every rank";
}

TEST_P(CommunicatorBehaviour, DeadlinesNameWhatDidNotCome) {
    std::atomic<bool> over = false;
    std::array<std::string, 3> heard;
    run(
        2,
        [&](Communicator& comm, Clock& clock) {
            const auto group = comm.split({Rank{0}, Rank{1}});
            if (comm.rank() == Rank{1}) return pollUntil(clock, [&] { return over.load(); });
            at::Tensor tensor = filled(1);
            Pending received = comm.receive(tensor, Rank{1}, 3);
            heard[0] = errorOf([&] { received.wait(); });
            Pending reduced = comm.allReduce(tensor, Reduce::Sum);
            heard[1] = errorOf([&] { reduced.wait(); });
            Pending part = group->broadcast(tensor, Rank{1});
            heard[2] = errorOf([&] { part.wait(); });
            over = true;
        },
        std::chrono::milliseconds(300));
    EXPECT_THAT(heard[0],
                testing::HasSubstr("rank 0: receive from rank 1, tag 3 (800 bytes) did not end within 300 ms"));
    EXPECT_THAT(heard[1], testing::HasSubstr("rank 0: all_reduce #1 (800 bytes)"));
    EXPECT_THAT(heard[2], testing::HasSubstr("rank 0 of ranks 0,1: broadcast #1 (800 bytes)"));
}

TEST_P(CommunicatorBehaviour, APeerThatLeavesIsAnErrorOfWhatNeedsIt) {
    std::array<std::string, 2> heard;
    const auto depart = [&] {
        run(2, [&](Communicator& comm, Clock&) {
            if (comm.rank() == Rank{1}) {
                awaitWord(comm, Rank{0});
                throw std::runtime_error("rank 1 gives up");
            }
            at::Tensor in = filled(0), sum = filled(1);
            Pending received = comm.receive(in, Rank{1}, 3);
            Pending reduced = comm.allReduce(sum, Reduce::Sum);
            sendWord(comm, Rank{1});
            heard[0] = errorOf([&] { received.wait(); });
            heard[1] = errorOf([&] { reduced.wait(); });
        });
    };
    EXPECT_THROW(depart(), std::runtime_error);
    EXPECT_THAT(heard[0], testing::HasSubstr("rank 0: receive from rank 1, tag 3 (800 bytes) failed: "));
    EXPECT_THAT(heard[1], testing::HasSubstr("rank 0: all_reduce #1 (800 bytes) failed: "));
}

TEST_P(CommunicatorBehaviour, AMessageOfAnotherSizeIsAnErrorOfItsReceiver) {
    run(2, [&](Communicator& comm, Clock&) {
        const Rank other(1 - comm.rank().value());
        at::Tensor small = torch::ones({3}), large = filled(4);
        Pending sent = comm.send(comm.rank() == Rank{0} ? small : large, other, 1);
        at::Tensor in = comm.rank() == Rank{0} ? small : large;
        in = in.clone();
        Pending received = comm.receive(in, other, 1);
        EXPECT_THAT(errorOf([&] { received.wait(); }), testing::HasSubstr("bytes"));
        // The send is waited for after the receive, as the sender may be told of the error too.
        static_cast<void>(errorOf([&] { sent.wait(); }));
        at::Tensor sum = filled(1);
        Pending reduced = comm.allReduce(sum, Reduce::Sum);
        reduced.wait();
        EXPECT_TRUE(torch::equal(sum, filled(2))) << "the connection is as good as before";
    });
}

}  // namespace dasgd::test
