#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <memory>

#include "core/step/archive.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/compression_oracle.h"
#include "tests/support/driven_algorithm.h"
#include "tests/support/outer_oracle.h"

namespace dasgd::test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

struct Selective {
    double threshold = 0.3;
    std::int64_t window = 25;
    double smoothing = 0.01;
    std::string aggregate = "weights";
    [[nodiscard]] Fields fields() const {
        return {{"name", text("selsync")},
                {"threshold", number(threshold)},
                {"window", integer(window)},
                {"smoothing", number(smoothing)},
                {"aggregate", text(aggregate)}};
    }
};

// The paper's decision of one worker, from all norms that there have been: n_k and |n_k − n_{k−1}|/n_{k−1} are formed
// anew from the whole past.
class SerialMeter {
public:
    explicit SerialMeter(const Selective& setting) : setting_(setting) {}
    // δ of the present step.
    double add(double norm) {
        norms_.push_back(norm);
        smooth_.push_back(averageOf(norms_));
        const std::size_t k = smooth_.size();
        if (k > 1) changes_.push_back(std::abs(smooth_[k - 1] - smooth_[k - 2]) / smooth_[k - 2]);
        return averageOf(changes_);
    }

private:
    [[nodiscard]] double averageOf(const Vec& values) const {
        const std::size_t count = std::min(values.size(), static_cast<std::size_t>(setting_.window));
        double sum = 0, weights = 0;
        for (std::size_t back = 1; back <= count; ++back) {
            const double weight = std::pow(1 - setting_.smoothing, static_cast<double>(back));
            sum += weight * values[values.size() - back];
            weights += weight;
        }
        return count == 0 ? 0 : sum / weights;
    }

    Selective setting_;
    Vec norms_, smooth_, changes_;
};

// Decisions of all workers together.
struct SerialSelsync {
    Selective setting;
    std::vector<SerialMeter> meters;
    std::vector<double> synchronised = {};  // of each step, 0 or 1

    // Makes the decision of the next step by the workers' norms.
    bool decide(const std::vector<double>& norms) {
        const auto k = static_cast<std::int64_t>(synchronised.size()) + 1;
        bool any = k < setting.window;
        for (std::size_t i = 0; i < norms.size(); ++i) any = meters[i].add(norms[i]) >= setting.threshold || any;
        synchronised.push_back(any ? 1 : 0);
        return any;
    }
};
SerialSelsync serialOf(const Selective& setting, std::size_t workers) {
    return {.setting = setting, .meters = std::vector<SerialMeter>(workers, SerialMeter(setting))};
}

// Trajectory of the rule in plain doubles; the decisions are in `rule` afterwards. `meanOfGradients` forms their mean.
Trajectory serialSelsync(
    const QuadraticProblem& problem, SerialSelsync& rule,
    const std::function<Vec(const Workers&)>& meanOfGradients = [](const Workers& g) { return mean(g); }) {
    const bool ofWeights = rule.setting.aggregate == "weights";
    Workers before(static_cast<std::size_t>(problem.workers), problem.start);
    bool averages = false;
    const auto gradients = [&](Workers& g) {
        std::vector<double> norms;
        for (const Vec& each : g) {
            double square = 0;
            for (const double element : each) square += element * element;
            norms.push_back(std::sqrt(square));
        }
        averages = rule.decide(norms);
        if (averages && !ofWeights) g.assign(g.size(), meanOfGradients(g));
    };
    const auto weights = [&](std::int64_t, Workers& w) {
        if (averages && ofWeights) {
            const Vec together = mean(before);
            for (std::size_t i = 0; i < w.size(); ++i) {
                for (std::size_t j = 0; j < together.size(); ++j) w[i][j] += together[j] - before[i][j];
            }
        }
        before = w;
    };
    return serial(problem, weights, gradients);
}

std::vector<double> selsyncDecisionsOf(const RankRecord& record) {
    std::vector<double> values;
    for (const auto& point : record.sink.metrics.at("algorithm/synchronised")) values.push_back(point.value);
    return values;
}

