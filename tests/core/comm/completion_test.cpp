#include "core/comm/completion.h"

#include <gmock/gmock.h>

#include <thread>

namespace dasgd {
namespace {

std::string errorOf(Completion& completion) {
    try {
        completion.wait();
    } catch (const CommError& error) {
        return error.what();
    }
    return "no error";
}

Completion::Facts facts(std::chrono::milliseconds timeout) {
    return {.label = "rank 0: broadcast #1 (8 bytes)", .launched = 5, .timeout = timeout};
}

TEST(Completion, IsSettledByWhicheverComesFirst) {
    Completion ended(facts(std::chrono::seconds(60)));
    ended.end({{5, 9}, Rank{1}});
    ended.fail("too late");
    ended.wait();
    EXPECT_EQ(ended.outcome()->interval.end, 9);
    Completion failed(facts(std::chrono::seconds(60)));
    failed.fail("no route");
    failed.end({{5, 9}, Rank{1}});
    EXPECT_EQ(errorOf(failed), "rank 0: broadcast #1 (8 bytes) failed: no route");
    EXPECT_EQ(failed.outcome(), std::nullopt);
}

TEST(Completion, TheDeadlineSaysWhatIsMissing) {
    auto late = facts(std::chrono::milliseconds(1));
    late.missing = [] { return std::string("; not arrived: rank 3"); };
    Completion completion(late);
    EXPECT_EQ(errorOf(completion), "rank 0: broadcast #1 (8 bytes) did not end within 1 ms; not arrived: rank 3");
    completion.end({{5, 9}, std::nullopt});
    EXPECT_EQ(errorOf(completion), "no error") << "it may still end";
}

TEST(Completion, CallbacksRunOnceBeforeWaitsReturn) {
    Completion completion(facts(std::chrono::seconds(60)));
    int before = 0, during = 0, after = 0;
    completion.onEnd([&] {
        ++before;
        EXPECT_TRUE(completion.outcome());
        EXPECT_FALSE(completion.done());
        completion.onEnd([&] { ++during; });
    });
    std::thread ender([&] { completion.end({{5, 9}, std::nullopt}); });
    completion.wait();
    EXPECT_EQ(before, 1);
    EXPECT_EQ(during, 1);
    completion.onEnd([&] { ++after; });
    EXPECT_EQ(after, 1) << "at once";
    ender.join();
}

TEST(Completion, CancelsOnlyWhatCanBeWithdrawn) {
    Completion fixed(facts(std::chrono::milliseconds(1)));
    EXPECT_FALSE(fixed.cancel());
    EXPECT_FALSE(fixed.done());
    bool open = true;
    auto receive = facts(std::chrono::milliseconds(1));
    receive.withdraw = [&] { return std::exchange(open, false); };
    Completion completion(receive);
    EXPECT_TRUE(completion.cancel());
    EXPECT_TRUE(completion.done());
    EXPECT_FALSE(completion.cancel());
    EXPECT_EQ(errorOf(completion), "rank 0: broadcast #1 (8 bytes) was cancelled");
}

TEST(Completion, KeepsTheFirstLineOfALibrarysMessage) {
    EXPECT_EQ(firstLine(std::runtime_error("connection reset\n  at pair.cc:5")), "connection reset");
}

}  // namespace
}  // namespace dasgd
