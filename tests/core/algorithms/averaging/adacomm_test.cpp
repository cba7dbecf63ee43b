#include <gmock/gmock.h>

#include "core/algorithms/extensions.h"
#include "core/step/archive.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/driven_algorithm.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

Fields adacomm(std::int64_t period, std::int64_t interval) {
    return {{"name", text("adacomm")}, {"period", integer(period)}, {"interval", integer(interval)}};
}

std::vector<double> periodsOf(const RankRecord& record) {
    std::vector<double> periods;
    for (const auto& point : record.sink.metrics.at("algorithm/period")) periods.push_back(point.value);
    return periods;
}

// τ ← ⌈τ₀·√(F(w)/F(w₀))⌉, or ⌈τ/2⌉ where that is not smaller. In step k a rank knows the loss of step k − 1, which is
// that of the weights after step k − 2.
struct SerialAdacomm {
    const QuadraticProblem& problem;
    std::int64_t period, interval;
    std::int64_t tau = period, averaged = 0, chosen = 0;
    double start = -1;
    std::vector<double> periods = {};
    Trajectory states{Workers(static_cast<std::size_t>(problem.workers), problem.start)};

    double loss(const Workers& w) const {
        double sum = 0;
        for (int i = 0; i < problem.workers; ++i) {
            const Vec& own = w[static_cast<std::size_t>(i)];
            const Vec g = problem.gradient(own, problem.target(i));
            for (std::size_t j = 0; j < own.size(); ++j) sum += 0.5 * g[j] * (own[j] - problem.target(i)[j]);
        }
        return sum / problem.workers;
    }
    void choose(std::int64_t k) {
        if (start < 0) {
            if (k > 1) start = loss(states[0]);
            return;
        }
        if (k - chosen < interval) return;
        chosen = k;
        const double f = loss(states[static_cast<std::size_t>(k - 2)]);
        const auto wanted = static_cast<std::int64_t>(std::ceil(static_cast<double>(period) * std::sqrt(f / start)));
        tau = wanted < tau ? wanted : (tau + 1) / 2;
    }
    void operator()(std::int64_t k, Workers& w) {
        if (k == averaged + tau) {
            w.assign(w.size(), mean(w));
            averaged = k;
            periods.push_back(static_cast<double>(tau));
            choose(k);
        }
        states.push_back(w);
    }
};

class AdacommOracle : public testing::TestWithParam<std::tuple<Backend, int, std::pair<std::int64_t, std::int64_t>>> {};

TEST_P(AdacommOracle, AveragesAsOftenAsTheLossAsks) {
    const auto& [backend, workers, fields] = GetParam();
    const QuadraticProblem problem{
        .workers = workers, .steps = 200, .rate = 0.02, .momentum = 0.5, .weightDecay = 0.01, .nesterov = true};
    SerialAdacomm rule{.problem = problem, .period = fields.first, .interval = fields.second};
    const Trajectory expected = serial(problem, std::ref(rule));
    const std::vector<RankRecord> records = train(problem.experiment(adacomm(fields.first, fields.second)), backend);
    expectSame(recorded(records), expected, 1e-12);
    for (const RankRecord& record : records) EXPECT_EQ(periodsOf(record), rule.periods);
    EXPECT_EQ(rule.periods.back() < rule.periods.front(), fields.first > 1) << "the rule was put to use";
}

INSTANTIATE_TEST_SUITE_P(Settings, AdacommOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(1, 4, 7),
                                          testing::Values(std::pair(12, 20), std::pair(16, 1), std::pair(1, 10))));

