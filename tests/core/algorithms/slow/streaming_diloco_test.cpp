#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/outer_oracle.h"

namespace dasgd::test {
namespace {

struct Streaming {
    std::int64_t period, fragments, delay;
    double localWeight, rate, momentum;
    bool nesterov = true;
};

Fields streaming(const Streaming& s) {
    return {{"name", text("streaming_diloco")},      {"period", integer(s.period)},
            {"fragments", integer(s.fragments)},     {"delay", integer(s.delay)},
            {"local_weight", number(s.localWeight)}, {"outer_learning_rate", number(s.rate)},
            {"outer_momentum", number(s.momentum)},  {"nesterov", boolean(s.nesterov)}};
}

// arXiv 2501.18512: at each multiple k of H/F the fragment whose turn it is has an outer step along θ − ⟨w⟩ of step
// k − δ, and is mixed. Of three elements the first two are a fragment where there are two.
Trajectory expectedOfStreaming(const QuadraticProblem& problem, const Streaming& s) {
    const std::map<std::int64_t, std::vector<std::size_t>> ends{{1, {3}}, {2, {2, 3}}, {3, {1, 2, 3}}};
    const auto& cuts = ends.at(s.fragments);
    SerialOuter outer{.rate = s.rate, .momentum = s.momentum, .nesterov = s.nesterov, .theta = problem.start};
    const std::int64_t interval = s.period / s.fragments;
    Vec left = problem.start;  // mean of all weights δ steps ahead of the next outer step
    return serial(problem, [&](std::int64_t k, Workers& w) {
        if ((k + s.delay) % interval == 0) left = mean(w);
        if (k % interval != 0) return;
        const auto turn = static_cast<std::size_t>((k / interval - 1) % s.fragments);
        for (std::size_t j = turn == 0 ? 0 : cuts[turn - 1]; j < cuts[turn]; ++j) {
            outer.step(j, outer.theta[j] - left[j]);
            for (Vec& one : w) one[j] = (1 - s.localWeight) * outer.theta[j] + s.localWeight * one[j];
        }
    });
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
                                     Streaming{3, 3, 0, 0.1, 0.5, 0.3}, Streaming{8, 1, 7, 0.5, 0.7, 0.6})));

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
    EXPECT_THAT(message({5, 2, 0, 0.5, 0.7, 0.9}), testing::HasSubstr("fragments is 2, which does not divide"));
    EXPECT_THAT(message({6, 2, 3, 0.5, 0.7, 0.9}), testing::HasSubstr("delay is 3; allowed: 0 to 2"));
    EXPECT_EQ(message({6, 2, 2, 0.5, 0.7, 0.9}), "");

    const auto algorithm = AlgorithmRegistry::find("streaming_diloco")
                               ->create(table({{"fragments", integer(4)}, {"delay", integer(0)}}), {})
                               .value();
    const auto broken = algorithm->check({.model = "mlp", .parameterShapes = {{9, 4}, {9}, {3, 9}, {3}}});
    ASSERT_TRUE(broken);
    EXPECT_EQ(broken->field, "fragments");
    EXPECT_THAT(broken->message, testing::HasSubstr("fragments is 4, but mlp can be cut into at most 2"));
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

}  // namespace
}  // namespace dasgd::test
