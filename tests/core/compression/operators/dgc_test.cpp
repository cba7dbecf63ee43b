#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/compression/compressed_mean.h"
#include "core/compression/operators/largest.h"
#include "core/exec/cpu_executor.h"
#include "tests/support/compressed_exchanges.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

// A matrix, a vector that travels whole, and another matrix.
const std::vector<Segment> kParameters{{0, 60, 6}, {60, 7, 0}, {67, 45, 5}};

ExchangeTrial dgcTrial(double ratio, double momentum, int ranks) {
    return {.name = "dgc",
            .fields = {{"ratio", number(ratio)}, {"momentum", number(momentum)}},
            .segments = kParameters,
            .ranks = ranks,
            .exchanges = 6,
            .feedback = false};
}

// Places of the k largest, by sorting all of them.
std::vector<std::int64_t> sortedLargest(const std::vector<double>& x, std::int64_t k) {
    std::vector<std::int64_t> places(x.size());
    std::iota(places.begin(), places.end(), 0);
    std::ranges::stable_sort(places, [&](std::int64_t a, std::int64_t b) {
        return std::abs(x[static_cast<std::size_t>(a)]) > std::abs(x[static_cast<std::size_t>(b)]);
    });
    places.resize(static_cast<std::size_t>(k));
    return places;
}

// The rule of the paper, number by number.
std::vector<at::Tensor> dgcOracle(const ExchangeTrial& trial, const ExchangeInputs& inputs,
                                  const std::function<double(int exchange)>& ratio, double momentum) {
    const auto elements = static_cast<std::size_t>(trial.elements());
    const std::vector<std::vector<double>> zeros(static_cast<std::size_t>(trial.ranks), std::vector<double>(elements));
    auto u = zeros, v = zeros;
    std::vector<at::Tensor> results;
    for (int exchange = 0; exchange < trial.exchanges; ++exchange) {
        at::Tensor result = at::zeros({trial.elements()}, at::kDouble);
        double* sum = result.data_ptr<double>();
        for (int rank = 0; rank < trial.ranks; ++rank) {
            auto& velocity = u[static_cast<std::size_t>(rank)];
            auto& unsent = v[static_cast<std::size_t>(rank)];
            const at::Tensor x = inputs(exchange, rank);
            for (const Segment& part : trial.segments) {
                std::vector<double> ofPart;
                for (std::int64_t i = part.offset; i < part.offset + part.elements; ++i) {
                    const auto at = static_cast<std::size_t>(i);
                    const double gradient = x[i].item<double>();
                    if (part.rows == 0) {
                        sum[i] += gradient / trial.ranks;
                        continue;
                    }
                    velocity[at] = momentum * velocity[at] + gradient;
                    unsent[at] += velocity[at];
                    ofPart.push_back(unsent[at]);
                }
                if (part.rows == 0) continue;
                const auto k = static_cast<std::int64_t>(
                    std::max(1.0, std::ceil(ratio(exchange) * static_cast<double>(part.elements) - 1e-9)));
                for (const std::int64_t place : sortedLargest(ofPart, k)) {
                    const auto at = static_cast<std::size_t>(part.offset + place);
                    sum[at] += unsent[at] / trial.ranks;
                    velocity[at] = unsent[at] = 0;
                }
            }
        }
        results.push_back(result);
    }
    return results;
}

TEST(Dgc, IsThePapersRule) {
    for (const int ranks : {1, 2, 4, 7}) {
        const ExchangeTrial trial = dgcTrial(0.1, 0.9, ranks);
        const auto inputs = normalInputs(trial.elements());
        const auto got = exchangeAll(trial, inputs);
        const auto expected = dgcOracle(
            trial, inputs, [](int) { return 0.1; }, 0.9);
        for (std::size_t e = 0; e < expected.size(); ++e) {
            EXPECT_LT(largestDifference(got.results[e][0], expected[e]), 1e-14) << ranks << " " << e;
        }
    }
}