// A window goes from one average to a later one, however long the rounds in it are.
TEST(Adacomm, TimesAreTakenOverWholeRoundsWhenThePeriodHasShrunkToo) {
    const QuadraticProblem problem{.workers = 3, .rate = 0.02, .momentum = 0.5};
    const std::vector<RankRecord> records = train(problem.experiment(adacomm(12, 20)));
    std::vector<std::int64_t> averages;
    for (const auto& point : records[0].sink.metrics.at("algorithm/period")) averages.push_back(point.step);
    EXPECT_LT(periodsOf(records[0]).back(), 12);
    int windows = 0;
    for (const Span& window : records[0].sink.spans) {
        if (window.kind != SpanKind::Window) continue;
        ++windows;
        EXPECT_THAT(averages, testing::Contains(window.step));
        EXPECT_THAT(averages, testing::Contains(window.step - window.bytes)) << "of " << window.bytes << " steps";
    }
    EXPECT_GT(windows, 1) << "evaluations lie between them";
}

// Within its first interval, before it chooses a period, AdaComm equals Local SGD to the last bit.
TEST(Adacomm, IsLocalSgdWithinAnInterval) {
    const QuadraticProblem problem{.workers = 3, .steps = 50, .weightDecay = 0.01};
    const Fields local{{"name", text("local_sgd")}, {"period", integer(4)}};
    const auto adaptive = train(problem.experiment(adacomm(4, 1000)));
    const auto fixed = train(problem.experiment(local));
    expectSame(recorded(adaptive), recorded(fixed), 0);
    const auto bytes = [](const auto& of) { return of[0].sink.metrics.at("train/loss").back().bytesSent; };
    const auto weights = static_cast<double>(flatElements(3));
    EXPECT_NEAR(static_cast<double>(bytes(adaptive)), static_cast<double>(bytes(fixed)) * (weights + 1) / weights, 12)
        << "the loss is one number more beside the weights";
}

// Periods that one rank records at its averages, given the loss and learning rate of every step.
std::vector<double> periodsAt(const std::vector<double>& losses, const std::vector<double>& rates, Fields fields,
                              std::int64_t savedAfter = 0) {
    std::vector<double> periods;
    driveAlgorithm(fields, 1, [&](StepContext& given, Algorithm& first) {
        StepContext context(given.comm(), given.clock(), given.params(), given.executor(), 1,
                            {.metric = [&](std::string_view name, double value) {
                                if (name == "algorithm/period") periods.push_back(value);
                            }});
        first.start(context);
        Algorithm* algorithm = &first;
        std::unique_ptr<Algorithm> resumed;
        StepContext fresh(given.comm(), given.clock(), given.params(), given.executor(), 1,
                          {.metric = [&](std::string_view name, double value) {
                              if (name == "algorithm/period") periods.push_back(value);
                          }});
        StepContext* present = &context;
        for (std::size_t i = 0; i < losses.size(); ++i) {
            const auto k = static_cast<std::int64_t>(i) + 1;
            present->moveTo(k, rates[i]);
            present->noteLoss(torch::tensor(losses[i], torch::kFloat64));
            algorithm->afterStep(*present);
            if (k != savedAfter) continue;
            Archive archive;
            dynamic_cast<Checkpointed&>(*algorithm).save(*present, archive);
            resumed = AlgorithmRegistry::find("adacomm")->create(table({fields.begin() + 1, fields.end()}), {}).value();
            // The context of a new process, which knows no loss of its own yet.
            present = &fresh;
            ASSERT_TRUE(dynamic_cast<Checkpointed&>(*resumed).load(*present, archive));
            algorithm = resumed.get();
        }
    });
    return periods;
}

TEST(Adacomm, LossAndLearningRateChooseThePeriod) {
    // A quarter of the loss: half the period. The loss of step 8 is known in step 9.
    std::vector<double> losses(30, 4.0);
    std::fill(losses.begin() + 10, losses.end(), 1.0);
    const std::vector<double> constant(30, 0.1);
    EXPECT_EQ(periodsAt(losses, constant, adacomm(8, 16)), (std::vector<double>{8, 8, 4, 4, 4}));
    // The loss stays: halved.
    EXPECT_EQ(periodsAt(std::vector<double>(30, 4.0), constant, adacomm(8, 16)), (std::vector<double>{8, 8, 4, 4, 4}));
    // η falls to a quarter with the loss: τ₀ again, which is not smaller, so halved.
    std::vector<double> falling(30, 0.1);
    std::fill(falling.begin() + 10, falling.end(), 0.025);
    EXPECT_EQ(periodsAt(losses, falling, adacomm(12, 12)), (std::vector<double>{12, 12, 6}));
    // A sixteenth: a fourth of the period.
    std::fill(losses.begin() + 10, losses.end(), 0.25);
    EXPECT_EQ(periodsAt(losses, constant, adacomm(8, 16)), (std::vector<double>{8, 8, 2, 2, 2, 2, 2, 2, 2}));
}

