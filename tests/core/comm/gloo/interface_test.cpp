#include "core/comm/gloo/interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dasgd {
namespace {

using testing::HasSubstr;

TEST(Interface, LoopbackLeadsToLoopback) {
    const auto found = interfaceTowards("127.0.0.1");
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->name, "lo");
    EXPECT_TRUE(found->isLoopback());
    EXPECT_EQ(interfaceNamed("lo")->address, "127.0.0.1");
}

TEST(Interface, UnknownNamesListWhatThereIs) {
    const auto missing = interfaceNamed("eth99");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, HasSubstr("no network interface 'eth99'"));
    EXPECT_THAT(missing.error().message, HasSubstr("lo (127.0.0.1)"));
    EXPECT_THAT(missing.error().message, HasSubstr("DASGD_INTERFACE"));
}

TEST(Interface, AHostThatDoesNotResolveIsNamed) {
    const auto missing = interfaceTowards("no-such-host.invalid");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, HasSubstr("'no-such-host.invalid'"));
}

}  // namespace
}  // namespace dasgd
