#include <gmock/gmock.h>

#include "core/algorithms/extensions.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/driven_algorithm.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

Fields sgp(std::int64_t peers, bool overlap) {
    return {{"name", text("sgp")}, {"peers", integer(peers)}, {"overlap", Value(overlap)}};
}

// Push-sum in plain doubles: x and a with a share of them on the way, from whom to whom by the peers' own formula.
struct SerialPush {
    int peers;
    bool overlap;
    Workers x;
    Vec a = Vec(x.size(), 1);
    Workers comingX = {};
    Vec comingA = {};

    std::vector<std::size_t> offsets(std::int64_t round) const {
        const auto size = static_cast<std::int64_t>(x.size());
        const double base = peers + 1;
        const auto cycle = size < 2 ? 1 : std::llround(std::floor(std::log(size - 1) / std::log(base) + 1e-9)) + 1;
        const auto power = std::llround(std::pow(base, static_cast<double>(round % cycle)));
        std::vector<std::size_t> all;
        for (std::int64_t j = 1; j <= peers; ++j) {
            const auto offset = static_cast<std::size_t>(j * power % size);
            if (offset != 0 && std::find(all.begin(), all.end(), offset) == all.end()) all.push_back(offset);
        }
        return all;
    }
    void receive() {
        for (std::size_t i = 0; i < comingX.size(); ++i) {
            a[i] += comingA[i];
            for (std::size_t j = 0; j < x[i].size(); ++j) x[i][j] += comingX[i][j];
        }
        comingX.clear();
    }
    void send(std::int64_t round) {
        const auto to = offsets(round);
        const double p = 1.0 / static_cast<double>(to.size() + 1);
        comingX.assign(x.size(), Vec(x[0].size(), 0));
        comingA.assign(x.size(), 0);
        for (std::size_t i = 0; i < x.size(); ++i) {
            a[i] *= p;
            for (double& one : x[i]) one *= p;
            for (const std::size_t offset : to) {
                const std::size_t peer = (i + offset) % x.size();
                comingA[peer] += a[i];
                for (std::size_t j = 0; j < x[i].size(); ++j) comingX[peer][j] += x[i][j];
            }
        }
    }
    // Exchanges shares after the optimiser has changed x.
    void exchange(std::int64_t round) {
        receive();
        send(round);
        if (!overlap) receive();
    }
};

// z after every step; plain SGD with momentum and weight decay on x, gradients at z.
Trajectory pushed(const QuadraticProblem& problem, SerialPush push) {
    const std::size_t elements = problem.start.size();
    Workers v(push.x.size(), Vec(elements, 0));
    Trajectory all{push.x};
    for (std::int64_t k = 1; k <= problem.steps; ++k) {
        for (std::size_t i = 0; i < push.x.size(); ++i) {
            const Vec g = problem.gradient(all.back()[i], problem.target(static_cast<int>(i)));
            for (std::size_t j = 0; j < elements; ++j) {
                v[i][j] = problem.momentum * v[i][j] + g[j] + problem.weightDecay * push.x[i][j];
                push.x[i][j] -= problem.rate * v[i][j];
            }
        }
        push.exchange(k - 1);
        Workers z = push.x;
        for (std::size_t i = 0; i < z.size(); ++i) {
            for (double& one : z[i]) one /= push.a[i];
        }
        all.push_back(std::move(z));
    }
    return all;
}

class SgpOracle : public testing::TestWithParam<std::tuple<Backend, int, int, bool>> {};

TEST_P(SgpOracle, PushesSharesOfWeightsAndOfPushSumWeights) {
    const auto& [backend, workers, peers, overlap] = GetParam();
    const QuadraticProblem problem{
        .workers = workers, .steps = 200, .rate = 0.03, .momentum = 0.5, .weightDecay = 0.01};
    const SerialPush push{
        .peers = peers, .overlap = overlap, .x = Workers(static_cast<std::size_t>(workers), problem.start)};
    expectSame(recorded(train(problem.experiment(sgp(peers, overlap)), backend)), pushed(problem, push), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Settings, SgpOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(1, 2, 4, 7),
                                          testing::Values(1, 2, 3), testing::Bool()));

// Σx and Σa, what is on the way included, stay, and every z tends to the mean of the starts.
class SgpWithoutGradients : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(SgpWithoutGradients, ConservesWhatItPushesAround) {
    const auto& [peers, overlap] = GetParam();
    constexpr int kRanks = 5;
    const double share = overlap ? 1.0 / (peers + 1) : 1;  // of x and of a that a rank has between steps
    driveAlgorithm(sgp(peers, overlap), kRanks, [&](StepContext& context, Algorithm& algorithm) {
        at::Tensor& weights = context.params().weights();
        algorithm.start(context);
        weights.fill_(static_cast<double>(context.comm().rank().value()));
        for (std::int64_t k = 1; k <= 60; ++k) {
            context.moveTo(k, 0);
            algorithm.afterBackward(context);
            algorithm.afterStep(context);
            // z·a is x; every rank has the same a, as peers are a regular graph.
            at::Tensor sum = weights.narrow(0, 0, 1) * share;
            Pending pending = context.comm().allReduce(sum, Reduce::Sum);
            pending.wait();
            EXPECT_NEAR(sum[0].item<double>(), share * (0 + 1 + 2 + 3 + 4), 1e-12) << "step " << k;
        }
        EXPECT_NEAR(weights[0].item<double>(), 2, 1e-6);
    });
}

INSTANTIATE_TEST_SUITE_P(Settings, SgpWithoutGradients, testing::Combine(testing::Values(1, 2, 4), testing::Bool()));