class SelsyncOracle : public testing::TestWithParam<std::tuple<Backend, int, Selective>> {};

TEST_P(SelsyncOracle, AveragesWhereAWorkersGradientChanges) {
    const auto& [backend, workers, setting] = GetParam();
    const QuadraticProblem problem{.workers = workers, .steps = 80, .rate = 0.05, .momentum = 0.5};
    SerialSelsync rule = serialOf(setting, static_cast<std::size_t>(workers));
    const Trajectory expected = serialSelsync(problem, rule);
    const auto records = train(problem.experiment(setting.fields()), backend);
    expectSame(recorded(records), expected, 1e-12);
    for (const RankRecord& record : records) EXPECT_EQ(selsyncDecisionsOf(record), rule.synchronised);
    EXPECT_THAT(rule.synchronised, ::testing::Contains(0));
    EXPECT_THAT(rule.synchronised, ::testing::Contains(1));
}

INSTANTIATE_TEST_SUITE_P(
    Settings, SelsyncOracle,
    testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(2, 3, 4),
                     testing::Values(Selective{0.03, 10, 0.01, "weights"}, Selective{0.03, 10, 0.01, "gradients"},
                                     Selective{0.05, 1, 0, "weights"}, Selective{0.02, 4, 0.3, "gradients"})));

Fields signOfScheme(const std::string& scheme) { return {{"name", text("sign")}, {"scheme", text(scheme)}}; }

class CodedSelsync : public testing::TestWithParam<std::tuple<std::string, int>> {};

// The norms are of what each rank has, and the error waits for the next synchronised step.
TEST_P(CodedSelsync, AveragesCodedGradientsWhereAWorkersGradientChanges) {
    const auto& [scheme, workers] = GetParam();
    const Selective setting{0.03, 10, 0.01, "gradients"};
    const QuadraticProblem problem{.workers = workers, .steps = 80, .rate = 0.05, .momentum = 0.5};
    SerialSelsync rule = serialOf(setting, static_cast<std::size_t>(workers));
    SerialCodedMean coded{.shard = scheme == "shard"};
    const Trajectory expected = serialSelsync(problem, rule, [&](const Workers& g) { return coded.mean(g); });
    const auto records = train(compressed(problem.experiment(setting.fields()), signOfScheme(scheme)));
    expectSame(recorded(records), expected, 1e-11);
    for (const RankRecord& record : records) EXPECT_EQ(selsyncDecisionsOf(record), rule.synchronised);
    EXPECT_THAT(rule.synchronised, ::testing::Contains(0));
    EXPECT_THAT(rule.synchronised, ::testing::Contains(1));
}

INSTANTIATE_TEST_SUITE_P(Settings, CodedSelsync,
                         testing::Combine(testing::Values("gather", "shard"), testing::Values(2, 3, 4)));

TEST(CodedSelsync, InEveryStepIsCompressedSyncSgd) {
    const QuadraticProblem problem{.workers = 3, .steps = 40};
    for (const char* scheme : {"gather", "shard"}) {
        const auto run = [&](Fields algorithm) {
            return recorded(train(compressed(problem.experiment(std::move(algorithm)), signOfScheme(scheme))));
        };
        expectSame(run(Selective{.threshold = 0, .aggregate = "gradients"}.fields()), run({{"name", text("sync_sgd")}}),
                   0);
    }
}

// All numbers of two workers, halved and added up.
TEST(CodedSelsync, OfAllNumbersIsUncompressed) {
    const QuadraticProblem problem{.workers = 2, .steps = 80, .rate = 0.05, .momentum = 0.5};
    const Fields fields = Selective{0.03, 10, 0.01, "gradients"}.fields();
    expectSame(recorded(train(compressed(problem.experiment(fields), {{"name", text("topk")}, {"ratio", number(1)}}))),
               trained(problem, fields), 0);
}

// The first twelve steps, all of which are synchronised, are whole.
TEST(CodedSelsync, BeginsWholeWhereItIsToldTo) {
    const QuadraticProblem problem{.workers = 2, .steps = 12, .rate = 0.05};
    const Fields fields = Selective{.threshold = 0, .aggregate = "gradients"}.fields();
    Fields later = signOfScheme("gather");
    later.emplace_back("start", integer(12));
    expectSame(recorded(train(compressed(problem.experiment(fields), later))), trained(problem, fields), 0);
}

