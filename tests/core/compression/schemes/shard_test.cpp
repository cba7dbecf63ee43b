// The scheme "shard" with numbers in half precision, of which C(x) is a cast.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/support/compressed_exchanges.h"

namespace dasgd::test {
namespace {

at::Tensor cast(const at::Tensor& x) { return x.to(at::kFloat).to(at::kHalf).to(x.scalar_type()); }

// 11 numbers on 4 ranks are parts of 3, 3, 3 and 2; the owner of a part keeps what its second coding did not send.
TEST(ShardScheme, CodesTheMeanOfEachPartOnceMore) {
    const auto inputs = normalInputs(11);
    const ExchangeTrial trial{.name = "fp16", .segments = {{0, 4}, {4, 7}}, .ranks = 4, .exchanges = 3, .decay = 0.5};
    const ExchangeOutcome outcome = exchangeAll(trial, inputs);
    std::vector<at::Tensor> errors(4, at::zeros({11}, at::kDouble));
    at::Tensor ofParts = at::zeros({11}, at::kDouble);
    for (std::size_t exchange = 0; exchange < 3; ++exchange) {
        at::Tensor mean = at::zeros({11}, at::kDouble);
        for (std::size_t rank = 0; rank < 4; ++rank) {
            const at::Tensor p = errors[rank] * 0.5 + inputs(static_cast<int>(exchange), static_cast<int>(rank));
            mean += 0.25 * cast(p);
            errors[rank] = p - cast(p);
            EXPECT_TRUE(outcome.errors[exchange][rank].equal(errors[rank]));
        }
        mean += 0.5 * ofParts;
        ofParts = mean - cast(mean);
        EXPECT_TRUE(outcome.results[exchange][2].equal(cast(mean))) << exchange;
        for (std::size_t rank = 0; rank < 4; ++rank) {
            const auto begin = static_cast<std::int64_t>(3 * rank);
            EXPECT_TRUE(outcome.kept[exchange][rank]
                            .at("error_of_part")
                            .equal(ofParts.narrow(0, begin, std::min<std::int64_t>(3, 11 - begin))));
        }
    }
}

TEST(ShardScheme, HasPartsWithoutNumbersWhereRanksAreMany) {
    const auto inputs = normalInputs(3);
    const ExchangeTrial trial{.name = "fp16", .segments = {{0, 3}}, .ranks = 8, .feedback = false};
    const ExchangeOutcome outcome = exchangeAll(trial, inputs);
    at::Tensor mean = at::zeros({3}, at::kDouble);
    for (int rank = 0; rank < 8; ++rank) mean += 0.125 * cast(inputs(0, rank));
    EXPECT_TRUE(outcome.results[0][7].equal(cast(mean)));
}

}  // namespace
}  // namespace dasgd::test
