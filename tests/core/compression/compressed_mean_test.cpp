// Compressed means on ranks that are threads, against plain doubles.
#include "core/compression/compressed_mean.h"

#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <map>
#include <mutex>

#include "core/base/metric_names.h"
#include "core/exec/cpu_executor.h"
#include "core/step/archive.h"
#include "tests/support/compression_oracle.h"

namespace dasgd::test {
namespace {

constexpr std::int64_t kNumbers = 11;

std::shared_ptr<const CompressionSettings> signWith(CompressionParams params, Fields fields = {}) {
    CompressionSettings settings{
        .name = "sign",
        .compressor = CompressorRegistry::find("sign")->create(table(std::move(fields)), {}).value(),
        .params = std::move(params)};
    EXPECT_FALSE(settleScheme(*settings.compressor, settings.params));
    return std::make_shared<const CompressionSettings>(std::move(settings));
}

// x of rank `rank` in exchange `k`.
Vec vectorOf(int rank, int k) {
    Vec x;
    for (std::int64_t j = 0; j < kNumbers; ++j)
        x.push_back(std::sin(1.7 * rank + 0.9 * k + 1.3 * static_cast<double>(j)));
    return x;
}
Workers vectorsOf(int ranks, int k) {
    Workers all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(vectorOf(rank, k));
    return all;
}
Vec numbersOf(const at::Tensor& x) { return {x.data_ptr<double>(), x.data_ptr<double>() + x.numel()}; }

// Calls `body` on each of `ranks` with a model of 11 weights in float64.
void onRanks(int ranks, const std::function<void(StepContext&)>& body) {
    runRanks(Backend::Threads, ranks, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(torch::nn::LinearOptions(kNumbers, 1).bias(false));
        FlatParams params(*layer, torch::kFloat64);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor, 1, {.seed = 7});
        const at::NoGradGuard guard;
        body(context);
    });
}

// One exchange of `x`; the result is 0.5 plus the mean, as decode() adds.
Vec exchange(StepContext& context, CompressedMean& mean, const Vec& x) {
    const at::Tensor vector = torch::tensor(x, at::kDouble);
    mean.encode(context, vector);
    mean.launch(context);
    mean.arrive(context);
    at::Tensor out = at::full({kNumbers}, 0.5, at::kDouble);
    mean.decode(out);
    mean.finish();
    return numbersOf(out - 0.5);
}

using Case = std::tuple<int, std::string, bool>;
class CompressedMeans : public testing::TestWithParam<Case> {
protected:
    void SetUp() override { std::tie(ranks_, scheme_, feedback_) = GetParam(); }
    [[nodiscard]] CompressionParams params() const {
        return {.errorFeedback = feedback_, .errorDecay = feedback_ ? 0.9 : 1, .scheme = scheme_, .scope = "model"};
    }
    [[nodiscard]] SerialCodedMean serial() const {
        return {.shard = scheme_ == "shard", .feedback = feedback_, .decay = 0.9};
    }
    int ranks_ = 0;
    std::string scheme_;
    bool feedback_ = false;
};

TEST_P(CompressedMeans, AreThoseOfTheEquationsOnEveryRank) {
    const auto settings = signWith(params());
    std::mutex mutex;
    std::vector<std::vector<Vec>> results(6, std::vector<Vec>(static_cast<std::size_t>(ranks_)));
    onRanks(ranks_, [&](StepContext& context) {
        CompressedMean mean(settings, context, {.elements = kNumbers});
        const int rank = context.comm().rank().value();
        for (int k = 0; k < 6; ++k) {
            Vec result = exchange(context, mean, vectorOf(rank, k));
            const std::lock_guard lock(mutex);
            results[static_cast<std::size_t>(k)][static_cast<std::size_t>(rank)] = std::move(result);
        }
    });
    SerialCodedMean plain = serial();
    for (int k = 0; k < 6; ++k) {
        const Vec expected = plain.mean(vectorsOf(ranks_, k));
        const auto& got = results[static_cast<std::size_t>(k)];
        for (const Vec& one : got) EXPECT_EQ(one, got[0]) << "equal bits on every rank";
        EXPECT_THAT(got[0], testing::Pointwise(testing::DoubleNear(1e-12), expected)) << "exchange " << k;
    }
}

