#include "core/comm/pending.h"

#include <gmock/gmock.h>

#include <thread>

#include "core/comm/completion.h"

namespace dasgd {
namespace {

std::shared_ptr<Completion> makeCompletion(const std::string& label) {
    return std::make_shared<Completion>(Completion::Facts{.label = label, .timeout = std::chrono::milliseconds(50)});
}

TEST(Pending, IsMovedFromAndEmptyAfterwards) {
    Pending pending(makeCompletion("one"), 3);
    Pending other = std::move(pending);
    EXPECT_FALSE(pending);
    EXPECT_TRUE(other);
    EXPECT_EQ(other.collective(), 3U);
    EXPECT_EQ(other.interval(), std::nullopt);
}

TEST(Pending, AChainLaunchesItsSecondWhenTheFirstHasEnded) {
    const auto first = makeCompletion("first"), second = makeCompletion("second");
    int launches = 0;
    Pending chain = Pending(first, 4).then([&] {
        ++launches;
        return Pending(second);
    });
    EXPECT_EQ(chain.collective(), 4U);
    EXPECT_EQ(launches, 0);
    first->end({{10, 20}, std::nullopt});
    EXPECT_EQ(launches, 1);
    EXPECT_FALSE(chain.done());
    EXPECT_EQ(chain.interval(), std::nullopt) << "not the first's";
    second->end({{30, 40}, Rank{2}});
    EXPECT_TRUE(chain.done());
    chain.wait();
    EXPECT_EQ(chain.interval()->start, 30);
    EXPECT_EQ(chain.interval()->end, 40);
    EXPECT_EQ(chain.source(), Rank{2});
}

TEST(Pending, AChainOfWhatHasEndedLaunchesAtOnce) {
    const auto first = makeCompletion("first"), second = makeCompletion("second");
    first->end({});
    Pending chain = Pending(first).then([&] { return Pending(second); });
    second->end({{1, 2}, std::nullopt});
    EXPECT_TRUE(chain.done());
}

// An operation as a device has it: wait() makes the stream wait, not the host, and another thread ends the operation
// later. That thread is the test's own, as it may be the last to hold the operation.
class OnStream final : public Pending::Operation {
public:
    OnStream(std::shared_ptr<Completion> inner, std::jthread& ends) : inner_(std::move(inner)), ends_(ends) {}
    void wait() override {
        ends_ = std::jthread([inner = inner_] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            inner->end({{1, 2}, std::nullopt});
        });
    }
    bool done() override { return inner_->done(); }
    bool cancel() override { return false; }
    std::optional<Pending::Outcome> outcome() override { return inner_->outcome(); }
    void onEnd(std::function<void()> callback) override { inner_->onEnd(std::move(callback)); }

private:
    const std::shared_ptr<Completion> inner_;
    std::jthread& ends_;
};

TEST(Pending, AChainBehindAStreamWaitsUntilItsSecondIsLaunched) {
    const auto first = makeCompletion("first"), second = makeCompletion("second");
    second->end({{3, 4}, std::nullopt});
    std::jthread ends;
    Pending chain = Pending(std::make_shared<OnStream>(first, ends)).then([&] { return Pending(second); });
    chain.wait();
    EXPECT_EQ(chain.interval()->start, 3);
}

TEST(Pending, AChainFailsWithEitherOfItsTwo) {
    const auto whatFails = [](bool firstFails) {
        const auto first = makeCompletion("first"), second = makeCompletion("second");
        Pending chain = Pending(first).then([&] { return Pending(second); });
        if (firstFails) {
            first->fail("a peer left");
        } else {
            first->end({});
            second->fail("a peer left");
        }
        EXPECT_TRUE(chain.done());
        EXPECT_EQ(chain.interval(), std::nullopt);
        try {
            chain.wait();
        } catch (const CommError& error) {
            return std::string(error.what());
        }
        return std::string("nothing");
    };
    EXPECT_EQ(whatFails(true), "first failed: a peer left");
    EXPECT_EQ(whatFails(false), "second failed: a peer left");
}

TEST(Pending, WhatFollowsAChainWaitsForItsSecond) {
    const auto first = makeCompletion("first"), second = makeCompletion("second"), third = makeCompletion("third");
    Pending chain = Pending(first).then([&] { return Pending(second); }).then([&] { return Pending(third); });
    first->end({});
    third->end({{5, 6}, std::nullopt});
    EXPECT_FALSE(chain.done());
    second->end({});
    EXPECT_TRUE(chain.done());
    EXPECT_EQ(chain.interval()->end, 6);
}

}  // namespace
}  // namespace dasgd