// What is sent takes its momentum with it.
TEST(Dgc, ARatioOfOneIsTheMeanWithoutMomentum) {
    for (const Backend backend : suiteBackends()) {
        ExchangeTrial trial = dgcTrial(1, 0.9, 3);
        trial.backend = backend;
        const auto inputs = normalInputs(trial.elements());
        const auto got = exchangeAll(trial, inputs);
        for (int e = 0; e < trial.exchanges; ++e) {
            EXPECT_LT(largestDifference(got.results[static_cast<std::size_t>(e)][0], meanInput(inputs, e, 3)), 1e-15);
        }
    }
}

// Without momentum v is the error of topk with feedback, to the last bit.
TEST(Dgc, WithoutMomentumIsTheLargestWithFeedback) {
    ExchangeTrial trial = dgcTrial(0.1, 0, 1);
    trial.type = at::kFloat;
    const auto inputs = normalInputs(trial.elements(), at::kFloat);
    const auto got = exchangeAll(trial, inputs);
    at::Tensor error = at::zeros({trial.elements()});
    for (int e = 0; e < trial.exchanges; ++e) {
        at::Tensor p = error + inputs(e, 0), sent = at::zeros_like(p);
        for (const Segment& part : kParameters) {
            const std::int64_t k = part.rows > 0 ? (part.elements + 9) / 10 : part.elements;
            const at::Tensor numbers = p.narrow(0, part.offset, part.elements);
            const at::Tensor places = std::get<1>(numbers.abs().topk(k));
            sent.narrow(0, part.offset, part.elements).index_put_({places}, numbers.index({places}));
        }
        error = p - sent;
        EXPECT_TRUE(got.results[static_cast<std::size_t>(e)][0].equal(sent)) << e;
        EXPECT_TRUE(got.kept[static_cast<std::size_t>(e)][0].at("unsent").equal(error)) << e;
    }
}

TEST(Dgc, NothingIsLostWithoutMomentum) {
    const ExchangeTrial trial = dgcTrial(0.05, 0, 4);
    const auto inputs = normalInputs(trial.elements());
    const auto got = exchangeAll(trial, inputs);
    at::Tensor sent = at::zeros({trial.elements()}, at::kDouble), given = sent.clone();
    for (int e = 0; e < trial.exchanges; ++e) {
        sent += got.results[static_cast<std::size_t>(e)][0];
        given += meanInput(inputs, e, 4);
        EXPECT_LT(largestDifference(sent + got.meanKept(static_cast<std::size_t>(e), "unsent"), given), 1e-14);
    }
}

// Ratios of the first epochs; here two exchanges are an epoch. Ranks are alike, so that one may tell the epochs.
TEST(Dgc, WarmupHasARatioForEachOfTheFirstEpochs) {
    ExchangeTrial trial = dgcTrial(0.02, 0.5, 1);
    trial.fields.emplace_back("warmup", vector({1, 0.3}));
    int asked = 0;
    const auto inputs = normalInputs(trial.elements());
    trial.epoch = [&asked] { return std::int64_t{(asked - 1) / 2}; };
    const auto got = exchangeAll(trial, [&](int exchange, int rank) {
        asked = exchange + 1;
        return inputs(exchange, rank);
    });
    const auto expected = dgcOracle(
        trial, inputs, [](int exchange) { return exchange < 2   ? 1.0
                                                 : exchange < 4 ? 0.3
                                                                : 0.02; }, 0.5);
    for (std::size_t e = 0; e < expected.size(); ++e) {
        EXPECT_LT(largestDifference(got.results[e][0], expected[e]), 1e-14) << e;
    }
}

// 8 bytes for each number that is sent, 4 for those that travel whole; in float64 12 and 8.
TEST(Dgc, BytesAreKnownBefore) {
    std::int64_t epoch = 0;
    ExchangeTrial trial = dgcTrial(0.1, 0.9, 3);
    trial.fields.emplace_back("warmup", vector({0.25}));
    trial.epoch = [&epoch] { return epoch; };
    for (const at::Device device : {at::Device(at::kCPU), at::Device(at::kMeta)}) {
        for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
            trial.type = type;
            const std::int64_t value = type == at::kFloat ? 4 : 8;
            epoch = 0;
            const auto scheme = anyCompressorOf("dgc", trial.fields)->makeScheme(trial.view(0, device));
            EXPECT_EQ(scheme->bytes(0), (15 + 12) * (4 + value) + 7 * value);
            epoch = 1;
            EXPECT_EQ(scheme->bytes(0), (6 + 5) * (4 + value) + 7 * value);
            EXPECT_EQ(scheme->messageBytes(), scheme->bytes(0));
        }
    }
}

