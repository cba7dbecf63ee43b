#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/linalg_qr.h>
#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>

#include <cmath>
#include <numbers>
#include <random>

#include "core/base/random.h"
#include "core/compression/compressed_mean.h"
#include "core/compression/operators/low_rank.h"
#include "core/exec/cpu_executor.h"
#include "core/step/archive.h"
#include "core/step/flat_params.h"
#include "tests/support/compressed_exchanges.h"
#include "tests/support/sim/networks.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

Fields rankOf(std::int64_t rank) { return {{"rank", integer(rank)}}; }

// Two matrices that are sent as factors of rank 2, and a vector and a matrix that stay whole.
const std::vector<Segment> kParts{{0, 12 * 18, 12}, {216, 5, 0}, {221, 6 * 40, 6}, {461, 6, 2}};

// Normal numbers as the rule has them, in double.
at::Tensor drawnColumns(std::mt19937_64& engine, std::int64_t rows, std::int64_t columns) {
    const auto uniform = [&] { return static_cast<double>(engine() >> 11) * 0x1p-53; };
    at::Tensor drawn = at::empty({columns, rows}, at::kDouble);
    for (std::int64_t i = 0; i < drawn.numel(); ++i) {
        const double first = uniform(), second = uniform();
        drawn.data_ptr<double>()[i] = std::sqrt(-2 * std::log(1 - first)) * std::cos(2 * std::numbers::pi * second);
    }
    return drawn.t().contiguous();
}

// Algorithm 1 with the feedback of algorithm 2, over all ranks at once. Orthonormal columns by Householder's method:
// the result depends on the spaces that they span alone.
ExchangeOutcome powerSgdOracle(const ExchangeTrial& trial, const ExchangeInputs& inputs, std::int64_t rank) {
    std::mt19937_64 engine(streamSeed(trial.seed, kEveryRank, StreamPurpose::Compression, 0));
    std::vector<at::Tensor> q;
    for (const Segment& part : trial.segments) {
        const std::int64_t n = part.rows, m = n > 0 ? part.elements / n : 0;
        q.push_back(2 * rank * (n + m) < n * m ? drawnColumns(engine, m, rank) : at::Tensor());
    }
    const auto ranks = static_cast<std::size_t>(trial.ranks);
    std::vector<at::Tensor> errors(ranks, at::zeros({trial.elements()}, at::kDouble));
    ExchangeOutcome outcome;
    for (int exchange = 0; exchange < trial.exchanges; ++exchange) {
        at::Tensor result = at::zeros({trial.elements()}, at::kDouble);
        std::vector<at::Tensor> coded(ranks);
        for (std::size_t r = 0; r < ranks; ++r) {
            coded[r] = inputs(exchange, static_cast<int>(r)) + (trial.feedback ? trial.decay : 0) * errors[r];
        }
        const at::Tensor mean = at::stack(coded).mean(0);
        for (std::size_t i = 0; i < trial.segments.size(); ++i) {
            const Segment& part = trial.segments[i];
            const at::Tensor whole = mean.narrow(0, part.offset, part.elements);
            if (!q[i].defined()) {
                result.narrow(0, part.offset, part.elements).copy_(whole);
                continue;
            }
            const at::Tensor matrix = whole.view({part.rows, -1});
            const at::Tensor p = std::get<0>(at::linalg_qr(matrix.mm(q[i])));
            q[i] = matrix.t().mm(p);
            result.narrow(0, part.offset, part.elements).copy_(p.mm(q[i].t()).flatten());
        }
        for (std::size_t r = 0; r < ranks; ++r) {
            errors[r] = coded[r] - result;
            for (std::size_t i = 0; i < trial.segments.size(); ++i) {
                if (!q[i].defined()) errors[r].narrow(0, trial.segments[i].offset, trial.segments[i].elements).zero_();
            }
        }
        outcome.results.push_back({result});
        outcome.errors.push_back(errors);
    }
    return outcome;
}

