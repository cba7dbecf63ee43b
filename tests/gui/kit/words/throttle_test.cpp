#include "gui/kit/words/throttle.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(Throttle, CallsAtOnceAndThenOnceForAllThatCameMeanwhile) {
    int calls = 0;
    Throttle throttle(20, [&calls] { ++calls; });
    throttle.request();
    EXPECT_EQ(calls, 1);
    for (int i = 0; i < 5; ++i) throttle.request();
    EXPECT_EQ(calls, 1);
    EXPECT_TRUE(eventually([&] { return calls == 2; }));
    QTest::qWait(60);
    EXPECT_EQ(calls, 2) << "nothing is called that was not asked for";
    throttle.request();
    EXPECT_EQ(calls, 3);
}

TEST(Throttle, AsksWithinTheCallAreHeard) {
    int calls = 0;
    Throttle throttle(5, [&] {
        if (++calls < 3) throttle.request();
    });
    throttle.request();
    EXPECT_TRUE(eventually([&] { return calls == 3; }));
}

}  // namespace
}  // namespace dasgd::gui
