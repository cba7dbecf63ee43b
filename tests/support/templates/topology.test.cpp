#include <gtest/gtest.h>

#include "tests/support/sim/messages.h"

namespace dasgd::test {
namespace {

TEST(ExtraTopology, SharesOnlyItsHostsLinks) {
    const auto took = messages("extra_topology", table(equalLinks()), 4, {{0, 1}, {2, 1}, {1, 3}});
    EXPECT_NEAR(took[0], kHop + 2 * kTransfer, kClose);
    EXPECT_NEAR(took[2], kHop + kTransfer, kClose);
}

}  // namespace
}  // namespace dasgd::test
