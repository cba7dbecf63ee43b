// The scheme "gather" with numbers in half precision, of which C(x) is a cast.
#include <gmock/gmock.h>

#include "tests/support/compressed_exchanges.h"

namespace dasgd::test {
namespace {

at::Tensor half(const at::Tensor& x) { return x.to(at::kFloat).to(at::kHalf).to(x.scalar_type()); }

TEST(GatherScheme, AddsTheMessagesInTheOrderOfTheRanks) {
    const auto inputs = normalInputs(11);
    const ExchangeTrial trial{
        .name = "fp16", .segments = {{0, 4}, {4, 7}}, .ranks = 3, .exchanges = 2, .scheme = "gather"};
    const ExchangeOutcome outcome = exchangeAll(trial, inputs);
    std::vector<at::Tensor> errors(3, at::zeros({11}, at::kDouble));
    for (int exchange = 0; exchange < 2; ++exchange) {
        at::Tensor mean = at::zeros({11}, at::kDouble);
        for (int rank = 0; rank < 3; ++rank) {
            at::Tensor& error = errors[static_cast<std::size_t>(rank)];
            const at::Tensor p = error + inputs(exchange, rank);
            mean += (1.0 / 3) * half(p);
            error = p - half(p);
            EXPECT_TRUE(
                outcome.errors[static_cast<std::size_t>(exchange)][static_cast<std::size_t>(rank)].equal(error));
        }
        EXPECT_TRUE(outcome.results[static_cast<std::size_t>(exchange)][0].equal(mean)) << exchange;
    }
}

TEST(GatherScheme, AddsWhatItSentItself) {
    const auto made = anyCompressorOf("fp16", {});
    const auto scheme = made->makeScheme(ExchangeTrial{.segments = {{0, 5}}, .ranks = 2, .scheme = "gather"}.view(1));
    const at::Tensor x = normalInputs(5)(0, 0);
    scheme->encode(x.clone(), 1);
    at::Tensor out = at::ones({5}, at::kDouble);
    scheme->addSent(out, -0.5);
    EXPECT_TRUE(out.equal(1 - 0.5 * half(x)));
}

}  // namespace
}  // namespace dasgd::test
