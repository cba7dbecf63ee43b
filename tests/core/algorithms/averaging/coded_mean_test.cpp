// Algorithms whose exchanges are coded, against their rules in plain doubles: the differences from what all ranks last
// agreed on are coded, never the weights (algorithms.md D6).
#include "core/algorithms/averaging/coded_mean.h"

#include <gmock/gmock.h>

#include <numeric>

#include "tests/support/compression_oracle.h"

namespace dasgd::test {
namespace {

constexpr double kCodedRounding = 1e-11;

using CodedCase = std::tuple<int, std::string>;
class CodedAverages : public testing::TestWithParam<CodedCase> {
protected:
    [[nodiscard]] QuadraticProblem problem() const {
        return {.workers = std::get<0>(GetParam()), .steps = 60, .rate = 0.05, .momentum = 0};
    }
    [[nodiscard]] SerialCodedMean coded() const { return {.shard = std::get<1>(GetParam()) == "shard"}; }
    [[nodiscard]] Trajectory run(Fields algorithm, Fields more = {}) const {
        Fields fields{{"name", text("sign")}, {"scheme", text(std::get<1>(GetParam()))}};
        fields.insert(fields.end(), more.begin(), more.end());
        return recorded(train(compressed(problem().experiment(std::move(algorithm)), std::move(fields))));
    }
};

Vec minus(const Vec& a, const Vec& b) {
    Vec out = a;
    for (std::size_t j = 0; j < out.size(); ++j) out[j] -= b[j];
    return out;
}
Vec plus(const Vec& a, const Vec& b) {
    Vec out = a;
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += b[j];
    return out;
}
Vec times(double factor, Vec a) {
    for (double& number : a) number *= factor;
    return a;
}
Workers differences(const Workers& from, const Vec& reference) {
    Workers x;
    for (const Vec& one : from) x.push_back(minus(one, reference));
    return x;
}

// The general merge with m = r + ⟨c⟩.
struct SerialCodedMerge {
    std::int64_t period, delay;
    double xi, c;
    SerialCodedMean coded;
    Vec reference;
    std::int64_t whole = 0;  // exchanges that leave up to this step are not coded
    std::int64_t due = 0;
    Workers snapshot = {};
    Vec mean = {};

