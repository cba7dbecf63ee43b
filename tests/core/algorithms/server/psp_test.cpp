#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "tests/support/algorithm_trials.h"
#include "tests/support/served.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

Fields psp(std::int64_t sample, std::int64_t staleness, bool redraw = true) {
    return {{"sample", integer(sample)}, {"staleness", integer(staleness)}, {"redraw", boolean(redraw)}};
}

std::uint64_t splitMix(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

// Sample number `draw` of a worker with `clock` gradients.
std::vector<int> sampleOf(std::uint64_t seed, int workers, int worker, std::int64_t clock, int draw, int count) {
    std::uint64_t state = seed;
    for (const std::int64_t x : {worker + std::int64_t{1}, clock, std::int64_t{draw}}) {
        std::uint64_t keyed = state ^ static_cast<std::uint64_t>(x);
        state = splitMix(keyed);
    }
    std::vector<int> order(static_cast<std::size_t>(workers));
    std::iota(order.begin(), order.end(), 0);
    for (int j = 0; j < count; ++j) {
        const auto other = splitMix(state) % static_cast<std::uint64_t>(workers - j);
        std::swap(order[static_cast<std::size_t>(j)], order[static_cast<std::size_t>(j) + other]);
    }
    order.resize(static_cast<std::size_t>(count));
    return order;
}

// Gradients of random workers, and what all who wait are answered after each of them.
void expectAnswersOfTheSample(int workers, int sample, std::int64_t staleness, bool redraw) {
    const ServerPolicy::Facts facts{.workers = workers, .seed = 41};
    TriedPolicy policy(policyOf("psp", psp(sample, staleness, redraw), facts), facts);
    std::mt19937 random(7);
    std::vector<int> draws(static_cast<std::size_t>(workers), 0);
    std::set<int> waiting;
    int refused = 0;
    for (int push = 0; push < 3000; ++push) {
        int worker = static_cast<int>(random() % static_cast<unsigned>(workers));
        while (waiting.contains(worker)) worker = (worker + 1) % workers;
        ASSERT_EQ(policy.push(worker).size(), 1U) << "each gradient is an update";
        waiting.insert(worker);
        draws[static_cast<std::size_t>(worker)] = 0;
        for (const int waits : std::vector<int>(waiting.begin(), waiting.end())) {
            const auto i = static_cast<std::size_t>(waits);
            const std::int64_t clock = policy.clocks()[i];
            const auto seen = sampleOf(41, workers, waits, clock, draws[i], sample);
            const bool may = std::ranges::all_of(
                seen, [&](int other) { return clock - policy.clocks()[static_cast<std::size_t>(other)] <= staleness; });
            ASSERT_EQ(policy.mayStart(waits), may) << "worker " << waits << " after gradient " << push;
            if (redraw) ++draws[i];
            if (may) waiting.erase(waits);
            refused += may ? 0 : 1;
        }
    }
    EXPECT_GT(refused, 100);
}

TEST(Psp, AWorkerStartsWhereItsSampleIsNotTooFarBehind) {
    expectAnswersOfTheSample(30, 4, 0, true);
    expectAnswersOfTheSample(30, 2, 1, true);
    expectAnswersOfTheSample(7, 7, 2, true);
}

TEST(Psp, AWorkerThatWaitsKeepsItsSampleWhereItIsToldTo) { expectAnswersOfTheSample(30, 2, 1, false); }

TEST(Psp, ASampleOfMoreWorkersThanThereAreIsRefused) {
    const auto algorithm = readExperiment(servedBy({.workers = 4}, "psp", psp(5, 0))).value().makeAlgorithm();
    const auto refused = algorithm->check({.workers = 5, .parameterShapes = {{3}}});
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->field, "sample");
    EXPECT_THAT(refused->message, HasSubstr("sample is 5, but only 4 of the ranks train; allowed: 0 to 4"));
    EXPECT_FALSE(algorithm->check({.workers = 6, .parameterShapes = {{3}}}));
}

TEST(Psp, SeveralServersAreRefused) {
    const auto several = readExperiment(servedBy({.workers = 4}, "psp", psp(4, 0), 2));
    ASSERT_FALSE(several);
    EXPECT_THAT(several.error().message, HasSubstr("servers"));
}

// A sample of one worker: the trials have as few.
const AlgorithmTrial::Add kPspTrial{
    {.algorithm = "psp", .fields = {{"sample", integer(1)}, {"staleness", integer(1)}}, .repeats = false}};

}  // namespace
}  // namespace dasgd::test
