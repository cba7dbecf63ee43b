#include <gmock/gmock.h>

#include "tests/support/sim/messages.h"

namespace dasgd::test {
namespace {

TEST(Star, AStarSharesOnlyItsHostsLinks) {
    const auto took = messages("star", table(equalLinks()), 4, {{0, 1}, {2, 1}, {1, 3}});
    EXPECT_NEAR(took[0], kHop + 2 * kTransfer, kClose) << "two share the way into host 1";
    EXPECT_NEAR(took[1], kHop + 2 * kTransfer, kClose);
    EXPECT_NEAR(took[2], kHop + kTransfer, kClose) << "the way out of it is another one";
}

TEST(Star, AStarMayHaveUnequalLinks) {
    const auto took =
        messages("star", table(equalLinks({{"bandwidth_factors", vector({1, 0.25})}})), 4, {{0, 2}, {1, 3}});
    EXPECT_NEAR(took[0], kHop + kTransfer, kClose);
    EXPECT_NEAR(took[1], kHop + 4 * kTransfer, kClose);
}

}  // namespace
}  // namespace dasgd::test
