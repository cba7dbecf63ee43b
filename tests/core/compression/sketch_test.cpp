#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "core/base/random.h"
#include "tests/support/compressed_exchanges.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

ExchangeTrial sketchTrial(std::int64_t columns, double ratio, int ranks, double momentum = 0, std::int64_t rows = 5) {
    return {.name = "sketch",
            .fields = {{"columns", integer(columns)},
                       {"ratio", number(ratio)},
                       {"momentum", number(momentum)},
                       {"rows", integer(rows)}},
            .segments = {{0, 150, 10}, {150, 50, 0}},
            .ranks = ranks,
            .exchanges = 6,
            .feedback = momentum == 0};
}

at::Tensor tableOf(ExchangeScheme& scheme) {
    for (const auto& [name, tensor] : scheme.underWay()) {
        if (name == "table") return tensor->clone();
    }
    return {};
}

std::vector<std::int64_t> placesOfLargest(const std::vector<double>& x, std::size_t k) {
    std::vector<std::int64_t> places(x.size());
    std::iota(places.begin(), places.end(), 0);
    std::ranges::stable_sort(places, [&](std::int64_t a, std::int64_t b) {
        return std::abs(x[static_cast<std::size_t>(a)]) > std::abs(x[static_cast<std::size_t>(b)]);
    });
    places.resize(k);
    std::ranges::sort(places);
    return places;
}

// The algorithm of the paper over all ranks at once, with sums over dictionaries of cells, and a median by sorting.
struct SketchOracle {
    SketchOracle(std::uint64_t seed, std::int64_t elements, int rows, std::uint64_t columns) {
        constexpr unsigned __int128 kPrime = 2147483647;
        std::mt19937_64 engine(streamSeed(seed, kEveryRank, StreamPurpose::Compression, 0));
        for (int row = 0; row < rows; ++row) {
            std::array<std::uint64_t, 4> powers{};
            for (std::uint64_t& power : powers) {
                power = static_cast<std::uint64_t>(static_cast<double>(engine() >> 11) * 0x1p-53 * 2147483647.0);
            }
            cells.emplace_back();
            for (std::int64_t i = 0; i < elements; ++i) {
                const auto x = static_cast<unsigned __int128>(i);
                const unsigned __int128 value =
                    (((powers[0] * x % kPrime * x + powers[1] * x) % kPrime * x + powers[2] * x) + powers[3]) % kPrime;
                const auto cell = static_cast<std::uint64_t>(value) * 2 * columns / 2147483648U;
                cells.back().push_back({cell / 2, cell % 2 == 1 ? -1.0 : 1.0});
            }
        }
    }
    [[nodiscard]] std::vector<double> estimates(const std::vector<double>& x) const {
        std::vector<std::map<std::uint64_t, double>> table(cells.size());
        for (std::size_t row = 0; row < cells.size(); ++row) {
            for (std::size_t i = 0; i < x.size(); ++i) table[row][cells[row][i].first] += cells[row][i].second * x[i];
        }
        std::vector<double> all;
        for (std::size_t i = 0; i < x.size(); ++i) {
            std::vector<double> rows;
            for (std::size_t row = 0; row < cells.size(); ++row) {
                rows.push_back(cells[row][i].second * table[row][cells[row][i].first]);
            }
            std::ranges::sort(rows);
            const std::size_t half = rows.size() / 2;
            all.push_back(rows.size() % 2 == 1 ? rows[half] : (rows[half - 1] + rows[half]) / 2);
        }
        return all;
    }
    std::vector<std::vector<std::pair<std::uint64_t, double>>> cells;  // by row and number: column and sign
};

