#include "experiments/transport/curve/run_secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

TEST(RunSecret, IsNewEachTimeAndComesBackFromItsDigits) {
    const RunSecret one = RunSecret::make().value(), other = RunSecret::make().value();
    EXPECT_NE(one.hex(), other.hex());
    EXPECT_EQ(one.hex().size(), 64U);
    const RunSecret again = RunSecret::fromHex(one.hex()).value();
    EXPECT_EQ(again.hex(), one.hex());
    EXPECT_EQ(again.serverKeys().secretKey, one.serverKeys().secretKey);
}

TEST(RunSecret, EachPartHasKeysOfItsOwn) {
    const RunSecret secret = RunSecret::fromHex(std::string(64, 'a')).value();
    const auto server = secret.serverKeys(), member = secret.memberKeys();
    EXPECT_EQ(server.publicKey.size(), 40U);
    EXPECT_EQ(server.secretKey.size(), 40U);
    EXPECT_NE(server.secretKey, member.secretKey);
    EXPECT_NE(server.publicKey, member.publicKey);
    EXPECT_NE(server.publicKey, RunSecret::fromHex(std::string(64, 'b')).value().serverKeys().publicKey);
}

TEST(RunSecret, OtherTextsAreRefusedWithWhatIsNeeded) {
    for (const std::string& text :
         {std::string(63, 'a'), std::string(64, 'g'), std::string(65, '0'), std::string("x")}) {
        const auto secret = RunSecret::fromEnvironment([&](const std::string&) { return std::optional(text); });
        ASSERT_FALSE(secret) << text;
        EXPECT_THAT(secret.error().message, HasSubstr("DASGD_SECRET holds something else"));
        EXPECT_THAT(secret.error().message, HasSubstr("openssl rand -hex 32"));
    }
    const auto none = RunSecret::fromEnvironment([](const std::string&) { return std::optional<std::string>(); });
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
}

}  // namespace
}  // namespace dasgd::experiments
