// The scheme "sum" with randk, whose ranks draw the same places.
#include <gmock/gmock.h>

#include "tests/support/compressed_exchanges.h"

namespace dasgd::test {
namespace {

TEST(SumScheme, AddsNumbersOfTheSamePlaces) {
    const auto inputs = normalInputs(40);
    const ExchangeTrial trial{.name = "randk",
                              .fields = {{"ratio", Value(0.25)}},
                              .segments = {{0, 40}},
                              .ranks = 3,
                              .exchanges = 2,
                              .feedback = true,
                              .scheme = "sum"};
    const ExchangeOutcome outcome = exchangeAll(trial, inputs);
    std::vector<at::Tensor> errors(3, at::zeros({40}, at::kDouble));
    at::Tensor firstPlaces;
    for (std::size_t exchange = 0; exchange < 2; ++exchange) {
        const at::Tensor& result = outcome.results[exchange][0];
        const at::Tensor sent = result.ne(0);
        EXPECT_EQ(sent.sum().item<std::int64_t>(), 10);
        if (exchange == 0) firstPlaces = sent;
        at::Tensor mean = at::zeros({40}, at::kDouble);
        for (std::size_t rank = 0; rank < 3; ++rank) {
            const at::Tensor p = errors[rank] + inputs(static_cast<int>(exchange), static_cast<int>(rank));
            mean += p / 3;
            errors[rank] = p * sent.logical_not();
            EXPECT_LT(largestDifference(outcome.errors[exchange][rank], errors[rank]), 1e-15);
        }
        EXPECT_LT(largestDifference(result, mean * sent), 1e-15);
        EXPECT_EQ(exchange == 1 && sent.equal(firstPlaces), false) << "each exchange draws other places";
    }
}

}  // namespace
}  // namespace dasgd::test
