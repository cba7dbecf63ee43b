// Which schemes go with which operators.
#include "core/compression/settings.h"

#include <gtest/gtest.h>

#include "tests/support/document.h"

namespace dasgd::test {
namespace {

std::optional<FieldError> settled(Fields sign, CompressionParams& params) {
    const auto made = CompressorRegistry::find("sign")->create(table(std::move(sign)), {}).value();
    return settleScheme(*made, params);
}

TEST(SettleScheme, AutoIsWhatSuitsTheOperator) {
    CompressionParams params;
    EXPECT_FALSE(settled({}, params));
    EXPECT_EQ(params.scheme, "shard");
    params.scheme = "auto";
    EXPECT_FALSE(settled({{"vote", Value(true)}, {"scale", text("one")}}, params));
    EXPECT_EQ(params.scheme, "gather");
}

TEST(SettleScheme, RefusesWhatCannotBeAddedUpAndVotesThatAreCodedTwice) {
    CompressionParams params{.scheme = "sum"};
    auto refused = settled({}, params);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->field, "scheme");
    EXPECT_NE(refused->message.find("set scheme = \"gather\" or \"shard\""), std::string::npos);
    params.scheme = "shard";
    refused = settled({{"vote", Value(true)}, {"scale", text("one")}}, params);
    ASSERT_TRUE(refused);
    EXPECT_NE(refused->message.find("set scheme = \"gather\""), std::string::npos);
}

}  // namespace
}  // namespace dasgd::test
