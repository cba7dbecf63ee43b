// DaSGD against the serial rule, and the identities of the merge family (docs: core/algorithms/README.md).
#include <gmock/gmock.h>

#include <thread>

#include "tests/support/algorithm_trials.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

constexpr double kRounding = 1e-12;

Fields dasgd(std::int64_t period, std::int64_t delay, double xi, double c, bool atZero = false,
             std::int64_t offset = 0) {
    return {{"name", text("dasgd")},      {"period", integer(period)}, {"delay", integer(delay)},
            {"local_weight", number(xi)}, {"correction", number(c)},   {"snapshot_at_zero", Value(atZero)},
            {"offset", integer(offset)}};
}

struct Setting {
    std::int64_t period, delay;
    double xi, c;
    bool atZero = false;
    std::int64_t offset = 0;
};

class DasgdOracle : public testing::TestWithParam<std::tuple<int, Setting>> {};

TEST_P(DasgdOracle, FollowsTheSerialRule) {
    const auto& [workers, s] = GetParam();
    const QuadraticProblem problem{.workers = workers};
    SerialMerge rule{
        .period = s.period, .delay = s.delay, .offset = s.offset, .xi = s.xi, .c = s.c, .snapshotAtZero = s.atZero};
    Workers start(static_cast<std::size_t>(workers), problem.start);
    rule.start(start);
    expectSame({start}, {Workers(static_cast<std::size_t>(workers), problem.start)}, kRounding);
    const Trajectory expected = serial(problem, std::ref(rule));
    expectSame(recorded(train(problem.experiment(dasgd(s.period, s.delay, s.xi, s.c, s.atZero, s.offset)))), expected,
               kRounding);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, DasgdOracle,
    testing::Combine(testing::Values(1, 2, 4, 7),
                     testing::Values(Setting{4, 1, 0.25, 0}, Setting{4, 3, 0.25, 0}, Setting{4, 3, 0, 1},
                                     Setting{4, 3, 0, 0}, Setting{4, 4, 0.5, 0.5}, Setting{3, 2, 0.3, 1},
                                     Setting{1, 1, 0.1, 0.2}, Setting{5, 0, 0.4, 0.7}, Setting{4, 4, 0, 1, true},
                                     Setting{4, 2, 0.25, 0, false, 3}, Setting{4, 1, 0.25, 0, false, 1},
                                     Setting{4, 3, 0.25, 0.5, false, 1}, Setting{4, 0, 0.25, 0.5, true},
                                     Setting{4, 0, 0, 0, true}, Setting{4, 0, 0.25, 0, true, 2},
                                     Setting{4, 2, 0.25, 0.5, true, 2}, Setting{4, 2, 0, 1, true, 3},
                                     Setting{4, 4, 0.25, 0, true, 0})));

class DasgdMomentum : public testing::TestWithParam<Setting> {};

TEST_P(DasgdMomentum, IsAveragedOrResetAtEveryMerge) {
    const Setting& s = GetParam();
    const QuadraticProblem problem{.workers = 4, .dampening = 0.2};
    const auto trajectory = [&](const char* state) {
        Fields algorithm = dasgd(s.period, s.delay, s.xi, s.c);
        algorithm.emplace_back("optimizer_state", text(state));
        return recorded(train(problem.experiment(algorithm)));
    };
    SerialMerge weights{.period = s.period, .delay = s.delay, .xi = s.xi, .c = s.c};
    SerialMerge momentum{.period = s.period, .delay = s.delay, .xi = s.xi, .c = 0};
    expectSame(trajectory("average"), serial(problem, std::ref(weights), nullptr, std::ref(momentum)), kRounding);

    weights = {.period = s.period, .delay = s.delay, .xi = s.xi, .c = s.c};
    const auto reset = [&](std::int64_t k, Workers& v) {
        if (k > s.delay && (k - s.delay) % s.period == 0) v.assign(v.size(), {});
    };
    expectSame(trajectory("reset"), serial(problem, std::ref(weights), nullptr, reset), kRounding);
}