TEST(CodedSelsync, RefusesWhatSuitsItNot) {
    const auto refused = [](const Selective& setting, Fields compression) {
        const auto experiment =
            readExperiment(compressed(QuadraticProblem{}.experiment(setting.fields()), std::move(compression)));
        const auto algorithm = experiment->makeAlgorithm();
        const auto error = dynamic_cast<CompressesExchanges&>(*algorithm).checkCompression(*experiment->compression);
        return error ? error->field + ": " + error->message : "";
    };
    const Selective gradients{.aggregate = "gradients"};
    EXPECT_EQ(refused(gradients, signOfScheme("gather")), "");
    EXPECT_THAT(refused({}, signOfScheme("gather")),
                AllOf(HasSubstr("algorithm.aggregate: "), HasSubstr("set aggregate = \"gradients\"")));
    EXPECT_THAT(refused(gradients, {{"name", text("dgc")}}), HasSubstr("use it with sync_sgd"));
    EXPECT_THAT(refused(gradients, {{"name", text("sketch")}, {"error", text("sketch")}}),
                HasSubstr("use it with sync_sgd"));
    EXPECT_THAT(refused(gradients, {{"name", text("sign")}, {"vote", Value(true)}, {"scale", text("one")}}),
                HasSubstr("vote: "));
}

// Decisions of one worker whose gradient has these norms; saved after step `savedAfter`, and resumed in a new object.
std::vector<double> decisionsAt(const std::vector<double>& norms, const Selective& setting,
                                std::size_t savedAfter = 0) {
    std::vector<double> decisions;
    driveAlgorithm(setting.fields(), 1, [&](StepContext& given, Algorithm& first) {
        StepContext context(given.comm(), given.clock(), given.params(), given.executor(), 1,
                            {.metric = [&](std::string_view name, double value) {
                                EXPECT_EQ(name, "algorithm/synchronised");
                                decisions.push_back(value);
                            }});
        first.start(context);
        Algorithm* algorithm = &first;
        std::unique_ptr<Algorithm> resumed;
        for (std::size_t k = 1; k <= norms.size(); ++k) {
            context.moveTo(static_cast<std::int64_t>(k), 0.1);
            context.params().gradients().zero_();
            // 3/5 of the norm in the first parameter, of two elements, and 2/5 in the second.
            context.params().gradients()[1] = 0.6 * norms[k - 1];
            context.params().gradients()[2] = -0.4 * norms[k - 1];
            algorithm->afterBackward(context);
            algorithm->afterStep(context);
            if (k != savedAfter) continue;
            Archive archive;
            dynamic_cast<Checkpointed&>(*algorithm).save(context, archive);
            const Fields fields = setting.fields();
            resumed = AlgorithmRegistry::find("selsync")->create(table({fields.begin() + 1, fields.end()}), {}).value();
            ASSERT_TRUE(dynamic_cast<Checkpointed&>(*resumed).load(context, archive));
            algorithm = resumed.get();
        }
    });
    return decisions;
}

// The norm is a sum over parameters. It doubles in step 6: with T = 2 and α = 0, n goes 1, 1.5, 2, so that δ is
// (0 + 1/2)/2, then (1/2 + 1/3)/2, then (1/3 + 0)/2.
TEST(Selsync, MetersAreMeansOfTheLastSteps) {
    const std::vector<double> norms{1, 1, 1, 1, 1, 2, 2, 2, 2};
    EXPECT_EQ(decisionsAt(norms, {.threshold = 0.24, .window = 2, .smoothing = 0}),
              (std::vector<double>{1, 0, 0, 0, 0, 1, 1, 0, 0}));
    EXPECT_EQ(decisionsAt(norms, {.threshold = 0.4, .window = 2, .smoothing = 0}),
              (std::vector<double>{1, 0, 0, 0, 0, 0, 1, 0, 0}));
    // α moves weight to the newest: n of step 6 is 1 + 1/(1 + (1 − α)) = 5/3, and δ = (2/3)·(2/3).
    EXPECT_EQ(decisionsAt(norms, {.threshold = 0.44, .window = 2, .smoothing = 0.5}),
              (std::vector<double>{1, 0, 0, 0, 0, 1, 0, 0, 0}));
    // A window of one compares with the step before, and has no step before its first.
    EXPECT_EQ(decisionsAt(norms, {.threshold = 0.99, .window = 1}), (std::vector<double>{0, 0, 0, 0, 0, 1, 0, 0, 0}));
}