TEST(PowerSgd, IsThePapersAlgorithm) {
    for (const int ranks : {1, 2, 4, 7}) {
        for (const bool feedback : {true, false}) {
            const ExchangeTrial trial{.name = "powersgd",
                                      .fields = rankOf(2),
                                      .segments = kParts,
                                      .ranks = ranks,
                                      .exchanges = 5,
                                      .feedback = feedback,
                                      .decay = 0.9};
            const auto inputs = normalInputs(trial.elements());
            const auto got = exchangeAll(trial, inputs), expected = powerSgdOracle(trial, inputs, 2);
            for (std::size_t e = 0; e < got.results.size(); ++e) {
                EXPECT_LT(largestDifference(got.results[e][0], expected.results[e][0]), 1e-12) << ranks << " " << e;
                for (std::size_t r = 0; r < got.errors[e].size() && feedback; ++r) {
                    EXPECT_LT(largestDifference(got.errors[e][r], expected.errors[e][r]), 1e-12) << ranks << " " << e;
                }
            }
        }
    }
}

TEST(PowerSgd, ErrorFeedbackTelescopes) {
    for (const Backend backend : suiteBackends()) {
        const ExchangeTrial trial{.name = "powersgd",
                                  .fields = rankOf(1),
                                  .segments = kParts,
                                  .ranks = 3,
                                  .exchanges = 4,
                                  .type = at::kFloat,
                                  .backend = backend};
        const auto inputs = normalInputs(trial.elements(), at::kFloat);
        const auto got = exchangeAll(trial, inputs);
        at::Tensor sent = at::zeros({trial.elements()}), given = at::zeros({trial.elements()});
        for (int e = 0; e < trial.exchanges; ++e) {
            sent += got.results[static_cast<std::size_t>(e)][0];
            given += meanInput(inputs, e, trial.ranks);
            const at::Tensor error = got.meanError(static_cast<std::size_t>(e));
            EXPECT_LT(largestDifference(sent + error, given), 1e-5) << e;
            EXPECT_GT(error.abs().max().item<double>(), 0.1);
        }
    }
}

// Matrices [12, 18] of rank `rank`, with equal column spaces on all ranks.
ExchangeInputs inputsOfRank(std::int64_t rank, at::ScalarType type = at::kDouble) {
    return [=](int exchange, int worker) {
        const auto normal = [](std::int64_t n, std::int64_t m, int seed) {
            const auto generator = at::make_generator<at::CPUGeneratorImpl>(std::uint64_t(seed));
            return at::randn({n, m}, generator, at::TensorOptions(at::kDouble));
        };
        const at::Tensor mix = normal(rank, rank, 100 + 10 * exchange + worker);
        return normal(12, rank, 1).mm(mix).mm(normal(rank, 18, 2)).flatten().to(type);
    };
}

TEST(PowerSgd, MatricesOfItsRankArriveWhole) {
    for (const std::int64_t rank : {1, 2, 3}) {
        const ExchangeTrial trial{
            .name = "powersgd", .fields = rankOf(rank), .segments = {{0, 216, 12}}, .ranks = 4, .exchanges = 2};
        const auto inputs = inputsOfRank(rank);
        const auto got = exchangeAll(trial, inputs);
        EXPECT_LT(largestDifference(got.results[0][0], meanInput(inputs, 0, 4)), 1e-12);
    }
}

