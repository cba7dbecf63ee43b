#include "core/cost/messages/exchange_schedule.h"

#include <gmock/gmock.h>

#include <functional>

#include "tests/support/sim/schedule_interpreter.h"

namespace dasgd::test {
namespace {

// 0, 1, 2, … where `has` holds, and −1 elsewhere.
Numbers known(std::int64_t length, const std::function<bool(std::int64_t)>& has) {
    Numbers numbers(static_cast<std::size_t>(length), -1);
    for (std::int64_t i = 0; i < length; ++i) {
        if (has(i)) numbers[static_cast<std::size_t>(i)] = static_cast<double>(i);
    }
    return numbers;
}

TEST(ExchangeSchedule, GathersBlocksOfUnlikeSizes) {
    for (const int ranks : {1, 2, 3, 4, 7, 8}) {
        for (const int empty : {0, ranks - 1}) {
            std::vector<std::int64_t> bytes, begins{0};
            for (int rank = 0; rank < ranks; ++rank) {
                const int elements = rank == empty ? 0 : 5 - rank % 4;
                bytes.push_back(elements * kElementBytes);
                begins.push_back(begins.back() + elements);
            }
            std::vector<Numbers> start;
            for (int rank = 0; rank < ranks; ++rank) {
                start.push_back(
                    known(begins.back(), [&](std::int64_t i) { return i >= begins[rank] && i < begins[rank + 1]; }));
            }
            const auto schedule = allGatherSchedule(bytes);
            Interpreter interpreter(*schedule, start);
            ASSERT_TRUE(interpreter.run());
            const Numbers whole = known(begins.back(), [](std::int64_t) { return true; });
            EXPECT_EQ(interpreter.values(), std::vector<Numbers>(ranks, whole));
            for (int rank = 0; rank < ranks; ++rank) {
                // A rank sends all but the block of the rank that it sends to.
                EXPECT_EQ(interpreter.sent()[rank], begins.back() * kElementBytes - bytes[(rank + 1) % ranks]);
            }
        }
    }
}

TEST(ExchangeSchedule, AllToAllTransposesTheBlocks) {
    for (const int ranks : {1, 2, 3, 4, 7, 8}) {
        for (const std::int64_t each : {0, 1, 3}) {
            const std::int64_t length = each * ranks * ranks;
            const auto fromOf = [&](std::int64_t i) { return i / each / ranks; };
            const auto toOf = [&](std::int64_t i) { return i / each % ranks; };
            std::vector<Numbers> start, end;
            for (int rank = 0; rank < ranks; ++rank) {
                start.push_back(known(length, [&](std::int64_t i) { return fromOf(i) == rank; }));
                end.push_back(known(length, [&](std::int64_t i) { return fromOf(i) == rank || toOf(i) == rank; }));
            }
            const auto schedule = allToAllSchedule(each * kElementBytes, ranks);
            Interpreter interpreter(*schedule, start);
            ASSERT_TRUE(interpreter.run());
            EXPECT_EQ(interpreter.values(), end);
            EXPECT_EQ(interpreter.sent(), std::vector<std::int64_t>(ranks, each * kElementBytes * (ranks - 1)));
        }
    }
}

TEST(ExchangeSchedule, NothingToSendTakesNoRounds) {
    EXPECT_EQ(allGatherSchedule({0, 0, 0})->rounds(), 0);
    EXPECT_EQ(allGatherSchedule({8})->rounds(), 0);
    EXPECT_EQ(allToAllSchedule(0, 6)->rounds(), 0);
    EXPECT_EQ(allToAllSchedule(8, 1)->rounds(), 0);
}

}  // namespace
}  // namespace dasgd::test