TEST(Selsync, MetersThatAreNotFullAreMeansOfWhatThereIs) {
    // Steps 1 to 3 are synchronised anyway. In step 4 there are the norms 8, 1, 1, 1 and their means
    // 8, 4.5, 3.33, 2.75, whose changes are 0.4375, 0.2593, 0.175, and their mean 0.2906.
    for (const double threshold : {0.29, 0.291}) {
        const auto decisions = decisionsAt({8, 1, 1, 1}, {.threshold = threshold, .window = 4, .smoothing = 0});
        EXPECT_EQ(decisions, (std::vector<double>{1, 1, 1, threshold < 0.2906 ? 1.0 : 0.0}));
    }
}

TEST(Selsync, AChangeFromNothingIsInfiniteAndNoChangeFromItIsNone) {
    EXPECT_EQ(decisionsAt({0, 0, 0, 1, 1, 1, 1}, {.threshold = 1e9, .window = 2, .smoothing = 0}),
              (std::vector<double>{1, 0, 0, 1, 1, 0, 0}));
}

TEST(Selsync, DecidesAfterASaveAsWithoutIt) {
    std::vector<double> norms;
    for (int k = 0; k < 40; ++k) norms.push_back(1 + 0.5 * std::sin(0.02 * k * k));
    const Selective setting{.threshold = 0.06, .window = 5, .smoothing = 0.1};
    const auto expected = decisionsAt(norms, setting);
    EXPECT_THAT(expected, ::testing::Contains(0));
    for (std::size_t step = 1; step < norms.size(); ++step) {
        EXPECT_EQ(decisionsAt(norms, setting, step), expected) << "saved after step " << step;
    }
}

// As long as nobody asks, there is nothing in common; one whose gradient changes is enough for all.
TEST(Selsync, WithoutAWorkerThatAsksIsIndependentTraining) {
    const QuadraticProblem problem{.workers = 3, .steps = 40};
    expectSame(trained(problem, Selective{.threshold = 1e9, .window = 1}.fields()),
               trained(problem, {{"name", text("independent")}}), 0);
}

// Replicas that averaged their weights differ by their own steps alone.
TEST(Selsync, AveragedWeightsLeaveTheStepsApart) {
    const QuadraticProblem problem{.workers = 4, .steps = 30, .momentum = 0};
    const Trajectory all = trained(problem, Selective{.threshold = 0}.fields());
    const Workers& before = all[all.size() - 2];
    const Workers& after = all.back();
    Workers gradients;
    for (std::size_t i = 0; i < 4; ++i) {
        gradients.push_back(problem.gradient(before[i], problem.target(static_cast<int>(i))));
    }
    const Vec meanGradient = mean(gradients), meanWeights = mean(after);
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            EXPECT_NEAR(after[i][j] - meanWeights[j], -problem.rate * (gradients[i][j] - meanGradient[j]), 1e-13);
        }
    }
}

// ⟨w⟩ of the step before, and the local step: DaSGD with its whole correction. Weight decay is of ⟨w⟩ here.
TEST(Selsync, AveragedWeightsInEveryStepAreDasgdOfPeriodAndDelayOne) {
    const QuadraticProblem problem{.workers = 3, .steps = 60, .nesterov = true};
    const Fields dasgd{{"name", text("dasgd")},     {"period", integer(1)},    {"delay", integer(1)},
                       {"local_weight", number(0)}, {"correction", number(1)}, {"snapshot_at_zero", Value(true)}};
    expectSame(trained(problem, Selective{.threshold = 0}.fields()), trained(problem, dasgd), 1e-12);
}