// A column that depends on those before it says nothing, and normalised noise in its place would be taken for a
// direction of the matrix. What was 0 is drawn again: zero gradients, as those behind a factor that begins at 0, end.
TEST(PowerSgd, DependentColumnsBecomeZeroAndAreDrawnAgain) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        const ExchangeTrial trial{.name = "powersgd",
                                  .fields = rankOf(3),
                                  .segments = {{0, 216, 12}},
                                  .ranks = 2,
                                  .exchanges = 4,
                                  .feedback = false,
                                  .type = type};
        // Nothing, then rank 1, then rank 3.
        const ExchangeInputs inputs = [&](int exchange, int rank) {
            if (exchange == 0) return at::zeros({216}, type);
            return inputsOfRank(exchange == 1 ? 1 : 3, type)(exchange, rank);
        };
        const auto got = exchangeAll(trial, inputs);
        const double tolerance = type == at::kFloat ? 2e-5 : 1e-12;
        EXPECT_EQ(got.results[0][0].abs().max().item<double>(), 0);
        for (int e = 1; e < 4; ++e) {
            EXPECT_LT(largestDifference(got.results[static_cast<std::size_t>(e)][0], meanInput(inputs, e, 2)),
                      tolerance)
                << e;
        }
        const at::Tensor q = got.kept[0][0].at("q");
        EXPECT_EQ(q.abs().max().item<double>(), 0) << "after an exchange of nothing";
    }
}

TEST(PowerSgd, NanIsNotHidden) {
    const ExchangeTrial trial{.name = "powersgd", .segments = {{0, 216, 12}}, .ranks = 2, .feedback = false};
    const auto got = exchangeAll(trial, [&](int, int rank) {
        at::Tensor x = at::ones({216}, at::kDouble);
        if (rank == 1) x[5] = std::nan("");
        return x;
    });
    EXPECT_TRUE(got.results[0][0].isnan().any().item<bool>());
}

TEST(PowerSgd, WithoutWarmStartEveryExchangeDrawsAnew) {
    const ExchangeInputs same = [](int, int) { return normalInputs(216)(0, 0); };
    const auto distanceAfter = [&](bool warm) {
        const ExchangeTrial trial{.name = "powersgd",
                                  .fields = {{"warm_start", boolean(warm)}},
                                  .segments = {{0, 216, 12}},
                                  .exchanges = 30,
                                  .feedback = false};
        const at::Tensor matrix = same(0, 0).view({12, 18});
        const double best = at::linalg_svdvals(matrix).square().slice(0, 1).sum().sqrt().item<double>();
        const auto got = exchangeAll(trial, same);
        EXPECT_EQ(got.results[0][0].equal(got.results[1][0]), false);
        return at::linalg_vector_norm(got.results[29][0] - same(0, 0)).item<double>() / best;
    };
    EXPECT_LT(distanceAfter(true), 1.0001) << "the power iteration ends at the best matrix of rank 1";
    EXPECT_GT(distanceAfter(false), 1.01);
}

// The flat vector is a square whose last row is short; 0 where nothing is.
TEST(PowerSgd, TheSquareOfTheVectorIsPadded) {
    const auto inputs = normalInputs(390);
    const ExchangeTrial square{.name = "powersgd",
                               .fields = {{"rank", integer(2)}, {"view", text("square")}},
                               .segments = {{0, 150, 0}, {150, 240, 0}},
                               .ranks = 3,
                               .exchanges = 4,
                               .feedback = false};
    const ExchangeTrial padded{.name = "powersgd",
                               .fields = rankOf(2),
                               .segments = {{0, 400, 20}},
                               .ranks = 3,
                               .exchanges = 4,
                               .feedback = false};
    const auto got = exchangeAll(square, inputs);
    const auto expected = powerSgdOracle(
        padded,
        [&](int e, int r) {
            return at::constant_pad_nd(inputs(e, r), {0, 10});
        },
        2);
    for (std::size_t e = 0; e < 4; ++e) {
        EXPECT_LT(largestDifference(got.results[e][0], expected.results[e][0].slice(0, 0, 390)), 1e-12);
    }
    const auto scheme = anyCompressorOf("powersgd", square.fields)->makeScheme(square.view(0));
    EXPECT_EQ(scheme->bytes(0), 2 * 20 * 8);
    EXPECT_EQ(scheme->bytes(1), 2 * 20 * 8);
}