void expectThePapersAlgorithm(const ExchangeTrial& trial, std::int64_t columns, int rows, std::size_t k,
                              double momentum) {
    const SketchOracle oracle(trial.seed, trial.elements(), rows, static_cast<std::uint64_t>(columns));
    const auto inputs = normalInputs(trial.elements());
    const auto got = exchangeAll(trial, inputs);
    std::vector<at::Tensor> u(static_cast<std::size_t>(trial.ranks), at::zeros({trial.elements()}, at::kDouble)), v = u;
    for (int e = 0; e < trial.exchanges; ++e) {
        at::Tensor total = at::zeros({trial.elements()}, at::kDouble);
        for (std::size_t r = 0; r < v.size(); ++r) {
            u[r] = momentum * u[r] + inputs(e, static_cast<int>(r));
            v[r] = v[r] + u[r];
            total += v[r];
        }
        const double* sums = total.data_ptr<double>();
        const auto candidates =
            placesOfLargest(oracle.estimates({sums, sums + trial.elements()}), std::min<std::size_t>(4 * k, 200));
        std::vector<double> exact;
        for (const std::int64_t place : candidates) exact.push_back(sums[place]);
        at::Tensor result = at::zeros_like(total);
        for (const std::int64_t chosen : placesOfLargest(exact, k)) {
            const std::int64_t place = candidates[static_cast<std::size_t>(chosen)];
            result[place] = total[place] / trial.ranks;
            for (std::size_t r = 0; r < v.size(); ++r) u[r][place] = v[r][place] = 0;
        }
        const auto exchange = static_cast<std::size_t>(e);
        EXPECT_LT(largestDifference(got.results[exchange][0], result), 1e-13) << trial.ranks << " " << e;
        for (std::size_t r = 0; r < v.size(); ++r) {
            const at::Tensor error = momentum > 0 ? got.kept[exchange][r].at("unsent") : got.errors[exchange][r];
            EXPECT_LT(largestDifference(error, v[r]), 1e-13) << trial.ranks << " " << e;
        }
    }
}

TEST(Sketch, IsThePapersAlgorithm) {
    for (const int ranks : {1, 2, 4, 7}) {
        for (const double momentum : {0.0, 0.9}) {
            expectThePapersAlgorithm(sketchTrial(30, 0.05, ranks, momentum), 30, 5, 10, momentum);
        }
    }
    expectThePapersAlgorithm(sketchTrial(0, 0.05, 2, 0, 4), 40, 4, 10, 0);  // rows in even number; columns by default
}

TEST(Sketch, TheTableIsLinearAndAlikeOnAllRanks) {
    const ExchangeTrial trial = sketchTrial(20, 0.05, 3);
    const auto compressor = anyCompressorOf("sketch", trial.fields);
    const auto tableBy = [&](int rank, const at::Tensor& x) {
        const auto scheme = compressor->makeScheme(trial.view(rank));
        at::Tensor p = x.clone();
        scheme->encode(p, static_cast<std::uint64_t>(rank + 1));
        return tableOf(*scheme);
    };
    // Whole numbers, whose sums are exact.
    const at::Tensor a = (10 * normalInputs(200)(0, 0)).round(), b = (10 * normalInputs(200)(0, 1)).round();
    EXPECT_TRUE((tableBy(0, a) + 3 * tableBy(1, b)).equal(tableBy(2, a + 3 * b)));
    EXPECT_EQ(tableBy(0, at::ones({200}, at::kDouble)).sizes(), (std::vector<std::int64_t>{5, 20}));
    // Every number is in one cell of each row.
    const at::Tensor one = at::one_hot(at::scalar_tensor(77, at::kLong), 200).to(at::kDouble);
    EXPECT_TRUE(tableBy(0, one).abs().sum(1).equal(at::ones({5}, at::kDouble)));
}

// Columns and signs of a row are spread evenly.
TEST(Sketch, CellsAreUniform) {
    constexpr std::int64_t kElements = 100'000, kColumns = 20;
    ExchangeTrial trial = sketchTrial(kColumns, 0.05, 1);
    trial.segments = {{0, kElements, 0}};
    const auto compressor = anyCompressorOf("sketch", trial.fields);
    const auto scheme = compressor->makeScheme(trial.view(0));
    at::Tensor p = at::ones({kElements}, at::kDouble);
    scheme->encode(p, 1);
    // A sum of 5,000 signs has a deviation of 71, and there are 100 of them.
    EXPECT_LT(tableOf(*scheme).abs().max().item<double>(), 5 * 71);
    EXPECT_GT(tableOf(*scheme).abs().mean().item<double>(), 30);
}

TEST(Sketch, FewNumbersArriveExactlyWhereColumnsAreEnough) {
    for (const Backend backend : suiteBackends()) {
        ExchangeTrial trial = sketchTrial(400, 0.05, 3);
        trial.backend = backend;
        // Ten numbers, at the same places on all ranks.
        const at::Tensor places = at::arange(3, 200, 20, at::kLong);
        const auto normal = normalInputs(200);
        const ExchangeInputs inputs = [&](int exchange, int rank) {
            return at::zeros({200}, at::kDouble).index_put_({places}, 1 + normal(exchange, rank).index({places}).abs());
        };
        const auto got = exchangeAll(trial, inputs);
        for (int e = 0; e < trial.exchanges; ++e) {
            EXPECT_LT(largestDifference(got.results[static_cast<std::size_t>(e)][0], meanInput(inputs, e, 3)), 1e-15);
            EXPECT_EQ(got.meanError(static_cast<std::size_t>(e)).abs().max().item<double>(), 0);
        }
    }
}