// What was not sent is in the errors: result + ⟨e⟩ + e of the parts = ⟨x⟩ + 0.9·(those before).
TEST_P(CompressedMeans, LoseNothingWithErrorFeedback) {
    if (!feedback_) return;
    const auto settings = signWith(params());
    std::mutex mutex;
    Vec kept(kNumbers, 0), before(kNumbers, 0);
    for (const int exchanges : {1, 4}) {
        Vec sum(kNumbers, 0), result;
        onRanks(ranks_, [&](StepContext& context) {
            CompressedMean mean(settings, context, {.elements = kNumbers});
            const int rank = context.comm().rank().value();
            Vec last;
            for (int k = 0; k < exchanges; ++k) last = exchange(context, mean, vectorOf(rank, k));
            Archive archive;
            mean.save(context, archive);
            const Vec error = numbersOf(archive.tensors().at("error"));
            const std::lock_guard lock(mutex);
            for (std::size_t j = 0; j < error.size(); ++j) sum[j] += error[j] / ranks_;
            if (scheme_ == "shard") {
                const Vec part = numbersOf(archive.tensors().at("error_of_part"));
                const std::size_t begin = static_cast<std::size_t>(rank) * ((kNumbers + ranks_ - 1) / ranks_);
                for (std::size_t j = 0; j < part.size(); ++j) sum[begin + j] += part[j];
            }
            if (rank == 0) result = last;
        });
        if (exchanges == 1) {
            const Vec x = mean(vectorsOf(ranks_, 0));
            for (std::size_t j = 0; j < x.size(); ++j) EXPECT_NEAR(result[j] + sum[j], x[j], 1e-12);
        }
        SerialCodedMean plain = serial();
        for (int k = 0; k < exchanges; ++k) static_cast<void>(plain.mean(vectorsOf(ranks_, k)));
        Vec expected = mean(plain.errors);
        for (std::size_t j = 0; j < expected.size(); ++j) expected[j] += plain.errorOfParts[j];
        EXPECT_THAT(sum, testing::Pointwise(testing::DoubleNear(1e-12), expected));
    }
}

// √(‖e‖² + P·‖e of the part‖²)/‖x‖, whose squares are on average those of all errors.
TEST_P(CompressedMeans, RecordAllThatWasNotSent) {
    if (!feedback_) return;
    const auto settings = signWith(params());
    std::mutex mutex;
    std::map<int, std::vector<double>> recorded;
    onRanks(ranks_, [&](StepContext& given) {
        const int rank = given.comm().rank().value();
        StepContext context(given.comm(), given.clock(), given.params(), given.executor(), 1,
                            {.seed = 7, .metric = [&](std::string_view name, double value) {
                                 EXPECT_EQ(name, metrics::kCompressionError);
                                 const std::lock_guard lock(mutex);
                                 recorded[rank].push_back(value);
                             }});
        CompressedMean mean(settings, context, {.elements = kNumbers});
        for (int k = 0; k < 3; ++k) static_cast<void>(exchange(context, mean, vectorOf(rank, k)));
    });
    SerialCodedMean plain = serial();
    const auto square = [](const Vec& x, std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t j = begin; j < std::min(end, x.size()); ++j) sum += x[j] * x[j];
        return sum;
    };
    const auto part = static_cast<std::size_t>((kNumbers + ranks_ - 1) / ranks_);
    for (int k = 0; k < 3; ++k) {
        static_cast<void>(plain.mean(vectorsOf(ranks_, k)));
        for (int rank = 0; rank < ranks_; ++rank) {
            const auto r = static_cast<std::size_t>(rank);
            const double others =
                scheme_ == "shard" ? ranks_ * square(plain.errorOfParts, r * part, (r + 1) * part) : 0;
            const double error = std::sqrt(square(plain.errors[r], 0, kNumbers) + others);
            EXPECT_NEAR(recorded[rank][static_cast<std::size_t>(k)],
                        error / std::sqrt(square(vectorOf(rank, k), 0, kNumbers)), 1e-12);
        }
    }
}