INSTANTIATE_TEST_SUITE_P(Settings, DasgdMomentum,
                         testing::Values(Setting{4, 1, 0.25, 0}, Setting{4, 3, 0, 1}, Setting{4, 4, 0.5, 0.5},
                                         Setting{3, 0, 0, 0}, Setting{5, 0, 0.4, 0.7}));

TEST(Dasgd, GlooFollowsTheSerialRuleToo) {
    const QuadraticProblem problem{.workers = 4};
    SerialMerge rule{.period = 4, .delay = 3};
    expectSame(recorded(train(problem.experiment(dasgd(4, 3, 0.25, 0)), Backend::Gloo)),
               serial(problem, std::ref(rule)), kRounding);
}

// A2.1: ⟨w⟩ = ⟨s⟩ + γ⟨u⟩ and devᵢ = ξ·dev(s)ᵢ + γ·dev(u)ᵢ, u being the steps made since the snapshot s.
TEST(Dasgd, AMergeKeepsGammaOfTheOverlappedStepsAndXiOfTheDeviationsBeforeThem) {
    const QuadraticProblem problem{.steps = 7, .momentum = 0};
    for (const auto& [xi, c] : {std::pair(0.25, 0.0), {0.25, 0.5}, {0.0, 1.0}, {0.0, 0.0}, {0.5, 1.0}}) {
        const double gamma = xi + (1 - xi) * c;
        const Trajectory all = recorded(train(problem.experiment(dasgd(4, 3, xi, c))));
        const Workers& s = all[4];
        const Workers& merged = all[7];
        Workers u = all[6];
        for (std::size_t i = 0; i < u.size(); ++i) {
            const Vec gradient = problem.gradient(all[6][i], problem.target(static_cast<int>(i)));
            for (std::size_t j = 0; j < 3; ++j) u[i][j] += -problem.rate * gradient[j] - s[i][j];
        }
        const Vec meanS = mean(s), meanU = mean(u), meanMerged = mean(merged);
        for (std::size_t j = 0; j < 3; ++j) {
            EXPECT_NEAR(meanMerged[j], meanS[j] + gamma * meanU[j], kRounding) << "xi " << xi << " c " << c;
            for (std::size_t i = 0; i < u.size(); ++i) {
                const double deviation = xi * (s[i][j] - meanS[j]) + gamma * (u[i][j] - meanU[j]);
                EXPECT_NEAR(merged[i][j] - meanMerged[j], deviation, kRounding) << "xi " << xi << " c " << c;
            }
        }
    }
}

// A2.3: where the loss is flat and each step adds noise of variance σ² to a weight, the distance C = ⟨‖wᵢ − ⟨w⟩‖²⟩ at a
// snapshot settles at N·(1 − 1/P)·σ²·(γ²d + τ − d)/(1 − ξ²). Over 140 snapshots of 64 weights of 4 workers it scatters
// by about 1 %.
class DasgdSteadyState : public testing::TestWithParam<Setting> {};

TEST_P(DasgdSteadyState, HasTheDistanceThatTheFormulaSays) {
    const Setting& s = GetParam();
    constexpr std::size_t kWeights = 64;
    constexpr std::int64_t kSettled = 40, kSteps = 600;
    constexpr double kRate = 0.1, kNoise = 2;
    const Vec zeros(kWeights, 0);
    Value document =
        QuadraticProblem{.steps = kSteps, .rate = kRate, .momentum = 0}.experiment(dasgd(s.period, s.delay, s.xi, s.c));
    document.set("model", table({{"name", text("quadratic")},
                                 {"matrix", matrix(std::vector<Vec>(kWeights, zeros))},
                                 {"targets", matrix(std::vector<Vec>(4, zeros))},
                                 {"noise", number(kNoise)}}));
    document.find("train")->set("eval_every", integer(s.period));
    document.set("record", table({{"weights", Value(false)}}));
    const auto records = train(document);
    double sum = 0;
    int snapshots = 0;
    for (const auto& point : records[0].sink.metrics.at("consensus/distance")) {
        if (point.step < kSettled || point.step >= kSteps) continue;
        sum += point.value;
        ++snapshots;
    }
    EXPECT_EQ(snapshots, (kSteps - kSettled) / s.period);
    const double gamma = s.xi + (1 - s.xi) * s.c, variance = kRate * kRate * kNoise * kNoise;
    const auto d = static_cast<double>(s.delay), tau = static_cast<double>(s.period);
    const double expected = kWeights * 0.75 * variance * (gamma * gamma * d + tau - d) / (1 - s.xi * s.xi);
    EXPECT_NEAR(sum / snapshots, expected, 0.05 * expected);
}