TEST(Sketch, ErrorFeedbackTelescopes) {
    const ExchangeTrial trial = sketchTrial(10, 0.02, 4);
    const auto inputs = normalInputs(200);
    const auto got = exchangeAll(trial, inputs);
    at::Tensor sent = at::zeros({200}, at::kDouble), given = sent.clone();
    for (int e = 0; e < trial.exchanges; ++e) {
        const auto exchange = static_cast<std::size_t>(e);
        sent += got.results[exchange][0];
        given += meanInput(inputs, e, 4);
        EXPECT_LT(largestDifference(sent + got.meanError(exchange), given), 1e-14);
        EXPECT_EQ(got.results[exchange][0].count_nonzero().item<std::int64_t>(), 4);
    }
}

TEST(Sketch, BytesAreKnownBefore) {
    for (const at::Device device : {at::Device(at::kCPU), at::Device(at::kMeta)}) {
        ExchangeTrial trial = sketchTrial(30, 0.05, 2);
        trial.type = at::kFloat;
        const auto scheme = anyCompressorOf("sketch", trial.fields)->makeScheme(trial.view(0, device));
        EXPECT_EQ(scheme->bytes(0), 4 * 5 * 30);
        EXPECT_EQ(scheme->bytes(1), 4 * 4 * 10);
        EXPECT_EQ(scheme->messageBytes(), 4 * 5 * 30 + 4 * 4 * 10);
        // No more candidates than numbers.
        trial.fields[1].second = number(0.5);
        EXPECT_EQ(anyCompressorOf("sketch", trial.fields)->makeScheme(trial.view(0, device))->bytes(1), 4 * 200);
    }
}

TEST(Sketch, NanIsNotHidden) {
    ExchangeTrial trial = sketchTrial(30, 0.05, 2);
    trial.exchanges = 1;
    const auto got = exchangeAll(trial, [&](int exchange, int rank) {
        at::Tensor x = normalInputs(200)(exchange, rank);
        if (rank == 1) x[5] = std::nan("");
        return x;
    });
    EXPECT_TRUE(got.results[0][0][5].isnan().item<bool>());
}

TEST(Sketch, StateUnderWayIsResumed) {
    for (const double momentum : {0.0, 0.5}) {
        for (const bool feedback : {false, momentum == 0}) {
            ExchangeTrial trial = sketchTrial(30, 0.05, 1, momentum);
            trial.feedback = feedback;
            const auto compressor = anyCompressorOf("sketch", trial.fields);
            const auto first = compressor->makeScheme(trial.view(0)), second = compressor->makeScheme(trial.view(0));
            at::Tensor p = normalInputs(200)(0, 0);
            first->encode(p, 1);
            at::Tensor loaded = p.clone();
            for (const auto& tensors : {&ExchangeScheme::kept, &ExchangeScheme::underWay}) {
                const auto from = ((*first).*tensors)(), to = ((*second).*tensors)();
                ASSERT_EQ(from.size(), to.size());
                for (std::size_t i = 0; i < from.size(); ++i) to[i].second->copy_(*from[i].second);
            }
            if (feedback) second->resume(loaded);
            at::Tensor a = at::zeros_like(p), b = at::zeros_like(p);
            for (const auto& [scheme, out] : {std::pair{first.get(), a}, std::pair{second.get(), b}}) {
                scheme->recode(1, 1);
                scheme->decode(out, 1);
            }
            EXPECT_TRUE(a.equal(b));
            EXPECT_TRUE(p.equal(loaded));
            EXPECT_EQ(a.count_nonzero().item<std::int64_t>(), 10);
        }
    }
}

TEST(Sketch, WhatItCannotUseIsRefused) {
    EXPECT_EQ(compressionRefused("sketch", {}, {.errorFeedback = true}), "");
    EXPECT_THAT(compressionRefused("sketch", {{"momentum", number(0.9)}}, {.errorFeedback = true}),
                HasSubstr("error_feedback: "));
    EXPECT_THAT(compressionRefused("sketch", {}, {.scheme = "shard"}), HasSubstr("scheme: "));
    EXPECT_THAT(compressionRefused("sketch", {}, {.scope = "model"}), HasSubstr("scope: "));
    EXPECT_THAT(anyCompressorOf("sketch", {})->check({{1 << 20, 1 << 12}})->message, HasSubstr("choose topk"));
    EXPECT_EQ(anyCompressorOf("sketch", {})->check({{1 << 20, 100}}), std::nullopt);
}

}  // namespace
}  // namespace dasgd::test
