#include "experiments/transport/mirror/hello.h"

#include <gtest/gtest.h>

namespace dasgd::experiments {
namespace {

TEST(HelloTest, IsReadAsItWasWritten) {
    const Hello hello{.schema = 11, .workspace = "of-run-a", .program = "1.2"};
    const auto read = Hello::of(hello.bytes());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->schema, 11U);
    EXPECT_EQ(read->workspace, "of-run-a");
    EXPECT_EQ(read->program, "1.2");
    EXPECT_FALSE(Hello::of("hello"));
    EXPECT_FALSE(Hello::of(hello.bytes().substr(0, 20)));
    EXPECT_TRUE(Hello::of(Hello{.protocol = 9}.bytes())) << "so that the other one can be told to update";
}

}  // namespace
}  // namespace dasgd::experiments