    void operator()(std::int64_t k, Workers& w) {
        if (k == due) merge(w);
        if (k % period != 0) return;
        snapshot = w;
        mean = k <= whole ? test::mean(w) : plus(reference, coded.mean(differences(w, reference)));
        due = k + delay;
        if (delay == 0) merge(w);
    }
    void merge(Workers& w) {
        reference = mean;
        for (std::size_t i = 0; i < w.size(); ++i) {
            for (std::size_t j = 0; j < w[i].size(); ++j) {
                w[i][j] = xi * w[i][j] + (1 - xi) * (mean[j] + c * (w[i][j] - snapshot[i][j]));
            }
        }
    }
};

TEST_P(CodedAverages, OfLocalSgdAndDasgdFollowTheRule) {
    struct Setting {
        std::int64_t period, delay;
        double xi, c;
    };
    for (const Setting& s :
         {Setting{4, 0, 0, 0}, {4, 1, 0.25, 0}, {4, 2, 0, 1}, {4, 3, 0.25, 0.5}, {4, 4, 0, 1}, {1, 1, 0, 1}}) {
        SerialCodedMerge rule{s.period, s.delay, s.xi, s.c, coded(), problem().start};
        expectSame(run({{"name", text("dasgd")},
                        {"period", integer(s.period)},
                        {"delay", integer(s.delay)},
                        {"local_weight", number(s.xi)},
                        {"correction", number(s.c)}}),
                   serial(problem(), std::ref(rule)), kCodedRounding);
    }
    SerialCodedMerge rule{3, 0, 0, 0, coded(), problem().start};
    expectSame(run({{"name", text("local_sgd")}, {"period", integer(3)}}), serial(problem(), std::ref(rule)),
               kCodedRounding);
}

TEST_P(CodedAverages, BeginWholeWhereTheyAreToldTo) {
    SerialCodedMerge rule{4, 2, 0.25, 0, coded(), problem().start, 12};
    expectSame(run({{"name", text("dasgd")}, {"period", integer(4)}, {"delay", integer(2)}}, {{"start", integer(12)}}),
               serial(problem(), std::ref(rule)), kCodedRounding);
}

TEST_P(CodedAverages, OfGradientsFollowTheRule) {
    SerialCodedMean rule = coded();
    const Trajectory expected = serial(
        problem(), [](auto, auto&) {}, [&](Workers& g) { g.assign(g.size(), rule.mean(g)); });
    expectSame(run({{"name", text("sync_sgd")}}), expected, kCodedRounding);
}

TEST_P(CodedAverages, OfSumsOfGradientsFollowTheRuleOfDga) {
    SerialCodedMean rule = coded();
    Workers sum, left;
    Vec mean;
    std::int64_t k = 0, due = 0;
    const Trajectory expected = serial(
        problem(), [](auto, auto&) {},
        [&](Workers& g) {
            ++k;
            if (sum.empty()) sum.assign(g.size(), Vec(3, 0));
            for (std::size_t i = 0; i < g.size(); ++i) sum[i] = plus(sum[i], g[i]);
            if (k == due) {
                for (std::size_t i = 0; i < g.size(); ++i) g[i] = plus(g[i], minus(mean, left[i]));
            }
            if (k % 4 != 0) return;
            left = std::exchange(sum, {});
            mean = rule.mean(left);
            due = k + 3;
        });
    expectSame(run({{"name", text("dga")}, {"period", integer(4)}, {"delay", integer(3)}}), expected, kCodedRounding);
}

TEST_P(CodedAverages, OfTheSlowFamilyFollowTheRule) {
    SerialCodedMean rule = coded();
    Vec theta = problem().start, u(3, 0);
    const Trajectory slowMo = serial(problem(), [&](std::int64_t k, Workers& w) {
        if (k % 4 != 0) return;
        Workers x;
        for (const Vec& one : w) x.push_back(minus(theta, one));
        u = plus(times(0.5, u), rule.mean(x));
        theta = minus(theta, u);
        w.assign(w.size(), theta);
    });
    expectSame(run({{"name", text("slowmo")}, {"period", integer(4)}, {"slow_momentum", number(0.5)}}), slowMo,
               kCodedRounding);
}

// Δ = ⟨c⟩ of the round before, with the rank's own part of it replaced by its present one.
TEST_P(CodedAverages, OfEagerDiLoCoReplaceWhatWasSentOfTheOwn) {
    if (std::get<1>(GetParam()) == "shard") return;  // it is refused
    SerialCodedMean rule = coded();
    const auto ranks = static_cast<std::size_t>(problem().workers);
    Workers theta(ranks, problem().start), u(ranks, Vec(3, 0)), sent;
    Vec mean;
    const Trajectory expected = serial(problem(), [&](std::int64_t k, Workers& w) {
        if (k % 5 != 0) return;
        Workers x;
        for (std::size_t i = 0; i < ranks; ++i) {
            x.push_back(minus(theta[i], w[i]));
            Vec delta = times(1.0 / static_cast<double>(ranks), x[i]);
            if (!sent.empty()) delta = plus(delta, minus(mean, times(1.0 / static_cast<double>(ranks), sent[i])));
            u[i] = plus(times(0.9, u[i]), delta);
            theta[i] = minus(theta[i], times(0.7, plus(delta, times(0.9, u[i]))));
            w[i] = theta[i];
        }
        const Workers before = rule.errors;
        mean = rule.mean(x);
        sent.clear();
        for (std::size_t i = 0; i < ranks; ++i) {
            sent.push_back(minus(before.empty() ? x[i] : plus(x[i], before[i]), rule.errors[i]));
        }
    });
    expectSame(run({{"name", text("eager_diloco")}, {"period", integer(5)}}), expected, kCodedRounding);
}

INSTANTIATE_TEST_SUITE_P(Settings, CodedAverages,
                         testing::Combine(testing::Values(1, 2, 4, 7), testing::Values("gather", "shard")),
                         [](const auto& info) {
                             return std::to_string(std::get<0>(info.param)) + std::get<1>(info.param);
                         });

// The message of the whole model ÷ the model, whichever buckets or fragments it travels in, and what coding goes over.
TEST(CodedMean, RecordsHowLargeMessagesAreAndWhatCodingGoesOver) {
    // Two matrices and two vectors, of 784, 128 and 10 neurons, in float32.
    const double model = 4 * (784 * 128 + 128 + 128 * 10 + 10);
    const double message = 4 * 4 + 784 * 128 / 8 + 128 / 8 + 128 * 10 / 8 + 2;
    for (const Fields& algorithm : {Fields{{"name", text("dasgd")}},
                                    {{"name", text("sync_sgd")}, {"first_bucket_mb", number(0.001)}},
                                    {{"name", text("streaming_diloco")}, {"period", integer(4)}}}) {
        Value document = compressed(table({{"algorithm", table(algorithm)},
                                           {"model", table({{"name", text("mlp")}})},
                                           {"data", table({{"name", text("synthetic")}})},
                                           {"train", table({{"steps", integer(12)}, {"batch_size", integer(8)}})},
                                           {"cluster", table({{"workers", integer(2)}})}}),
                                    {{"name", text("sign")}, {"scheme", text("gather")}});
        const auto records = train(document);
        ASSERT_EQ(records[0].outcome.error, "");
        const auto& ratio = records[0].sink.metrics.at("compression/ratio");
        ASSERT_EQ(ratio.size(), 1U);
        EXPECT_DOUBLE_EQ(ratio[0].value, message / model);
        const auto& error = records[0].sink.metrics.at("compression/error");
        EXPECT_GT(error.size(), 1U);
        const std::string& name = *algorithm[0].second.as<std::string>();
        EXPECT_EQ(error.front().step, name == "dasgd" ? 4 : 1);
        EXPECT_EQ(error.back().step, name == "streaming_diloco" ? 9 : 12);
        for (const auto& point : error) EXPECT_GT(point.value, 0);
        if (name != "dasgd") continue;
        const auto properties = CompressorRegistry::find("sign")->create(table({}), {}).value()->properties();
        for (const Span& span : records[0].sink.spans) {
            // A snapshot is charged as two passes: copy s, subtract r in three, e in three, code and decode.
            const double passes = 2 + 3 + 3 + properties.encodePasses + properties.decodePasses;
            if (span.kind != SpanKind::Snapshot) continue;
            EXPECT_NEAR(static_cast<double>(span.bytes), model * passes / 2, 8);
        }
    }
}

// The mean of the weights and of what was not sent makes exactly the steps of the mean (algorithms.md D6).
TEST(CodedMean, LosesNoStepOfLocalSgd) {
    const QuadraticProblem problem{.steps = 8, .rate = 0.05, .momentum = 0};
    const Trajectory all =
        recorded(train(compressed(problem.experiment({{"name", text("local_sgd")}, {"period", integer(4)}}),
                                  {{"name", text("sign")}, {"scheme", text("gather")}})));
    // Errors after the first average, from the weights before and after it.
    SerialCodedMean rule{.shard = false};
    Workers w = all[3];
    Vec exact = problem.start;
    for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t i = 0; i < w.size(); ++i) {
            const Vec gradient = problem.gradient(all[k][i], problem.target(static_cast<int>(i)));
            exact = minus(exact, times(problem.rate / 4, gradient));
            if (k == 3) w[i] = minus(all[3][i], times(problem.rate, gradient));
        }
    }
    static_cast<void>(rule.mean(differences(w, problem.start)));
    const Vec kept = plus(mean(all[4]), mean(rule.errors));
    EXPECT_THAT(kept, testing::Pointwise(testing::DoubleNear(1e-12), exact));
}

// Coding errors are in proportion to what is coded: differences fall with the distance from the optimum, weights do
// not.
TEST(CodedMean, ComesToTheOptimumWithoutFeedbackWhereTheTargetsAreOne) {
    QuadraticProblem problem{.steps = 900, .rate = 0.1, .momentum = 0, .equalTargets = true};
    const Trajectory all =
        recorded(train(compressed(problem.experiment({{"name", text("local_sgd")}, {"period", integer(4)}}),
                                  {{"name", text("sign")}, {"error_feedback", Value(true)}})));
    const Vec target = problem.target(0);
    double distance = 0;
    for (std::size_t j = 0; j < 3; ++j) distance = std::max(distance, std::abs(all.back()[0][j] - target[j]));
    EXPECT_LT(distance, 1e-9);
}

}  // namespace
}  // namespace dasgd::test