// Table 3 of the paper: 243, 136 and 72 times fewer bytes.
TEST(PowerSgd, BytesOnResNet18AreThePapers) {
    auto model = buildModel("resnet18", {.shape = {3, 32, 32}, .classes = 10});
    const FlatParams params(model->module(), at::kFloat);
    ASSERT_EQ(params.size(), 11'173'962);
    const std::vector<std::pair<std::int64_t, double>> published{{1, 243.3}, {2, 135.8}, {4, 72.1}};
    for (const auto& [rank, ratio] : published) {
        const ExchangeTrial trial{.name = "powersgd",
                                  .fields = rankOf(rank),
                                  .segments = segmentsOf(params, {}, 0, params.size()),
                                  .type = at::kFloat};
        // A time-only run sends tensors without numbers.
        for (const at::Device device : {at::Device(at::kCPU), at::Device(at::kMeta)}) {
            const auto scheme = anyCompressorOf("powersgd", trial.fields)->makeScheme(trial.view(0, device));
            const auto dense = static_cast<double>(4 * params.size());
            EXPECT_EQ(std::round(10 * dense / static_cast<double>(scheme->messageBytes())) / 10, ratio);
            EXPECT_EQ(scheme->messageBytes(), scheme->bytes(0) + scheme->bytes(1));
        }
    }
}

// Ranks beside multiples of four, more columns than a strip, and a last row that is short.
TEST(LowRank, ProductsAreThoseOfMatrices) {
    constexpr std::int64_t kRows = 9, kColumns = 2501, kMissing = 1999;
    const MatrixExtent extent{.rows = kRows, .columns = kColumns, .elements = kRows * kColumns - kMissing};
    at::Tensor padded = normalInputs(kRows * kColumns)(0, 0);
    padded.slice(0, extent.elements).zero_();
    const at::Tensor matrix = padded.view({kRows, kColumns});
    for (int rank = 1; rank <= 7; ++rank) {
        const at::Tensor p = normalInputs(rank * kRows)(1, rank), q = normalInputs(rank * kColumns)(2, rank);
        const at::Tensor pRows = p.view({rank, kRows}), qRows = q.view({rank, kColumns});
        at::Tensor toP = at::full_like(p, 5), toQ = at::full_like(q, 5),
                   sum = padded.slice(0, 0, extent.elements).clone();
        timesFactor(padded.data_ptr<double>(), extent, q.data_ptr<double>(), toP.data_ptr<double>(), rank);
        transposedTimesFactor(padded.data_ptr<double>(), extent, p.data_ptr<double>(), toQ.data_ptr<double>(), rank);
        addProduct(sum.data_ptr<double>(), extent, p.data_ptr<double>(), q.data_ptr<double>(), rank, -2.0);
        EXPECT_LT(largestDifference(toP.view({rank, kRows}), qRows.mm(matrix.t())), 1e-11) << rank;
        EXPECT_LT(largestDifference(toQ.view({rank, kColumns}), pRows.mm(matrix)), 1e-11) << rank;
        const at::Tensor expected = (matrix - 2 * pRows.t().mm(qRows)).flatten().slice(0, 0, extent.elements);
        EXPECT_LT(largestDifference(sum, expected), 1e-12) << rank;
    }
}

TEST(LowRank, ColumnsBecomeOrthonormalOrZero) {
    at::Tensor columns = normalInputs(4 * 30)(0, 0).view({4, 30});
    columns[2] = 3 * columns[0] - columns[1];
    columns[3] = columns[0] + 1e-9 * columns[3];  // nearly the first
    at::Tensor made = columns.clone();
    orthonormalise(made.data_ptr<double>(), 30, 4);
    const at::Tensor expected = at::diag(at::tensor({1.0, 1.0, 0.0, 1.0}, at::kDouble));
    EXPECT_LT(largestDifference(made.mm(made.t()), expected), 1e-14);
    EXPECT_EQ(made[2].abs().max().item<double>(), 0);
}