TEST(Selsync, SendsOneNumberAStepAndTheWeightsWhereItAverages) {
    const QuadraticProblem problem{.workers = 4, .steps = 50};
    for (const char* aggregate : {"weights", "gradients"}) {
        const auto records =
            train(problem.experiment(Selective{.threshold = 1e9, .window = 11, .aggregate = aggregate}.fields()));
        EXPECT_EQ(records[0].sink.metrics.at("train/loss").back().bytesSent,
                  50 * (2 * 4 * 3 / 4) + 10 * (2 * flatBytes(3) * 3 / 4));
    }
}

TEST(Selsync, RefusesSettingsThatMeanNothing) {
    for (const Selective& setting : {Selective{.threshold = -0.1}, Selective{.window = 0}, Selective{.smoothing = 1},
                                     Selective{.aggregate = "both"}}) {
        EXPECT_FALSE(readExperiment(QuadraticProblem{}.experiment(setting.fields())));
    }
}

SerialRule averagesBySelsync(const SerialView& view, const Selective& setting) {
    struct State {
        SerialSelsync rule;
        Vectors before;
        bool averages = false;
    };
    const auto state = std::make_shared<State>(
        State{.rule = serialOf(setting, view.workers), .before = Vectors(view.workers, view.start)});
    const bool ofWeights = setting.aggregate == "weights";
    return {.gradients =
                [&view, state, ofWeights](std::int64_t, Vectors& gradients) {
                    std::vector<double> norms;
                    for (const at::Tensor& gradient : gradients) {
                        double sum = 0;
                        std::int64_t begin = 0;
                        for (const std::int64_t size : view.tensors) {
                            sum += gradient.narrow(0, begin, size).norm().item<double>();
                            begin += size;
                        }
                        norms.push_back(sum);
                    }
                    state->averages = state->rule.decide(norms);
                    if (state->averages && !ofWeights) takeMean(gradients);
                },
            .weights =
                [state, ofWeights](std::int64_t k, Vectors& w) {
                    if (state->averages && ofWeights) {
                        const at::Tensor together = meanOf(state->before);
                        for (std::size_t i = 0; i < w.size(); ++i) w[i] = together + (w[i] - state->before[i]);
                    }
                    state->before = w;
                    if (k < 12) return;
                    EXPECT_THAT(state->rule.synchronised, ::testing::Contains(0));
                    EXPECT_THAT(std::vector(state->rule.synchronised.begin() + 2, state->rule.synchronised.end()),
                                ::testing::Contains(1));
                }};
}

const Selective kOfWeights{.threshold = 0.1, .window = 3, .smoothing = 0.1};
const Selective kOfGradients{.threshold = 0.1, .window = 3, .smoothing = 0.1, .aggregate = "gradients"};

Fields selsyncFields(const Selective& setting) {
    const Fields all = setting.fields();
    return {all.begin() + 1, all.end()};
}

const AlgorithmTrial::Add kSelsyncTrial{
    {.algorithm = "selsync",
     .fields = selsyncFields(kOfWeights),
     .rule = [](const SerialView& view) { return averagesBySelsync(view, kOfWeights); },
     .snapshotPasses = 6,
     .mergePasses = 0,
     .hostReads = HostReads::EachStep,
     .identities = {{.with = {}, .algorithm = "independent", .workers = {1}}}}};
const AlgorithmTrial::Add kSelsyncOfGradientsTrial{
    {.algorithm = "selsync",
     .fields = selsyncFields(kOfGradients),
     .rule = [](const SerialView& view) { return averagesBySelsync(view, kOfGradients); },
     .what = "gradients",
     .snapshotPasses = 6,
     .mergePasses = 0,
     .hostReads = HostReads::EachStep,
     .identities = {{.with = {{"threshold", number(0)}, {"aggregate", text("gradients")}}, .algorithm = "sync_sgd"}}}};

}  // namespace
}  // namespace dasgd::test