INSTANTIATE_TEST_SUITE_P(Settings, DasgdSteadyState,
                         testing::Values(Setting{4, 3, 0.25, 0}, Setting{4, 3, 0.25, 1}, Setting{4, 2, 0.5, 0.5},
                                         Setting{4, 4, 0.25, 0.5}, Setting{4, 3, 0, 0}));

// A2.2: with γ = ξ + (1−ξ)c = 1 no merge moves the mean of the workers; with γ < 1 it does.
TEST(Dasgd, MergesLeaveTheMeanAloneOnlyForGammaOne) {
    QuadraticProblem problem{.momentum = 0};
    // With equal curvature and no momentum the mean follows ⟨w⟩ −= η⟨∇f⟩ whatever the spread.
    SerialMerge never{.period = 1000};
    const Trajectory free = serial(problem, std::ref(never));
    for (const double xi : {0.0, 0.25}) {
        const Trajectory delta = recorded(train(problem.experiment(dasgd(4, 3, xi, 1))));
        for (std::size_t k = 0; k < free.size(); ++k) {
            for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(mean(delta[k])[j], mean(free[k])[j], 1e-11) << "step " << k;
        }
    }
    const Trajectory blend = recorded(train(problem.experiment(dasgd(4, 3, 0.25, 0))));
    EXPECT_GT(std::abs(mean(blend[7])[0] - mean(free[7])[0]), 1e-3)
        << "the blend throws part of the overlapped steps away";
}

// A2.5: linear recursions commute with the mean, so unaveraged momentum buffers do not matter.
TEST(Dasgd, PeriodOneWithoutDelayIsSynchronousSgd) {
    for (const bool nesterov : {false, true}) {
        for (const int workers : {2, 4, 7}) {
            const QuadraticProblem problem{.workers = workers, .weightDecay = 0.01, .nesterov = nesterov};
            const Trajectory sync = recorded(train(problem.experiment({{"name", text("sync_sgd")}})));
            expectSame(recorded(train(problem.experiment(dasgd(1, 0, 0, 0)))), sync, 1e-11);
        }
    }
}

// A2.6
TEST(Dasgd, EqualDataKeepsReplicasEqualAndDeltaIsPlainSgd) {
    const QuadraticProblem problem{.workers = 2, .equalTargets = true};
    QuadraticProblem single = problem;
    single.workers = 1;
    const Trajectory plain = recorded(train(single.experiment({{"name", text("independent")}})));
    const auto bothPlain = [&] {
        Trajectory twice = plain;
        for (Workers& w : twice) w.push_back(w[0]);
        return twice;
    }();
    expectSame(recorded(train(problem.experiment(dasgd(4, 3, 0, 1)))), bothPlain, 0);
    expectSame(recorded(train(problem.experiment(dasgd(4, 3, 0.25, 1)))), bothPlain, 0);
    expectSame(recorded(train(problem.experiment(dasgd(4, 0, 0, 0)))), bothPlain, 0);

    const Trajectory blend = recorded(train(problem.experiment(dasgd(4, 3, 0.25, 0))));
    for (const Workers& w : blend) EXPECT_EQ(w[0], w[1]);
    // At the first merge (k = 7) the published rule gives ξ·w₇ + (1−ξ)·w₄ by design.
    for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(blend[7][0][j], 0.25 * plain[7][0][j] + 0.75 * plain[4][0][j], kRounding);
    }
}

