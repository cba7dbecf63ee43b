#include "experiments/ranks/meeting/assignment.h"

#include <gtest/gtest.h>

#include "core/base/utc.h"
#include "experiments/ranks/meeting/rank_outcomes.h"

namespace dasgd::experiments {
namespace {

TEST(AssignmentTest, ComesAsItWent) {
    const Assignment sent{"run-1", "boot", 123, 456, "run-0", 789};
    const auto got = Assignment::from(sent.text());
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->runId, "run-1");
    EXPECT_EQ(got->boot, "boot");
    EXPECT_EQ(got->origin, 123);
    EXPECT_EQ(got->realOrigin, 456);
    EXPECT_EQ(got->resumedFrom, "run-0");
    EXPECT_EQ(got->resumedStep, 789);
}

TEST(AssignmentTest, WhyRank0DoesNotStartIsSaid) {
    EXPECT_EQ(Assignment::from(R"({"error": "the disk is full"})").error().message,
              "rank 0 could not start: the disk is full");
    EXPECT_FALSE(Assignment::from("words"));
}

TEST(AssignmentTest, AnotherHostsOriginIsGuessedByTheCalendar) {
    const Ns ago = 5'000'000'000;
    const Assignment own{"", bootId(), 42, 0, "", 0}, others{"", "another", 42, calendarNow() - ago, "", 0};
    EXPECT_EQ(own.originHere(), 42);
    EXPECT_NEAR(static_cast<double>(MonotonicClock::rawNow() - others.originHere()), static_cast<double>(ago), 1e9);
}

}  // namespace
}  // namespace dasgd::experiments