TEST(Adacomm, ARoundIsThePresentPeriod) {
    driveAlgorithm(adacomm(8, 8), 1, [](StepContext& context, Algorithm& algorithm) {
        algorithm.start(context);
        std::vector<std::int64_t> rounds;
        for (std::int64_t k = 1; k <= 24; ++k) {
            context.moveTo(k, 0.1);
            context.noteLoss(torch::tensor(4.0));
            algorithm.afterStep(context);
            if (k % 4 == 0) rounds.push_back(algorithm.roundSteps());
        }
        EXPECT_THAT(rounds, testing::ElementsAre(8, 8, 8, 4, 4, 2)) << "halved after steps 16 and 24";
    });
}

TEST(Adacomm, UnusableLossesChangeNothing) {
    const std::vector<double> constant(20, 0.1);
    EXPECT_EQ(periodsAt(std::vector<double>(20, 0.0), constant, adacomm(4, 1)), (std::vector<double>{4, 4, 4, 4, 4}));
    EXPECT_EQ(periodsAt(std::vector<double>(20, -1.0), std::vector<double>(20, 0.0), adacomm(4, 1)),
              (std::vector<double>{4, 4, 4, 4, 4}));
}

TEST(Adacomm, GoesOnAfterASaveWithTheLossesItKnew) {
    std::vector<double> losses, rates;
    for (int k = 0; k < 60; ++k) {
        losses.push_back(5.0 / (1 + k));
        rates.push_back(0.1);
    }
    const std::vector<double> expected = periodsAt(losses, rates, adacomm(9, 7));
    EXPECT_GT(expected.size(), 8U);
    for (std::int64_t step = 1; step < 60; ++step) {
        EXPECT_EQ(periodsAt(losses, rates, adacomm(9, 7), step), expected) << "saved after step " << step;
    }
}

TEST(Adacomm, RefusesAnIntervalOfNoSteps) {
    const auto refused = readExperiment(QuadraticProblem{}.experiment(adacomm(4, 0)));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("interval"));
}

// τ ← ⌈τ₀·√(F/F₀)⌉, or ⌈τ/2⌉ where that is not smaller; F as known in step k, of step k − 1. τ₀ = 4, chosen anew at
// every average but the first.
SerialRule averagesAsTheLossAsks(const SerialView& view) {
    struct Periods {
        std::int64_t tau = 4, averaged = 0;
        bool begun = false;
    };
    return {.weights = [&view, at = Periods()](std::int64_t k, Vectors& w) mutable {
        if (k != at.averaged + at.tau) return;
        takeMean(w);
        at.averaged = k;
        if (!std::exchange(at.begun, true)) return;
        const double ratio = view.losses[static_cast<std::size_t>(k - 2)] / view.losses[0];
        const auto wanted = static_cast<std::int64_t>(std::ceil(4 * std::sqrt(ratio)));
        at.tau = wanted < at.tau ? wanted : (at.tau + 1) / 2;
    }};
}

const AlgorithmTrial::Add kAdacommTrial{{.algorithm = "adacomm",
                                         .fields = {{"period", integer(4)}, {"interval", integer(1)}},
                                         .rule = &averagesAsTheLossAsks,
                                         .hostReads = HostReads::OfDevice}};

}  // namespace
}  // namespace dasgd::test
