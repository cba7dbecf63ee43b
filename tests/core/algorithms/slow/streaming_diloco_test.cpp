#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "tests/support/algorithm_trials.h"
#include "tests/support/in_child_process.h"
#include "tests/support/outer_oracle.h"
#include "tests/support/resumed_runs.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

struct Streaming {
    std::int64_t period, fragments, delay;
    double localWeight, rate, momentum;
    bool nesterov = true;
    Fields more = {};  // further fields; the members below are what they say
    bool strided = false, progress = false;
    double correction = 0;
};

Fields streaming(const Streaming& s) {
    Fields fields{{"name", text("streaming_diloco")},      {"period", integer(s.period)},
                  {"fragments", integer(s.fragments)},     {"delay", integer(s.delay)},
                  {"local_weight", number(s.localWeight)}, {"outer_learning_rate", number(s.rate)},
                  {"outer_momentum", number(s.momentum)},  {"nesterov", boolean(s.nesterov)}};
    fields.insert(fields.end(), s.more.begin(), s.more.end());
    return fields;
}
Streaming strided(Streaming s) {
    s.strided = true;
    s.more.emplace_back("order", text("strided"));
    return s;
}
Streaming keepingProgress(Streaming s, double correction = 0) {
    s.progress = true;
    s.correction = correction;
    s.more.emplace_back("merge", text("progress"));
    s.more.emplace_back("correction", number(correction));
    return s;
}

// arXiv 2501.18512, with the corrected merge of arXiv 2504.17672: fragment i of F has its outer step after step ⌊iH/F⌋
// of each round, along θ − ⟨w⟩ of δ steps before, and is mixed. Of three elements the first two are a fragment where
// there are two, or where they are strided the first and the last.
class SerialStreaming {
public:
    SerialStreaming(const Streaming& s, const Vec& start)
        : s_(s), outer_{.rate = s.rate, .momentum = s.momentum, .nesterov = s.nesterov, .theta = start} {}

    void operator()(std::int64_t k, Workers& w) {
        for (std::int64_t i = 1; i <= s_.fragments; ++i) {
            if ((k + s_.delay - i * s_.period / s_.fragments) % s_.period == 0) underWay_.push_back({i, k, mean(w), w});
        }
        std::erase_if(underWay_, [&](const Sent& sent) {
            if (sent.step + s_.delay != k) return false;
            for (std::size_t j = 0; j < outer_.theta.size(); ++j) {
                if (fragmentOf(j) == sent.fragment) merge(sent, j, w);
            }
            return true;
        });
    }
    [[nodiscard]] const Vec& theta() const { return outer_.theta; }

private:
    struct Sent {
        std::int64_t fragment, step;
        Vec mean;
        Workers own;
    };
    [[nodiscard]] std::int64_t fragmentOf(std::size_t element) const {
        if (s_.fragments == 1) return 1;
        if (s_.strided) return static_cast<std::int64_t>(element) % s_.fragments + 1;
        if (s_.fragments == 3) return static_cast<std::int64_t>(element) + 1;
        return element < 2 ? 1 : 2;
    }
    void merge(const Sent& sent, std::size_t j, Workers& w) {
        outer_.step(j, outer_.theta[j] - sent.mean[j]);
        for (std::size_t i = 0; i < w.size(); ++i) {
            const double own = sent.own[i][j], trained = w[i][j] - own;
            w[i][j] = s_.progress
                          ? outer_.theta[j] + trained - s_.correction * trained * trained * (outer_.theta[j] - own)
                          : (1 - s_.localWeight) * outer_.theta[j] + s_.localWeight * w[i][j];
        }
    }

    Streaming s_;
    SerialOuter outer_;
    std::vector<Sent> underWay_;
};

Trajectory expectedOfStreaming(const QuadraticProblem& problem, const Streaming& s) {
    return serial(problem, SerialStreaming(s, problem.start));
}

class StreamingOracle : public testing::TestWithParam<std::tuple<Backend, Streaming>> {};