// A2.7
TEST(Dasgd, OneWorkerWithDeltaIsPlainSgd) {
    const QuadraticProblem problem{.workers = 1};
    const Trajectory plain = recorded(train(problem.experiment({{"name", text("independent")}})));
    expectSame(recorded(train(problem.experiment(dasgd(4, 3, 0, 1)))), plain, 0);
}

// A2.8: CoCoD-SGD (arXiv 1906.12043), from its own rule: x = m_prev + (x − s_prev); s = x; launch ⟨s⟩.
TEST(Dasgd, FullDelayDeltaFromZeroIsCocodSgd) {
    const QuadraticProblem problem{.workers = 4};
    Workers s(4, problem.start);
    Vec m = mean(s);
    const Trajectory cocod = serial(problem, [&](std::int64_t k, Workers& x) {
        if (k % 4 != 0) return;
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (std::size_t j = 0; j < m.size(); ++j) x[i][j] = m[j] + (x[i][j] - s[i][j]);
        }
        s = x;
        m = mean(s);
    });
    expectSame(recorded(train(problem.experiment(dasgd(4, 4, 0, 1, true)))), cocod, kRounding);
}

// A2.9: Overlap-Local-SGD (arXiv 2002.09539) without slow momentum: x = (1−α)x + αz; z = ⟨x⟩ in the background.
TEST(Dasgd, FullDelayBlendFromZeroIsOverlapLocalSgd) {
    const QuadraticProblem problem{.workers = 4};
    const double alpha = 0.6;
    Vec z = problem.start;
    const Trajectory overlap = serial(problem, [&](std::int64_t k, Workers& x) {
        if (k % 4 != 0) return;
        for (Vec& one : x) {
            for (std::size_t j = 0; j < z.size(); ++j) one[j] = (1 - alpha) * one[j] + alpha * z[j];
        }
        z = mean(x);
    });
    expectSame(recorded(train(problem.experiment(dasgd(4, 4, 1 - alpha, 0, true)))), overlap, kRounding);
}

// A2.11: a slow network changes when things end, never what they are.
class LateComm final : public Communicator {
public:
    LateComm(Communicator& inner, std::chrono::milliseconds lateness)
        : Communicator(inner.rank(), inner.size()), inner_(inner), lateness_(lateness) {}

private:
    Pending start(CollectiveCall call, std::uint64_t /*number*/) override {
        if (rank() == Rank{0} && call.kind == CollectiveKind::AllReduce) std::this_thread::sleep_for(lateness_);
        return inner_.launch(std::move(call));
    }
    Pending start(MessageCall call) override { return inner_.launch(std::move(call)); }
    std::unique_ptr<Communicator> open(Group group) override { return inner_.split(group.members); }

    Communicator& inner_;
    std::chrono::milliseconds lateness_;
};

TEST(Dasgd, LateRanksChangeNoValue) {
    const QuadraticProblem problem{.workers = 3, .steps = 17};
    const Value experiment = problem.experiment(dasgd(4, 3, 0.25, 0.5));
    const Trajectory onTime = recorded(train(experiment));
    const Trajectory late = recorded(train(experiment, Backend::Threads, [](Communicator& comm, Clock&) {
        return std::make_unique<LateComm>(comm, std::chrono::milliseconds(5));
    }));
    expectSame(late, onTime, 0);
}

