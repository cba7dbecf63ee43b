#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

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
    // The table of x, by row and column.
    using Table = std::vector<std::map<std::uint64_t, double>>;
    [[nodiscard]] Table tableOf(const at::Tensor& x) const {
        Table table(cells.size());
        for (std::size_t row = 0; row < cells.size(); ++row) {
            for (std::size_t i = 0; i < cells[row].size(); ++i) {
                table[row][cells[row][i].first] += cells[row][i].second * x.data_ptr<double>()[i];
            }
        }
        return table;
    }
    [[nodiscard]] std::vector<double> estimates(Table table) const {
        std::vector<double> all;
        for (std::size_t i = 0; i < cells[0].size(); ++i) {
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
    // True where some two numbers have a cell in common.
    [[nodiscard]] bool collides() const {
        return std::ranges::any_of(cells, [](const auto& row) {
            std::set<std::uint64_t> columns;
            for (const auto& [column, sign] : row) columns.insert(column);
            return columns.size() < row.size();
        });
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
            placesOfLargest(oracle.estimates(oracle.tableOf(total)), std::min<std::size_t>(4 * k, 200));
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

ExchangeTrial fetchTrial(std::int64_t columns, double ratio, int ranks, double momentum, std::int64_t rows = 5) {
    ExchangeTrial trial = sketchTrial(columns, ratio, ranks, momentum, rows);
    trial.fields.emplace_back("error", text("sketch"));
    trial.feedback = false;
    return trial;
}

at::Tensor denseOf(const SketchOracle::Table& table, std::int64_t columns) {
    at::Tensor dense = at::zeros({std::ssize(table), columns}, at::kDouble);
    for (std::size_t row = 0; row < table.size(); ++row) {
        for (const auto& [column, value] : table[row]) {
            dense.index_put_({static_cast<std::int64_t>(row), static_cast<std::int64_t>(column)}, value);
        }
    }
    return dense;
}

// FetchSGD over all ranks at once: the tables U and E are dictionaries of cells.
void expectFetchSgd(const ExchangeTrial& trial, std::int64_t columns, int rows, std::size_t k, double momentum) {
    const SketchOracle oracle(trial.seed, trial.elements(), rows, static_cast<std::uint64_t>(columns));
    const auto inputs = normalInputs(trial.elements());
    const auto got = exchangeAll(trial, inputs);
    SketchOracle::Table u(oracle.cells.size()), error = u;
    for (int e = 0; e < trial.exchanges; ++e) {
        const auto exchange = static_cast<std::size_t>(e);
        const SketchOracle::Table sum = oracle.tableOf(meanInput(inputs, e, trial.ranks));
        for (std::size_t row = 0; row < sum.size(); ++row) {
            for (const auto& [column, value] : sum[row]) {
                u[row][column] = momentum * u[row][column] + value;
                error[row][column] += u[row][column];
            }
        }
        const std::vector<double> estimates = oracle.estimates(error);
        at::Tensor result = at::zeros({trial.elements()}, at::kDouble);
        for (const std::int64_t place : placesOfLargest(estimates, k)) {
            const auto i = static_cast<std::size_t>(place);
            result[place] = estimates[i];
            for (std::size_t row = 0; row < sum.size(); ++row) {
                u[row][oracle.cells[row][i].first] = error[row][oracle.cells[row][i].first] = 0;
            }
        }
        EXPECT_LT(largestDifference(got.results[exchange][0], result), 1e-13) << trial.ranks << " " << e;
        for (const auto& kept : got.kept[exchange]) {
            EXPECT_LT(largestDifference(kept.at("error_table"), denseOf(error, columns)), 1e-13) << e;
            EXPECT_EQ(kept.contains("momentum_table"), momentum > 0);
            if (momentum == 0) continue;
            EXPECT_LT(largestDifference(kept.at("momentum_table"), denseOf(u, columns)), 1e-13) << e;
        }
    }
}

TEST(Sketch, WithMomentumAndErrorInTablesIsFetchSgd) {
    for (const int ranks : {1, 2, 4, 7}) {
        for (const double momentum : {0.0, 0.9}) {
            expectFetchSgd(fetchTrial(30, 0.05, ranks, momentum), 30, 5, 10, momentum);
        }
    }
    expectFetchSgd(fetchTrial(0, 0.05, 2, 0.9, 4), 40, 4, 10, 0.9);  // rows in even number; columns by default
}

// Tables of numbers that share no cell are the numbers: u ← μu + ⟨g⟩, e ← e + u, of which the largest arrive.
TEST(Sketch, WithoutCollisionsFetchSgdIsMomentumSgdOfTheLargest) {
    constexpr std::int64_t kColumns = 100'000;
    for (const double ratio : {0.05, 1.0}) {
        ExchangeTrial trial = fetchTrial(kColumns, ratio, 3, 0.9, 3);
        while (SketchOracle(trial.seed, 200, 3, kColumns).collides()) ++trial.seed;
        const auto inputs = normalInputs(200);
        const auto got = exchangeAll(trial, inputs);
        at::Tensor u = at::zeros({200}, at::kDouble), error = u.clone();
        for (int e = 0; e < trial.exchanges; ++e) {
            u = 0.9 * u + meanInput(inputs, e, 3);
            error = error + u;
            const double* numbers = error.data_ptr<double>();
            at::Tensor result = at::zeros_like(u);
            for (const std::int64_t place :
                 placesOfLargest({numbers, numbers + 200}, static_cast<std::size_t>(200 * ratio))) {
                result[place] = error[place];
                u[place] = error[place] = 0;
            }
            EXPECT_LT(largestDifference(got.results[static_cast<std::size_t>(e)][0], result), 1e-13) << e;
            if (ratio < 1) continue;
            EXPECT_LT(largestDifference(result, meanInput(inputs, e, 3)), 1e-15) << "plain averages";
        }
    }
}

// Whole numbers, whose sums and halves are exact.
TEST(Sketch, FetchSgdOfManyRanksIsThatOfTheirMean) {
    const auto normal = normalInputs(200);
    const ExchangeInputs whole = [&](int exchange, int rank) { return (64 * normal(exchange, rank)).round(); };
    const auto many = exchangeAll(fetchTrial(30, 0.05, 4, 0.5), whole);
    const auto one =
        exchangeAll(fetchTrial(30, 0.05, 1, 0.5), [&](int exchange, int) { return meanInput(whole, exchange, 4); });
    for (std::size_t e = 0; e < many.results.size(); ++e) EXPECT_TRUE(many.results[e][0].equal(one.results[e][0]));
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
        const auto fetch =
            anyCompressorOf("sketch", fetchTrial(30, 0.05, 2, 0.9).fields)->makeScheme(trial.view(0, device));
        EXPECT_EQ(fetch->stages(), 1);
        EXPECT_EQ(fetch->messageBytes(), 4 * 5 * 30);
        // No more candidates than numbers.
        trial.fields[1].second = number(0.5);
        EXPECT_EQ(anyCompressorOf("sketch", trial.fields)->makeScheme(trial.view(0, device))->bytes(1), 4 * 200);
    }
}

TEST(Sketch, NanIsNotHidden) {
    for (ExchangeTrial trial : {sketchTrial(30, 0.05, 2), fetchTrial(30, 0.05, 2, 0.9)}) {
        trial.exchanges = 1;
        const auto got = exchangeAll(trial, [&](int exchange, int rank) {
            at::Tensor x = normalInputs(200)(exchange, rank);
            if (rank == 1) x[5] = std::nan("");
            return x;
        });
        EXPECT_TRUE(got.results[0][0][5].isnan().item<bool>());
    }
}

TEST(Sketch, TablesUnderWayAndKeptAreResumed) {
    const ExchangeTrial trial = fetchTrial(30, 0.05, 1, 0.9);
    const auto compressor = anyCompressorOf("sketch", trial.fields);
    auto first = compressor->makeScheme(trial.view(0));
    const auto second = compressor->makeScheme(trial.view(0));
    const auto input = normalInputs(200);
    at::Tensor out = at::zeros({200}, at::kDouble);
    first->encode(input(0, 0), 1);
    first->decode(out, 1);
    first->encode(input(1, 0), 2);
    for (const auto& tensors : {&ExchangeScheme::kept, &ExchangeScheme::underWay}) {
        const auto from = ((*first).*tensors)(), to = ((*second).*tensors)();
        ASSERT_EQ(from.size(), to.size());
        for (std::size_t i = 0; i < from.size(); ++i) to[i].second->copy_(*from[i].second);
    }
    at::Tensor a = at::zeros_like(out), b = at::zeros_like(out);
    first->decode(a, 2);
    second->decode(b, 2);
    EXPECT_TRUE(a.equal(b));
    EXPECT_EQ(a.count_nonzero().item<std::int64_t>(), 10);
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
    for (const Fields& fields : {Fields{{"momentum", number(0.9)}}, Fields{{"error", text("sketch")}}}) {
        EXPECT_THAT(compressionRefused("sketch", fields, {.errorFeedback = true}), HasSubstr("error_feedback: "));
    }
    EXPECT_NE(compressionRefused("sketch", {{"error", text("server")}}), "");
    EXPECT_THAT(compressionRefused("sketch", {}, {.scheme = "shard"}), HasSubstr("scheme: "));
    EXPECT_THAT(compressionRefused("sketch", {}, {.scope = "model"}), HasSubstr("scope: "));
    EXPECT_THAT(anyCompressorOf("sketch", {})->check({{1 << 20, 1 << 12}})->message, HasSubstr("choose topk"));
    EXPECT_EQ(anyCompressorOf("sketch", {})->check({{1 << 20, 100}}), std::nullopt);
}

}  // namespace
}  // namespace dasgd::test