TEST_P(StreamingOracle, FollowsTheSerialRule) {
    const auto& [backend, setting] = GetParam();
    expectSame(trained(kOuterProblem, streaming(setting), backend), expectedOfStreaming(kOuterProblem, setting), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, StreamingOracle,
    testing::Combine(testing::ValuesIn(oracleBackends()),
                     testing::Values(Streaming{4, 2, 1, 0.5, 0.7, 0.9}, Streaming{4, 1, 0, 0, 0.7, 0.9},
                                     Streaming{6, 3, 1, 0, 0.7, 0.5}, Streaming{6, 2, 2, 0.25, 1, 0},
                                     Streaming{6, 3, 0, 0.5, 0.7, 0.9, false}, Streaming{6, 2, 0, 0, 1, 0},
                                     Streaming{3, 3, 0, 0.1, 0.5, 0.3}, Streaming{8, 1, 7, 0.5, 0.7, 0.6},
                                     strided({4, 2, 1, 0.5, 0.7, 0.9}), strided({6, 3, 0, 0, 0.7, 0.5}),
                                     strided({6, 2, 0, 0, 1, 0}), Streaming{6, 3, 2, 0.5, 0.7, 0.6},
                                     Streaming{6, 3, 5, 0.5, 0.7, 0.6}, Streaming{5, 2, 1, 0.5, 0.7, 0.9},
                                     strided({7, 3, 4, 0.3, 0.7, 0.5}), keepingProgress({4, 2, 1, 0.5, 0.7, 0.9}),
                                     keepingProgress({6, 3, 4, 0.5, 0.7, 0.5}),
                                     keepingProgress({6, 2, 2, 0.5, 0.7, 0.6}, 0.4),
                                     keepingProgress(strided({6, 3, 3, 0.5, 0.7, 0.5}), 0.2))));

// Identity 10 of the merge family: plain averaging in place of the outer step is DaSGD's blend, whose snapshots at
// H − δ are merged at H.
TEST(StreamingDiLoCo, OneFragmentWithPlainAveragesIsDasgdToTheLastBit) {
    for (const std::int64_t delay : {1, 3}) {
        for (const double local : {0.0, 0.25}) {
            expectSame(trained(kOuterProblem, streaming({4, 1, delay, local, 1, 0})),
                       trained(kOuterProblem, {{"name", text("dasgd")},
                                               {"period", integer(4)},
                                               {"delay", integer(delay)},
                                               {"local_weight", number(local)},
                                               {"offset", integer(4 - delay)}}),
                       0);
        }
    }
}

// Keeping progress with λ = 0 and plain averages is the delta merge.
TEST(StreamingDiLoCo, KeepingProgressWithPlainAveragesIsDasgdsDeltaToTheLastBit) {
    for (const std::int64_t delay : {1, 3}) {
        expectSame(trained(kOuterProblem, streaming(keepingProgress({4, 1, delay, 0.5, 1, 0}))),
                   trained(kOuterProblem, {{"name", text("dasgd")},
                                           {"period", integer(4)},
                                           {"delay", integer(delay)},
                                           {"local_weight", number(0)},
                                           {"correction", number(1)},
                                           {"offset", integer(4 - delay)}}),
                   0);
    }
}

// Layers leave earlier, with the weights that they have after the step.
TEST(StreamingDiLoCo, UnderTheBackwardPassIsTheSameTraining) {
    for (Streaming s : {Streaming{4, 2, 1, 0.5, 0.7, 0.9}, Streaming{4, 1, 0, 0, 0.7, 0.9},
                        strided({6, 3, 4, 0.5, 0.7, 0.5}), keepingProgress({6, 2, 2, 0.5, 0.7, 0.6}, 0.4)}) {
        const Trajectory behind = trained(kOuterProblem, streaming(s));
        s.more.emplace_back("launch", text("backward"));
        expectSame(trained(kOuterProblem, streaming(s)), behind, 1e-14);
    }
}

// Every optimiser, and steps of several micro-batches.
TEST(StreamingDiLoCo, UnderTheBackwardPassOfANetworkIsTheSameTraining) {
    for (const char* optimizer : {"sgd", "adam", "adamw", "lars", "lamb", "muon"}) {
        for (const std::int64_t accumulate : {1, 3}) {
            const auto losses = [&](const char* launch) {
                Value document = resumedExperiment(
                    table(streaming(strided({4, 2, 1, 0.5, 0.7, 0.9, true, {{"launch", text(launch)}}}))),
                    TrainedOn::Threads, table({{"name", text("mlp")}, {"hidden", array<std::int64_t>({12, 8})}}),
                    table({{"name", text(optimizer)}, {"learning_rate", number(0.02)}}));
                document.find("train")->set("precision", text("float64"));
                document.find("train")->set("accumulate", integer(accumulate));
                std::vector<double> all;
                for (const RankRecord& record : train(document)) {
                    EXPECT_EQ(record.outcome.error, "");
                    for (const auto& point : record.sink.metrics.at("train/loss")) all.push_back(point.value);
                }
                return all;
            };
            const std::vector<double> behind = losses("step");
            EXPECT_THAT(losses("backward"), testing::Pointwise(testing::DoubleNear(1e-10), behind)) << optimizer;
        }
    }
}

// The most fragments that have left and are not merged after any step, and the mean time of a step in ms.
std::vector<double> underWay(std::int64_t delay) {
    return inChildProcess([delay] {
        Value document = kOuterProblem.experiment(streaming({6, 3, delay, 0.5, 0.7, 0.9}));
        document.set("cluster", table({{"backend", text("virtual")}, {"workers", integer(4)}}));
        document.set("network", table({{"bandwidth", text("1Gbps")}, {"latency", text("0.8ms")}}));
        document.set("compute", table({{"step_time", text("3ms")}}));
        const std::vector<RankRecord> records = trainVirtually(document);
        const auto& spans = records[0].sink.spans;
        std::map<std::int64_t, int> changes;  // by step
        for (const Span& merge : spans) {
            if (merge.kind != SpanKind::Merge) continue;
            const auto reduce = std::find_if(spans.begin(), spans.end(), [&](const Span& span) {
                return span.kind == SpanKind::Reduce && span.collective == merge.collective;
            });
            if (reduce == spans.end()) continue;
            ++changes[reduce->step];
            --changes[merge.step];
        }
        int now = 0, most = 0;
        for (const auto& [step, change] : changes) most = std::max(most, now += change);
        return std::vector<double>{static_cast<double>(most), static_cast<double>(endOfSteps(records[0])) / 200 * 1e-6};
    });
}

// An average takes 4.8 ms, longer than a step and shorter than the two until the next fragment leaves.
TEST(StreamingDiLoCo, HasSeveralFragmentsUnderWayInSimulatedTime) {
    const std::vector<double> one = underWay(1), three = underWay(5);
    ASSERT_EQ(one.size(), 2U);
    ASSERT_EQ(three.size(), 2U);
    EXPECT_EQ(one[0], 1);
    EXPECT_NEAR(one[1], 3 + 1.8 / 2, 0.05) << "1.8 ms of every second step are waited for";
    EXPECT_EQ(three[0], 3);
    EXPECT_NEAR(three[1], 3, 0.05);
}

// The layers of a fragment leave under the backward pass of its last step, the last one first.
TEST(StreamingDiLoCo, LeavesUnderTheBackwardPassInSimulatedTime) {
    const auto instants = inChildProcess([] {
        Value document = table(
            {{"algorithm", table(streaming(strided({4, 2, 1, 0.5, 0.7, 0.9, true, {{"launch", text("backward")}}})))},
             {"model", table({{"name", text("layer_table")},
                              {"dense", matrix({{100, 100}, {100, 100}, {100, 100}, {100, 100}})}})},
             {"train", table({{"steps", integer(8)}})},
             {"cluster", table({{"backend", text("virtual")}, {"workers", integer(2)}})},
             {"network", table({{"bandwidth", text("1Gbps")}, {"latency", text("0us")}})},
             {"compute", table({{"mode", text("time-only")},
                                {"step_time", text("300ms")},
                                {"memory_bandwidth", text("1000000TB/s")}})}});
        const std::vector<RankRecord> records = trainVirtually(document);
        std::vector<double> all;
        for (const Span& span : records[0].sink.spans) {
            if (span.step != 3 || (span.kind != SpanKind::Reduce && span.kind != SpanKind::Backward)) continue;
            for (const Ns number : {static_cast<Ns>(span.kind), span.start, span.end, span.bytes}) {
                all.push_back(static_cast<double>(number));
            }
        }
        return all;
    });
    // Step 3 sends layers 4 and 2: ready after 1/4 and 3/4 of the pass, nearly, as the first layer has less to do.
    ASSERT_EQ(instants.size(), 3U * 4);
    EXPECT_EQ(instants[0], static_cast<double>(SpanKind::Backward));
    const double begin = instants[1], length = instants[2] - instants[1];
    for (const std::size_t at : {4U, 8U}) {
        EXPECT_EQ(instants[at], static_cast<double>(SpanKind::Reduce));
        EXPECT_EQ(instants[at + 3], 40'000) << "a layer by itself";
        EXPECT_NEAR((instants[at + 1] - begin) / length, at == 4 ? 2.0 / 7 : 6.0 / 7, 1e-6);
        EXPECT_NEAR(instants[at + 2] - instants[at + 1], 40'000 / 1.25e8 * 1e9, 2);
    }
}

TEST(StreamingDiLoCo, EvaluatesTheOuterWeightsWhereTold) {
    for (const bool outer : {false, true}) {
        // The last fragments are under way at the end, where a mean differs from θ.
        Streaming s{8, 2, 3, 0.5, 0.7, 0.9};
        if (outer) s.more.emplace_back("evaluate", text("outer"));
        QuadraticProblem problem = kOuterProblem;
        problem.steps = 42;
        SerialStreaming rule(s, problem.start);
        const Trajectory expected = serial(problem, std::ref(rule));
        const std::vector<RankRecord> records = train(problem.experiment(streaming(s)));
        const double atOuter = problem.meanLoss(rule.theta()), atMean = problem.meanLoss(mean(expected.back()));
        EXPECT_GT(std::abs(atOuter - atMean), 1e-6);
        EXPECT_NEAR(records[0].sink.metrics.at("eval/loss").back().value, outer ? atOuter : atMean, 1e-9);
    }
}

TEST(StreamingDiLoCo, SendsAFragmentAtATimeAheadOfItsStep) {
    const std::vector<RankRecord> records = train(kOuterProblem.experiment(streaming({6, 2, 2, 0.5, 0.7, 0.9})));
    int merges = 0;
    const auto& spans = records[0].sink.spans;
    for (const Span& merge : spans) {
        if (merge.kind != SpanKind::Merge) continue;
        const auto reduce = std::find_if(spans.begin(), spans.end(), [&](const Span& span) {
            return span.kind == SpanKind::Reduce && span.collective == merge.collective;
        });
        ASSERT_NE(reduce, spans.end());
        EXPECT_EQ(merge.step % 3, 0);
        EXPECT_EQ(reduce->step, merge.step - 2);
        EXPECT_EQ(reduce->bytes, merges % 2 == 0 ? 2 * 8 : flatBytes(3) - 2 * 8);
        ++merges;
    }
    EXPECT_EQ(merges, 66);
}

TEST(StreamingDiLoCo, RefusesWhatDoesNotFit) {
    const auto message = [](const Streaming& s) {
        const auto refused = readExperiment(kOuterProblem.experiment(streaming(s)));
        return refused ? std::string() : refused.error().message;
    };
    EXPECT_THAT(message({2, 3, 0, 0.5, 0.7, 0.9}), testing::HasSubstr("fragments is 3 and the period has 2 steps"));
    EXPECT_THAT(message({6, 2, 6, 0.5, 0.7, 0.9}), testing::HasSubstr("delay is 6; allowed: 0 to 5"));
    EXPECT_THAT(message({6, 2, 1, 0.5, 0.7, 0.9, true, {{"correction", number(0.1)}}}),
                testing::HasSubstr("set merge = \"progress\", or remove correction"));
    EXPECT_EQ(message({6, 2, 2, 0.5, 0.7, 0.9}), "");

    const auto algorithm = AlgorithmRegistry::find("streaming_diloco")
                               ->create(table({{"fragments", integer(4)}, {"delay", integer(0)}}), {})
                               .value();
    const auto broken = algorithm->check({.model = "mlp", .parameterShapes = {{9, 4}, {9}, {3, 9}, {3}}});
    ASSERT_TRUE(broken);
    EXPECT_EQ(broken->field, "fragments");
    EXPECT_THAT(broken->message, testing::HasSubstr("fragments is 4, but mlp can be cut into at most 2"));

    const auto ahead =
        AlgorithmRegistry::find("streaming_diloco")->create(table({{"launch", text("backward")}}), {}).value();
    EXPECT_EQ(ahead->check({.clips = true, .parameterShapes = {{9, 4}, {3, 9}}}).value().field, "train.gradient_clip");
    EXPECT_EQ(ahead->check({.layerwise = true, .parameterShapes = {{9}}}).value().field, "launch");
    EXPECT_FALSE(ahead->check({.layerwise = true, .parameterShapes = {{9, 4}, {3, 9}}}));
}

// Elements [0, cut) and the others in turn: an outer step every two steps, of weights that left one step before, mixed
// half and half with what was trained meanwhile.
SerialRule stepsOnFragments(const SerialView& view) {
    const std::int64_t size = view.start.numel(), cut = view.cutNearestToHalf();
    std::vector<SerialOuterSgd> outer;
    for (const at::Tensor& part : view.start.split_with_sizes({cut, size - cut})) {
        outer.push_back({.rate = 0.7, .momentum = 0.9, .nesterov = true, .theta = part});
    }
    return {.weights = [=, left = view.start](std::int64_t k, Vectors& w) mutable {
        if (k % 2 == 1) {
            left = meanOf(w);
            return;
        }
        const auto turn = static_cast<std::size_t>((k / 2 - 1) % 2);
        const std::int64_t begin = turn == 0 ? 0 : cut, length = turn == 0 ? cut : size - cut;
        outer[turn].step(outer[turn].theta - left.narrow(0, begin, length));
        for (at::Tensor& one : w) {
            at::Tensor mixed = one.clone();
            mixed.narrow(0, begin, length).copy_((one.narrow(0, begin, length) + outer[turn].theta) / 2);
            one = mixed;
        }
    }};
}

const AlgorithmTrial::Add kStreamingTrial{{.algorithm = "streaming_diloco",
                                           .fields = {{"period", integer(4)},
                                                      {"fragments", integer(2)},
                                                      {"delay", integer(1)},
                                                      {"local_weight", number(0.5)},
                                                      {"outer_learning_rate", number(0.7)},
                                                      {"outer_momentum", number(0.9)}},
                                           .rule = &stepsOnFragments,
                                           .identities = {{.with = {{"period", integer(4)},
                                                                    {"fragments", integer(1)},
                                                                    {"delay", integer(0)},
                                                                    {"local_weight", number(0)},
                                                                    {"outer_learning_rate", number(0.7)},
                                                                    {"outer_momentum", number(0.9)}},
                                                           .algorithm = "diloco"}}}};

// Fragments of a layer or two that leave under the backward pass.
const AlgorithmTrial::Add kBackwardTrial{{.algorithm = "streaming_diloco",
                                          .fields = {{"period", integer(4)},
                                                     {"fragments", integer(2)},
                                                     {"delay", integer(1)},
                                                     {"order", text("strided")},
                                                     {"launch", text("backward")}},
                                          .what = "backward"}};

// Both fragments under way at once, and the corrected merge.
const AlgorithmTrial::Add kProgressTrial{{.algorithm = "streaming_diloco",
                                          .fields = {{"period", integer(4)},
                                                     {"fragments", integer(2)},
                                                     {"delay", integer(3)},
                                                     {"merge", text("progress")},
                                                     {"correction", number(0.5)},
                                                     {"evaluate", text("outer")}},
                                          .what = "progress",
                                          .mergePasses = 8}};

}  // namespace
}  // namespace dasgd::test