TEST(Dasgd, SpansShowTheDelay) {
    const QuadraticProblem problem{.workers = 2, .steps = 17};
    const std::vector<RankRecord> records = train(problem.experiment(dasgd(4, 3, 0.25, 0)));
    const auto& spans = records[0].sink.spans;
    int merges = 0;
    for (const Span& merge : spans) {
        if (merge.kind != SpanKind::Merge) continue;
        ++merges;
        const auto reduce = std::find_if(spans.begin(), spans.end(), [&](const Span& s) {
            return s.kind == SpanKind::Reduce && s.collective == merge.collective;
        });
        ASSERT_NE(reduce, spans.end());
        EXPECT_EQ(merge.step, reduce->step + 3);
        EXPECT_EQ(reduce->step % 4, 0);
        EXPECT_EQ(reduce->lane, Lane::Comm);
        EXPECT_EQ(reduce->bytes, flatBytes(3));
        EXPECT_LE(reduce->end, merge.start);
    }
    EXPECT_EQ(merges, 3);  // snapshots at 4, 8, 12, 16; the last is not due within 17 steps
}

TEST(Dasgd, SendsOneRingAllReduceAPeriod) {
    const QuadraticProblem problem{.workers = 4, .steps = 17};
    const std::vector<RankRecord> records = train(problem.experiment(dasgd(4, 3, 0.25, 0)));
    EXPECT_EQ(records[0].sink.metrics.at("train/loss").back().bytesSent, 4 * 2 * flatBytes(3) * 3 / 4);
}

// A snapshot at zero without a delay is merged at once, as every other one is.
TEST(Dasgd, MergesASnapshotAtZeroWithoutDelayAtOnce) {
    const QuadraticProblem problem{.workers = 2, .steps = 3};
    const std::vector<RankRecord> records = train(problem.experiment(dasgd(4, 0, 0.25, 0, true)));
    const auto& spans = records[0].sink.spans;
    EXPECT_EQ(std::count_if(spans.begin(), spans.end(),
                            [](const Span& span) { return span.kind == SpanKind::Merge && span.step == 0; }),
              1);
}

// The snapshot at zero is in flight until `delay`: a second average would be launched over it.
TEST(Dasgd, RefusesAnOffsetBeforeTheMergeOfTheSnapshotAtZero) {
    for (const auto& [delay, offset] : std::vector<std::pair<std::int64_t, std::int64_t>>{{3, 1}, {3, 2}, {4, 3}}) {
        const auto refused = readExperiment(QuadraticProblem{}.experiment(dasgd(4, delay, 0.25, 0, true, offset)));
        ASSERT_FALSE(refused) << "delay " << delay << ", offset " << offset;
        EXPECT_THAT(refused.error().message,
                    testing::HasSubstr("allowed with snapshot_at_zero: 0, or delay to period - 1"));
        EXPECT_TRUE(readExperiment(QuadraticProblem{}.experiment(dasgd(4, delay, 0.25, 0, false, offset))));
    }
}

TEST(Dasgd, RefusesADelayBeyondThePeriod) {
    const auto refused = readExperiment(QuadraticProblem{}.experiment(dasgd(4, 9, 0.25, 0)));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("delay is 9; allowed: 0 to period (4) steps"));
}

const AlgorithmTrial::Add kDasgdTrial{
    {.algorithm = "dasgd",
     .fields =
         {{"period", integer(4)}, {"delay", integer(3)}, {"local_weight", number(0.25)}, {"correction", number(0.5)}},
     .rule = [](const SerialView& view) { return merges({.period = 4, .delay = 3, .xi = 0.25, .c = 0.5}, view); },
     .identities = {
         // A2.4: overwriting without delay.
         {.with =
              {{"period", integer(4)}, {"delay", integer(0)}, {"local_weight", number(0)}, {"correction", number(0)}},
          .algorithm = "local_sgd",
          .fields = {{"period", integer(4)}},
          .workers = {1, 2, 4, 7}},
         {.with =
              {{"period", integer(4)}, {"delay", integer(0)}, {"local_weight", number(0)}, {"correction", number(0.6)}},
          .algorithm = "local_sgd",
          .fields = {{"period", integer(4)}},
          .workers = {1, 2, 4, 7}}}}};

}  // namespace
}  // namespace dasgd::test