TEST_P(CompressedMeans, GoOnFromASaveBetweenTwoStages) {
    const auto settings = signWith(params());
    onRanks(ranks_, [&](StepContext& context) {
        const int rank = context.comm().rank().value();
        CompressedMean whole(settings, context, {.elements = kNumbers}),
            first(settings, context, {.elements = kNumbers});
        static_cast<void>(exchange(context, whole, vectorOf(rank, 0)));
        const Vec expected = exchange(context, whole, vectorOf(rank, 1));
        static_cast<void>(exchange(context, first, vectorOf(rank, 0)));
        first.encode(context, torch::tensor(vectorOf(rank, 1), at::kDouble));
        first.launch(context);
        for (const bool proceeds : {false, true}) {
            if (proceeds) first.proceed(context);
            Archive archive;
            first.save(context, archive);
            CompressedMean second(settings, context, {.elements = kNumbers});
            ASSERT_TRUE(second.load(archive));
            EXPECT_TRUE(second.isUnderWay());
            second.arrive(context);
            at::Tensor out = at::full({kNumbers}, 0.5, at::kDouble);
            second.decode(out);
            EXPECT_EQ(numbersOf(out - 0.5), expected);
        }
        first.drop(context);
        EXPECT_FALSE(first.isUnderWay());
    });
}

TEST_P(CompressedMeans, SentIsWhatTheRanksAddUp) {
    if (scheme_ == "shard") return;  // it is coded once more
    const auto settings = signWith(params());
    std::mutex mutex;
    Vec sum(kNumbers, 0), result;
    onRanks(ranks_, [&](StepContext& context) {
        CompressedMean mean(settings, context, {.elements = kNumbers});
        const int rank = context.comm().rank().value();
        at::Tensor own = at::zeros({kNumbers}, at::kDouble);
        mean.encode(context, torch::tensor(vectorOf(rank, 0), at::kDouble));
        mean.addSent(own, 1.0 / ranks_);
        mean.launch(context);
        mean.arrive(context);
        at::Tensor out = at::zeros({kNumbers}, at::kDouble);
        mean.decode(out);
        const std::lock_guard lock(mutex);
        for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += numbersOf(own)[j];
        result = numbersOf(out);
    });
    EXPECT_THAT(result, testing::Pointwise(testing::DoubleNear(1e-12), sum));
}

INSTANTIATE_TEST_SUITE_P(Settings, CompressedMeans,
                         testing::Combine(testing::Values(1, 2, 4, 7, 8), testing::Values("gather", "shard"),
                                          testing::Bool()),
                         [](const auto& info) {
                             return std::to_string(std::get<0>(info.param)) + std::get<1>(info.param) +
                                    (std::get<2>(info.param) ? "WithFeedback" : "");
                         });

// The bytes that a rank puts on the wire: m(P−1) for gather; for shard (P−1) rows there and (P−1) rows back, a row
// being the message of ⌈N/P⌉ numbers.
TEST(CompressedMean, SendsTheBytesOfItsScheme) {
    for (const int ranks : {1, 2, 4, 7, 8}) {
        for (const char* scheme : {"gather", "shard"}) {
            const auto settings = signWith({.scheme = scheme, .scope = "model"});
            onRanks(ranks, [&](StepContext& context) {
                CompressedMean mean(settings, context, {.elements = kNumbers});
                const std::int64_t before = context.comm().bytesSent();
                static_cast<void>(exchange(context, mean, vectorOf(0, 0)));
                const std::int64_t part = (kNumbers + ranks - 1) / ranks;
                const std::int64_t row = scheme == std::string("gather") ? 4 + (kNumbers + 7) / 8 : 4 + (part + 7) / 8;
                const std::int64_t times = scheme == std::string("gather") ? 1 : 2;
                EXPECT_EQ(context.comm().bytesSent() - before, times * row * (ranks - 1)) << ranks << scheme;
            });
        }
    }
}