// The end adds what is in flight: every rank has the x of the rule with all shares received, and with it Σx is the
// start less all that the optimisers have taken, to the last bit where shares are halves.
class SgpAtTheEnd : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(SgpAtTheEnd, HasWhatWasInFlight) {
    const auto& [peers, overlap] = GetParam();
    constexpr int kRanks = 5;
    constexpr std::int64_t kSteps = 7;
    const auto descent = [](std::size_t rank, std::int64_t k) {
        return static_cast<double>(rank * rank) + 2.0 * static_cast<double>(k);
    };
    SerialPush push{.peers = peers, .overlap = overlap, .x = Workers(kRanks, Vec(1))};
    double sum = 0;
    for (std::size_t i = 0; i < kRanks; ++i) sum += push.x[i][0] = 16.0 * static_cast<double>(i);
    for (std::int64_t k = 1; k <= kSteps; ++k) {
        for (std::size_t i = 0; i < kRanks; ++i) {
            push.x[i][0] -= descent(i, k);
            sum -= descent(i, k);
        }
        push.exchange(k - 1);
    }
    push.receive();
    driveAlgorithm(sgp(peers, overlap), kRanks,
                   [&, overlap = overlap, peers = peers](StepContext& context, Algorithm& algorithm) {
                       at::Tensor& weights = context.params().weights();
                       const auto own = static_cast<std::size_t>(context.comm().rank().value());
                       algorithm.start(context);
                       weights.fill_(16.0 * static_cast<double>(own));
                       for (std::int64_t k = 1; k <= kSteps; ++k) {
                           context.moveTo(k, 0);
                           algorithm.afterBackward(context);
                           weights.sub_(descent(own, k));
                           algorithm.afterStep(context);
                       }
                       const double before = weights[0].item<double>();
                       algorithm.drain(context);
                       EXPECT_NEAR(push.a[own], 1, 1e-15);
                       EXPECT_NEAR(weights[0].item<double>(), push.x[own][0], 1e-12);
                       if (overlap) {
                           EXPECT_NE(weights[0].item<double>(), before);
                       }
                       at::Tensor all = weights.narrow(0, 0, 1).clone();
                       Pending pending = context.comm().allReduce(all, Reduce::Sum);
                       pending.wait();
                       if (peers == 1) {
                           EXPECT_EQ(all[0].item<double>(), sum);
                       } else {
                           EXPECT_NEAR(all[0].item<double>(), sum, 1e-12);
                       }
                   });
}

INSTANTIATE_TEST_SUITE_P(Settings, SgpAtTheEnd, testing::Combine(testing::Values(1, 2, 4), testing::Bool()));

// OSGP always has a share in flight, so its push-sum weight becomes 1/2. SGP has nothing in flight between steps, so
// the weight stays 1 and is not recorded.
TEST(Sgp, RecordsThePushSumWeightWhenItChanges) {
    const QuadraticProblem problem{.workers = 4};
    const auto overlapped = train(problem.experiment(sgp(1, true)));
    for (const RankRecord& record : overlapped) {
        const auto& points = record.sink.metrics.at("algorithm/push_weight");
        ASSERT_EQ(points.size(), 1U);
        EXPECT_EQ(points[0].step, 1);
        EXPECT_EQ(points[0].value, 0.5);
        EXPECT_EQ(record.sink.metrics.at("staleness/steps").back().value, 1);
    }
    const auto blocking = train(problem.experiment(sgp(1, false)));
    EXPECT_FALSE(blocking[0].sink.metrics.contains("algorithm/push_weight"));
    EXPECT_EQ(blocking[0].sink.metrics.at("staleness/steps").back().value, 0);
}

TEST(Sgp, SendsTheWeightsAndOneNumberToEachPeer) {
    const QuadraticProblem problem{.workers = 7, .steps = 17};
    const auto records = train(problem.experiment(sgp(2, false)));
    EXPECT_EQ(records[0].sink.metrics.at("train/loss").back().bytesSent, 17 * 2 * (flatBytes(3) + 8));
}

TEST(Sgp, RefusesMorePeersThanOtherRanks) {
    const auto algorithm = readExperiment(QuadraticProblem{}.experiment(sgp(4, false))).value().makeAlgorithm();
    const auto refused = algorithm->check({.workers = 4});
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->field, "peers");
    EXPECT_EQ(refused->message, "peers is 4; with 4 workers allowed: 1 to 3");
    EXPECT_FALSE(algorithm->check({.workers = 5}));
}

// A worker gives half of what it has to the one 1 or, every second time, 2 further on. Among four workers all push-sum
// weights stay 1.
SerialRule pushesHalves(const SerialView&) {
    return {.weights = [](std::int64_t k, Vectors& x) {
        const Vectors before = x;
        const std::size_t offset = k % 2 == 1 ? 1 : 2;
        for (std::size_t i = 0; i < x.size(); ++i)
            x[(i + offset) % x.size()] = (before[i] + before[(i + offset) % x.size()]) / 2;
    }};
}

const AlgorithmTrial::Add kSgpTrial{{.algorithm = "sgp",
                                     .fields = {{"peers", integer(1)}},
                                     .rule = &pushesHalves,
                                     .identities = {// All are peers: an average after every step.
                                                    {.with = {{"peers", integer(3)}},
                                                     .algorithm = "local_sgd",
                                                     .fields = {{"period", integer(1)}},
                                                     .workers = {4},
                                                     .tolerance = 1e-12}}}};

}  // namespace
}  // namespace dasgd::test
