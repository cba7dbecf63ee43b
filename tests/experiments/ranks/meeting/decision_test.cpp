#include "experiments/ranks/meeting/decision.h"

#include <gmock/gmock.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "core/comm/gloo/store_handle.h"
#include "tests/support/seats.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr milliseconds kSilence{1000};

// The answer that rank 0 makes of the others' words: all of them, or the first that is missing.
Result<std::string> joined(Decision& decision, const Seat& seat, const std::string& own) {
    std::string all = own;
    for (int rank = 1; rank < seat.size; ++rank) {
        const auto said = decision.saidBy(rank);
        if (!said) return fail("without rank " + std::to_string(rank) + ": " + said.error().message);
        all += " " + *said;
    }
    return all;
}

std::string inWords(const Result<std::string>& answer) { return answer ? *answer : "error: " + answer.error().message; }

TEST(Decision, EveryRankHearsWhatRank0MakesOfAll) {
    for (const int size : {1, 2, 4, 7}) {
        const auto answers = test::onSeats(size, [](const Seat& seat) {
            const std::string own = std::to_string(seat.rank);
            Decision first(seat, "first"), second(seat, "second");
            const auto answer = first.reach(own, [&] { return joined(first, seat, own); });
            return inWords(answer) + "/" + inWords(second.reach("", [] { return "two"; }));
        });
        std::string all = "0";
        for (int rank = 1; rank < size; ++rank) all += " " + std::to_string(rank);
        EXPECT_THAT(answers, Each(all + "/two"));
    }
}

TEST(Decision, AnErrorIsEverybodysAndTheOwnOneIsAnsweredAtOnce) {
    const auto answers = test::onSeats(3, [](const Seat& seat) {
        Decision decision(seat, "matter");
        const Result<std::string> own = seat.rank == 1 ? fail("no disk") : Result<std::string>("fine");
        return inWords(decision.reach(own, [&] { return joined(decision, seat, "fine"); }));
    });
    EXPECT_THAT(answers,
                ElementsAre("error: without rank 1: no disk", "error: no disk", "error: without rank 1: no disk"));
    EXPECT_THAT(test::onSeats(3,
                              [](const Seat& seat) {
                                  Decision decision(seat, "matter");
                                  const Result<std::string> own =
                                      seat.rank == 0 ? fail("no memory") : Result<std::string>("fine");
                                  return inWords(decision.reach(own, [] { return "never asked"; }));
                              }),
                Each("error: no memory"));
}

// Rank 1 says nothing, and all are told so rather than to wait for their own deadline.
TEST(Decision, WhoDoesNotComeIsWaitedForNoLongerThanThePatience) {
    const auto begin = std::chrono::steady_clock::now();
    const auto answers = test::onSeats(
        3,
        [](const Seat& seat) {
            Decision decision(seat, "matter");
            if (seat.rank == 1) return std::string("away");
            return inWords(decision.reach("here", [&] { return joined(decision, seat, "here"); }));
        },
        milliseconds(100));
    EXPECT_EQ(answers[1], "away");
    for (const std::size_t rank : {0U, 2U}) {
        EXPECT_THAT(answers[rank], AllOf(HasSubstr("error: without rank 1: '"),
                                         HasSubstr("' did not come, and nothing moved for 100 ms")));
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

// Rank 1 sends for three times as long as nothing may move; rank 2 hears of it from rank 0 alone.
TEST(Decision, IsWaitedForAsLongAsFilesMove) {
    const auto answers = test::onSeats(
        3,
        [bytes = std::int64_t{0}](const Seat& seat) mutable {
            Decision decision(seat, "matter", {.moved = [&] { return ++bytes; }});
            if (seat.rank == 1) std::this_thread::sleep_for(3 * kSilence);
            const std::string own = std::to_string(seat.rank);
            return inWords(decision.reach(own, [&] { return joined(decision, seat, own); }));
        },
        kSilence);
    EXPECT_THAT(answers, Each("0 1 2"));
}

TEST(Decision, WhatDoesNotGrowDoesNotMove) {
    const auto answers = test::onSeats(
        1,
        [](const Seat& seat) {
            Decision decision({seat.store, 0, 2, seat.patience}, "matter", {.moved = [] { return std::int64_t{7}; }});
            return inWords(decision.saidBy(1));
        },
        milliseconds(100));
    EXPECT_THAT(answers, Each(HasSubstr("did not come, and nothing moved for 100 ms")));
}

class CountingStore final : public c10d::HashStore {
public:
    bool check(const std::vector<std::string>& keys) override {
        ++asked;
        return c10d::HashStore::check(keys);
    }
    int asked = 0;
};

// Pauses of 10, 20, … ms, 500 at most: 10 looks in two seconds, however slow this machine is. At 10 ms it would be 200.
TEST(Decision, ALongWaitAsksRarely) {
    const auto store = c10::make_intrusive<CountingStore>();
    Rendezvous ranks = Rendezvous::through(StoreHandle{store});
    Decision decision({ranks, 0, 2, milliseconds(2000)}, "matter", {.refusal = "refused"});
    EXPECT_THAT(decision.saidBy(1).error().message, HasSubstr("'matter/said/1' did not come"));
    EXPECT_LE(store->asked, 2 * 10);
}

TEST(Decision, ARefusalEndsEveryWait) {
    const auto answers = test::onSeats(
        2,
        [](const Seat& seat) {
            if (seat.rank == 1) {
                EXPECT_TRUE(seat.store.set("refused", "other settings"));
            }
            Decision decision({seat.store, seat.rank, 3, seat.patience}, "matter", {.refusal = "refused"});
            return inWords(decision.reach("", [&] { return decision.saidBy(2); }));
        },
        std::chrono::minutes(5));
    EXPECT_THAT(answers, Each("error: other settings"));
}

}  // namespace
}  // namespace dasgd::experiments