// Steps of no length change nothing, and what was not sent before the first step is worth nothing.
TEST(CompressedMean, RatesOfZeroAreNoRates) {
    const auto settings = signWith({.errorFeedback = true, .rescaleError = true, .scheme = "gather", .scope = "model"});
    struct Rates {
        std::vector<double> of;
        double last;  // factor of the error in the last exchange
    };
    for (const Rates& rates : {Rates{{0.1, 0, 0.01}, 10}, Rates{{0, 0.1}, 0}, Rates{{0.1, 0}, 1}}) {
        const int last = static_cast<int>(rates.of.size()) - 1;
        Vec result;
        onRanks(1, [&](StepContext& context) {
            CompressedMean mean(settings, context, {.elements = kNumbers, .ofGradients = true});
            for (int k = 0; k <= last; ++k) {
                context.moveTo(k + 1, rates.of[static_cast<std::size_t>(k)]);
                result = exchange(context, mean, vectorOf(0, k));
            }
        });
        SerialCodedMean plain{.shard = false};
        for (int k = 0; k < last; ++k) static_cast<void>(plain.mean(vectorsOf(1, k)));
        plain.factor = rates.last;
        EXPECT_THAT(result, testing::Pointwise(testing::DoubleNear(1e-12), plain.mean(vectorsOf(1, last))));
    }
}

// e·η_old/η: what is not sent of gradients is worth as much of a step after the rate fell.
TEST(CompressedMean, RescalesTheErrorsOfGradientsWhenTheRateChanges) {
    const auto settings = signWith({.errorFeedback = true, .rescaleError = true, .scheme = "gather", .scope = "model"});
    for (const bool ofGradients : {true, false}) {
        Vec last;
        onRanks(1, [&](StepContext& context) {
            CompressedMean mean(settings, context, {.elements = kNumbers, .ofGradients = ofGradients});
            for (int k = 0; k < 3; ++k) {
                context.moveTo(k + 1, k < 2 ? 0.1 : 0.01);
                last = exchange(context, mean, vectorOf(0, k));
            }
        });
        SerialCodedMean plain{.shard = false};
        for (int k = 0; k < 2; ++k) static_cast<void>(plain.mean(vectorsOf(1, k)));
        plain.factor = ofGradients ? 0.1 / 0.01 : 1;
        EXPECT_THAT(last, testing::Pointwise(testing::DoubleNear(1e-12), plain.mean(vectorsOf(1, 2))));
    }
}

TEST(CompressedMean, AVoteIsTheSignOfTheSumAndATieIsNothing) {
    const auto settings =
        signWith({.scheme = "auto", .scope = "model"}, {{"vote", Value(true)}, {"scale", text("one")}});
    for (const int ranks : {3, 6}) {
        onRanks(ranks, [&](StepContext& context) {
            CompressedMean mean(settings, context, {.elements = kNumbers});
            Vec x(kNumbers, 1);
            const int rank = context.comm().rank().value();
            if (rank < ranks / 2) x[3] = -1;  // an even vote of 6, and 1 against 2 of 3
            if (rank > 0) x[4] = -0.001;
            mean.encode(context, torch::tensor(x, at::kDouble));
            mean.launch(context);
            mean.arrive(context);
            at::Tensor out = at::zeros({kNumbers}, at::kDouble);
            mean.decode(out);
            Vec expected(kNumbers, 1);
            expected[3] = ranks == 6 ? 0 : 1;
            expected[4] = -1;
            EXPECT_EQ(numbersOf(out), expected);
        });
    }
}

TEST(SegmentsOf, AreTheParametersOrAllOfThem) {
    torch::nn::Linear layer(3, 4);
    const FlatParams params(*layer, torch::kFloat64);
    const auto tensors = segmentsOf(params, {}, 0, params.size());
    ASSERT_EQ(tensors.size(), 2U);
    EXPECT_EQ(tensors[0].elements, 12);
    EXPECT_EQ(tensors[0].rows, 4);
    EXPECT_EQ(tensors[1].elements, 4);
    EXPECT_EQ(tensors[1].rows, 0) << "a vector is no matrix";
    EXPECT_EQ(segmentsOf(params, {}, 6, 10)[0].rows, 0) << "nor is a part of one";
    const auto model = segmentsOf(params, {.scope = "model"}, 2, 7);
    ASSERT_EQ(model.size(), 1U);
    EXPECT_EQ(model[0].elements, 7);
}

}  // namespace
}  // namespace dasgd::test
