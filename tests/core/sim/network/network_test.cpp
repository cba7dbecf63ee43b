#include "core/sim/network/network.h"

#include <gmock/gmock.h>

#include "tests/support/document.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

template <class P>
std::string refused(const std::string& key, Value value) {
    P params;
    const auto read = readFields(table({{key, std::move(value)}}), params);
    return read ? std::string() : read.error().message;
}

TEST(NetworkParams, ReadsItsMethodAndRate) {
    NetworkParams params;
    ASSERT_TRUE(readFields(
        table({{"collective", text("hierarchical")}, {"group_size", integer(4)}, {"reduce_rate", text("2GB/s")}}),
        params));
    EXPECT_EQ(params.allReduce().method, AllReduceMethod::Hierarchical);
    EXPECT_EQ(params.allReduce().groupSize, 4);
    EXPECT_DOUBLE_EQ(params.reduceSecondsPerByte(), 0.5e-9);
    EXPECT_EQ(NetworkParams{}.reduceSecondsPerByte(), 0) << "in no time";
}

TEST(NetworkParams, KnowsTheAuthorsCollectivesAsFormulas) {
    NetworkParams params;
    ASSERT_TRUE(readFields(table({{"collective", text("authors-butterfly")}, {"fidelity", text("formula")}}), params));
    EXPECT_EQ(params.authorsExchange(), AuthorsExchange::Butterfly);
    EXPECT_EQ(NetworkParams{}.authorsExchange(), std::nullopt);
    EXPECT_THAT(refused<NetworkParams>("collective", text("authors-tree")), HasSubstr("set fidelity = \"formula\""));
    EXPECT_THAT(refused<NetworkParams>("collective", text("authors-bush")), HasSubstr("authors-tree"));
}

TEST(NetworkParams, RefusesWhatCannotBe) {
    EXPECT_THAT(refused<NetworkParams>("collective", text("rings")), HasSubstr("halving-doubling"));
    EXPECT_THAT(refused<NetworkParams>("reduce_rate", text("fast")), HasSubstr("as 10GB/s"));
    EXPECT_THAT(refused<NetworkParams>("group_size", integer(0)), HasSubstr("group_size is 0"));
    EXPECT_THAT(refused<LinkSpec>("bandwidth", text("0Gbps")), HasSubstr("a number above 0"));
    EXPECT_THAT(refused<LinkSpec>("latency", text("-1us")), HasSubstr("as 1ms"));
}

}  // namespace
}  // namespace dasgd::test
