// The README's example algorithm, compiled from the README's own text, does what it says.
#include <gtest/gtest.h>

#include <bit>

#include "core/algorithms/algorithm.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

TEST(Readme, ExampleIsKnownWithItsField) {
    const AlgorithmRegistry::Entry* entry = AlgorithmRegistry::find("doubling");
    ASSERT_NE(entry, nullptr);
    ASSERT_EQ(entry->fields.size(), 1U);
    EXPECT_EQ(entry->fields[0].name, "first");
    EXPECT_EQ(entry->fields[0].spec.unit, "steps");
}

TEST(Readme, ExampleAveragesAtPowersOfTwo) {
    const QuadraticProblem problem{.workers = 4};
    const Trajectory expected = serial(problem, [](std::int64_t k, Workers& w) {
        if (std::has_single_bit(static_cast<std::uint64_t>(k))) w.assign(w.size(), mean(w));
    });
    expectSame(recorded(train(problem.experiment({{"name", text("doubling")}}))), expected, 1e-12);
}

}  // namespace
}  // namespace dasgd::test
