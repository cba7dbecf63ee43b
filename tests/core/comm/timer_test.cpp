#include "core/comm/timer.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>

namespace dasgd {
namespace {

TEST(Timer, CallsInTheOrderOfTheInstantsAndNeverEarly) {
    MonotonicClock clock;
    Timer timer(clock);
    std::string order;
    std::promise<Ns> last;
    const Ns begin = clock.now();
    timer.at(begin + 20'000'000, [&] {
        order += 'c';
        last.set_value(clock.now());
    });
    timer.at(begin + 5'000'000, [&] { order += 'a'; });
    timer.at(begin + 5'000'000, [&] { order += 'b'; });
    EXPECT_GE(last.get_future().get(), begin + 20'000'000);
    EXPECT_EQ(order, "abc");
}

TEST(Timer, MayBeDestroyedByItsOwnThreadAndDropsTheRest) {
    MonotonicClock clock;
    std::promise<void> gone;
    auto timer = std::make_shared<Timer>(clock);
    bool dropped = true;
    timer->at(clock.now() + 3'600'000'000'000, [&] { dropped = false; });
    auto* const raw = timer.get();
    raw->at(clock.now(), [&gone, timer = std::move(timer)]() mutable {
        timer.reset();
        gone.set_value();
    });
    gone.get_future().get();
    EXPECT_TRUE(dropped);
}

}  // namespace
}  // namespace dasgd
