// Walks a message schedule with real numbers: a schedule is right if that leaves them where they belong.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "core/cost/messages/message_schedule.h"

namespace dasgd::test {

inline constexpr int kElementBytes = 4;

using Numbers = std::vector<double>;

// Ranks walk at their own pace, in an order that changes all the time. Sends are rendezvous: a round ends when every
// peer has begun the round with the other half of each transfer, as in a network without buffers.
class Interpreter {
public:
    Interpreter(const MessageSchedule& schedule, std::vector<Numbers> start)
        : schedule_(schedule), values_(std::move(start)), at_(values_.size(), -1), sent_(values_.size()) {
        rounds_.resize(values_.size());
    }

    // False where ranks wait for each other for ever or a message meets no matching receive.
    bool run() {
        std::mt19937 random(7);
        std::vector<int> order(values_.size());
        std::iota(order.begin(), order.end(), 0);
        for (bool moved = true; moved;) {
            moved = false;
            std::ranges::shuffle(order, random);
            for (const int rank : order) moved = step(rank) || moved;
        }
        return std::ranges::all_of(at_, [&](int round) { return round == schedule_.rounds(); }) && messages_.empty();
    }

    [[nodiscard]] const std::vector<Numbers>& values() const { return values_; }
    [[nodiscard]] const std::vector<std::int64_t>& sent() const { return sent_; }

private:
    using Key = std::array<int, 3>;  // from, to, round
    struct Message {
        Transfer transfer;
        Numbers numbers;
    };

    bool step(int rank) {
        int& at = at_[rank];
        if (at == schedule_.rounds()) return false;
        if (at >= 0 && !finish(rank, at)) return false;
        if (++at < schedule_.rounds()) begin(rank, at);
        return true;
    }

    void begin(int rank, int number) {
        schedule_.fill(rank, number, rounds_[rank]);
        for (const Transfer& out : rounds_[rank].sends) {
            ASSERT_NE(out.peer, rank);
            ASSERT_GT(out.bytes, 0);
            ASSERT_EQ(out.bytes % kElementBytes, 0);
            ASSERT_EQ(out.offset % kElementBytes, 0);
            const Numbers& all = values_[rank];
            const auto from = all.begin() + out.offset / kElementBytes;
            ASSERT_LE((out.offset + out.bytes) / kElementBytes, static_cast<std::int64_t>(all.size()));
            const bool alone =
                messages_
                    .emplace(Key{rank, out.peer, number}, Message{out, Numbers(from, from + out.bytes / kElementBytes)})
                    .second;
            ASSERT_TRUE(alone) << "two messages of one round between the same two ranks";
            sent_[rank] += out.bytes;
        }
    }

    bool finish(int rank, int number) {
        Round& round = rounds_[rank];
        const auto there = [&](const Transfer& transfer) { return at_[transfer.peer] >= number; };
        if (!std::ranges::all_of(round.sends, there) || !std::ranges::all_of(round.receives, there)) return false;
        std::int64_t added = 0;
        for (const Transfer& in : round.receives) {
            const auto message = messages_.find(Key{in.peer, rank, number});
            if (message == messages_.end()) return false;
            const Transfer& out = message->second.transfer;
            EXPECT_EQ(out.bytes, in.bytes);
            EXPECT_EQ(out.offset, in.offset);
            EXPECT_EQ(out.adds, in.adds);
            apply(values_[rank], in, message->second.numbers);
            if (in.adds) added += in.bytes;
            messages_.erase(message);
        }
        EXPECT_EQ(added, round.reduceBytes);
        round.receives.clear();
        return true;
    }

    static void apply(Numbers& all, const Transfer& in, const Numbers& numbers) {
        const auto first = static_cast<std::size_t>(in.offset / kElementBytes);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            all[first + i] = in.adds ? all[first + i] + numbers[i] : numbers[i];
        }
    }

    const MessageSchedule& schedule_;
    std::vector<Numbers> values_;
    std::vector<int> at_;
    std::vector<std::int64_t> sent_;
    std::vector<Round> rounds_;
    std::map<Key, Message> messages_;
};

}  // namespace dasgd::test