TEST(PowerSgd, StateUnderWayIsResumed) {
    for (const bool feedback : {true, false}) {
        for (const bool warm : {true, false}) {
            const ExchangeTrial trial{.name = "powersgd", .segments = kParts, .feedback = feedback};
            const auto compressor = anyCompressorOf("powersgd", {{"warm_start", boolean(warm)}});
            const auto first = compressor->makeScheme(trial.view(0)), second = compressor->makeScheme(trial.view(0));
            at::Tensor p = normalInputs(trial.elements())(0, 0);
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
            EXPECT_GT(a.abs().max().item<double>(), 0);
        }
    }
}

// e is known once the result is. The exchange goes on in another place after the state was saved between its stages.
TEST(PowerSgd, TheErrorIsRecordedWithTheResult) {
    CompressionSettings settings{.name = "powersgd", .compressor = anyCompressorOf("powersgd", {})};
    settings.params.errorFeedback = true;
    ASSERT_FALSE(settleScheme(*settings.compressor, settings.params));
    const auto shared = std::make_shared<const CompressionSettings>(std::move(settings));
    runRanks(Backend::Threads, 1, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(torch::nn::LinearOptions(18, 12).bias(false));
        FlatParams params(*layer, torch::kFloat64);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        std::vector<double> recorded;
        StepContext context(comm, clock, params, executor, 1,
                            {.metric = [&recorded](std::string_view name, double value) {
                                if (name == metrics::kCompressionError) recorded.push_back(value);
                            }});
        const at::NoGradGuard guard;
        CompressedMean mean(shared, context, {.elements = 216}), elsewhere(shared, context, {.elements = 216});
        at::Tensor given = at::zeros({216}, at::kDouble), sent = given.clone();
        for (int exchange = 0; exchange < 3; ++exchange) {
            CompressedMean& used = exchange == 0 ? mean : elsewhere;
            const at::Tensor x = normalInputs(216)(exchange, 0);
            given += x;
            used.encode(context, x);
            used.launch(context);
            EXPECT_EQ(recorded.size(), static_cast<std::size_t>(exchange)) << "before the result";
            if (exchange == 0) {
                Archive archive;
                mean.save(context, archive);
                ASSERT_TRUE(elsewhere.load(archive));
                mean.drop(context);
            }
            elsewhere.arrive(context);
            elsewhere.decode(sent);
            elsewhere.finish();
            const double expected = (at::linalg_vector_norm(given - sent) / at::linalg_vector_norm(x)).item<double>();
            ASSERT_EQ(recorded.size(), static_cast<std::size_t>(exchange + 1));
            EXPECT_NEAR(recorded.back(), expected, 1e-13);
            EXPECT_GT(expected, 0.5);
        }
    });
}

TEST(PowerSgd, ModelsWithNothingToDivideAreRefused) {
    const auto refused = [](const Fields& fields, const std::vector<std::vector<std::int64_t>>& shapes) {
        const auto broken = anyCompressorOf("powersgd", fields)->check(shapes);
        return broken ? broken->field + ": " + broken->message : "";
    };
    EXPECT_EQ(refused(rankOf(4), {{64, 3, 3, 3}, {64}}), "");
    EXPECT_THAT(refused({}, {{64}, {10}}), HasSubstr("view: no parameter of the model is a matrix: set view"));
    EXPECT_THAT(refused(rankOf(4), {{10, 10}, {10}}), HasSubstr("rank: factors of rank 4"));
    EXPECT_EQ(refused({{"view", text("square")}}, {{64}}), "");
    EXPECT_THAT(compressionRefused("powersgd", {}, {.scheme = "gather"}), HasSubstr("scheme: "));
    EXPECT_THAT(compressionRefused("powersgd", {}, {.scope = "model"}), HasSubstr("scope: "));
    EXPECT_EQ(compressionRefused("powersgd", {}), "");
}

}  // namespace
}  // namespace dasgd::test