// The epoch comes from the step; what is sent is 12 bytes a number here.
TEST(Dgc, EpochsAreThoseOfTheRun) {
    CompressionSettings settings{
        .name = "dgc", .compressor = anyCompressorOf("dgc", {{"ratio", number(0.1)}, {"warmup", vector({1, 0.5})}})};
    ASSERT_FALSE(settleScheme(*settings.compressor, settings.params));
    const auto shared = std::make_shared<const CompressionSettings>(std::move(settings));
    runRanks(Backend::Threads, 2, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(torch::nn::LinearOptions(10, 4).bias(false));
        FlatParams params(*layer, torch::kFloat64);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor, 1, {.stepsPerEpoch = 2});
        const at::NoGradGuard guard;
        CompressedMean mean(shared, context, {.elements = 40, .ofGradients = true});
        for (std::int64_t step = 1; step <= 6; ++step) {
            context.moveTo(step, 0.1);
            const std::int64_t before = comm.bytesSent();
            mean.encode(context, at::ones({40}, at::kDouble));
            mean.launch(context);
            mean.arrive(context);
            at::Tensor out = at::zeros({40}, at::kDouble);
            mean.decode(out);
            mean.finish();
            const std::int64_t numbers = step <= 2 ? 40 : step <= 4 ? 20 : 4;
            EXPECT_EQ(comm.bytesSent() - before, 12 * numbers) << step;
            EXPECT_EQ(out.count_nonzero().item<std::int64_t>(), numbers) << step;
        }
    });
}

TEST(Dgc, WhatItCannotUseIsRefused) {
    EXPECT_THAT(compressionRefused("dgc", {}, {.errorFeedback = true}), HasSubstr("error_feedback: "));
    EXPECT_THAT(compressionRefused("dgc", {}, {.scheme = "shard"}), HasSubstr("scheme: "));
    EXPECT_THAT(compressionRefused("dgc", {}, {.scope = "model"}), HasSubstr("scope: "));
    EXPECT_THAT(compressionRefused("dgc", {{"warmup", vector({0.25, 0})}}), HasSubstr("warmup"));
    EXPECT_EQ(compressionRefused("dgc", {}, {.scheme = "gather"}), "");
    EXPECT_THAT(anyCompressorOf("dgc", {})->check({{10}, {3}})->message, HasSubstr("choose topk"));
    EXPECT_EQ(anyCompressorOf("dgc", {})->check({{10}, {3, 2}}), std::nullopt);
}

template <class T>
void expectLargest(std::int64_t k, const std::vector<T>& x) {
    std::vector<std::int64_t> expected = sortedLargest({x.begin(), x.end()}, k);
    std::ranges::sort(expected);
    EXPECT_EQ(largestPlaces(x.data(), static_cast<std::int64_t>(x.size()), k), expected) << k;
}

TEST(LargestPlaces, AreThoseOfASort) {
    const at::Tensor numbers = normalInputs(500)(0, 0);
    const double* from = numbers.data_ptr<double>();
    const std::vector<double> doubles(from, from + 500);
    const std::vector<float> floats(from, from + 500);
    std::vector<float> few;  // many ties
    for (const float number : floats) few.push_back(std::round(number));
    std::vector<double> near;  // that differ in their last bits alone
    for (std::size_t i = 0; i < 200; ++i) near.push_back(1 + 1e-15 * static_cast<double>(i * 37 % 100));
    for (const std::int64_t k : {1, 2, 50, 199, 200}) {
        expectLargest(k, doubles);
        expectLargest(k, floats);
        expectLargest(k, few);
        expectLargest(k, near);
    }
    expectLargest(500, few);
    const float nan = std::nanf(""), infinite = std::numeric_limits<float>::infinity();
    EXPECT_EQ(largestPlaces(std::vector<float>{1, -infinite, 0, nan}.data(), 4, 1), std::vector<std::int64_t>{3});
    EXPECT_EQ(largestPlaces(std::vector<float>{0, 0, 0}.data(), 3, 2), (std::vector<std::int64_t>{0, 1}));
}

}  // namespace
}  // namespace dasgd::test
