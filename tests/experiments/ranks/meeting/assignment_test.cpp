#include "experiments/ranks/meeting/assignment.h"

#include <gmock/gmock.h>

#include "core/base/utc.h"
#include "tests/support/seats.h"

namespace dasgd::experiments {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(AssignmentTest, ComesAsItWent) {
    const Assignment sent{.runId = "run-1",
                          .boot = "boot",
                          .origin = 123,
                          .realOrigin = 456,
                          .resumedFrom = "run-0",
                          .resumedStep = 789,
                          .intake = "tcp://a:1",
                          .mark = ".files-1",
                          .places = {.away = {1, 3}}};
    const auto got = Assignment::from(sent.text());
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->runId, "run-1");
    EXPECT_EQ(got->boot, "boot");
    EXPECT_EQ(got->origin, 123);
    EXPECT_EQ(got->realOrigin, 456);
    EXPECT_EQ(got->resumedFrom, "run-0");
    EXPECT_EQ(got->resumedStep, 789);
    EXPECT_EQ(got->intake + got->mark, "tcp://a:1.files-1");
    EXPECT_THAT(got->places.away, ElementsAre(1, 3));
    EXPECT_FALSE(Assignment::from("words"));
}

TEST(AssignmentTest, AnotherHostsOriginIsGuessedByTheCalendar) {
    const Ns ago = 5'000'000'000;
    Assignment own, others;
    own.boot = bootId();
    own.origin = 42;
    others.boot = "another";
    others.realOrigin = calendarNow() - ago;
    EXPECT_EQ(own.originHere(), 42);
    EXPECT_NEAR(static_cast<double>(MonotonicClock::rawNow() - others.originHere()), static_cast<double>(ago), 1e9);
}

// Answers on each rank: all record into one workspace or not, this one into rank 0's or not, and those that do not.
std::vector<std::string> placesOf(const std::vector<std::string>& places) {
    return test::onSeats(static_cast<int>(places.size()), [&](const Seat& seat) {
        const auto found = [](const RankPlaces&) -> Result<Assignment> { return Assignment{.runId = "run-1"}; };
        const auto joined = joinRun(seat, places[static_cast<std::size_t>(seat.rank)], found);
        if (!joined) return joined.error().message;
        std::string text = joined->runId + (joined->places.together ? " together" : " apart") +
                           (joined->places.atHome ? ", at home" : ", away");
        for (const int rank : joined->places.away) text += " " + std::to_string(rank);
        return text;
    });
}

TEST(JoinedRun, TellsWhichRanksRecordIntoAnotherWorkspace) {
    EXPECT_THAT(placesOf({"host /w", "host /w", "host /w"}), Each("run-1 together, at home"));
    EXPECT_THAT(placesOf({"host /w", "other /w", "host /w"}),
                ElementsAre("run-1 apart, at home 1", "run-1 apart, away 1", "run-1 apart, at home 1"));
}

TEST(JoinedRun, WhyRank0DoesNotStartIsSaid) {
    const auto told = test::onSeats(3, [](const Seat& seat) {
        const auto joined =
            joinRun(seat, "here", [](const RankPlaces&) -> Result<Assignment> { return fail("the disk is full"); });
        return joined ? std::string() : joined.error().message;
    });
    EXPECT_THAT(told, ElementsAre("the disk is full", "rank 0 could not start: the disk is full",
                                  "rank 0 could not start: the disk is full"));
}

// Two containers may have different folders at one path.
TEST(JoinedRun, APlaceIsAFolderNotItsPath) {
    const test::TempDir dir;
    const storage::WorkspacePaths paths{dir / "lab"};
    std::filesystem::create_directory(paths.root);
    const std::string first = placeOf(paths);
    EXPECT_EQ(placeOf(paths), first);
    std::filesystem::rename(paths.root, dir / "other");
    std::filesystem::create_directory(paths.root);
    EXPECT_NE(placeOf(paths), first);
}

}  // namespace
}  // namespace dasgd::experiments
