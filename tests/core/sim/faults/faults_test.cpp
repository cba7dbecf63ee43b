// Times at which hosts and links are out.
#include "core/sim/faults/faults.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/support/document.h"

namespace dasgd {
namespace {

using ::testing::HasSubstr;

constexpr double kNever = std::numeric_limits<double>::infinity();

OutageCalendar hosts(const std::vector<std::vector<double>>& rows, int rank = 0) {
    return {FaultParams{.hosts = rows}, OutageCalendar::Of::Host, rank};
}

TEST(OutageCalendar, HasTheOutagesOfItsRankInOrder) {
    auto calendar = hosts({{0, 5, 1}, {1, 2, 1}, {0, 1, 2}});
    EXPECT_EQ(calendar.next(0).from, 1);
    EXPECT_EQ(calendar.next(2).from, 1) << "it is out by then";
    EXPECT_EQ(calendar.next(3).from, 5) << "back";
    EXPECT_EQ(calendar.next(6).from, kNever);
    EXPECT_EQ(calendar.next(0.5).until, 3) << "looking back is allowed";
}

TEST(OutageCalendar, MakesOneOfOverlaps) {
    auto calendar = hosts({{0, 1, 2}, {0, 2, 3}, {0, 5, 1}, {0, 1.5, 0.1}});
    EXPECT_EQ(calendar.next(0).from, 1);
    EXPECT_EQ(calendar.next(0).until, 6);
    EXPECT_EQ(hosts({{0, 1}, {0, 4, 1}}).next(10).until, kNever);
}

TEST(OutageCalendar, StretchesWorkByWhatItIsOut) {
    auto calendar = hosts({{0, 1, 2}, {0, 4, 1}});
    EXPECT_EQ(calendar.endOf(0, 1), 1) << "done just before";
    EXPECT_EQ(calendar.endOf(0, 1.5), 3.5);
    EXPECT_EQ(calendar.endOf(0, 3), 6);
    EXPECT_EQ(calendar.endOf(2, 0.5), 3.5) << "begun while it was out";
    EXPECT_EQ(calendar.endOf(2, 0), 2) << "nothing takes no time";
    EXPECT_EQ(calendar.endOf(7, 10), 17);
    EXPECT_EQ(hosts({{0, 1}}).endOf(0, 2), kNever);
}

// A renewal process of up and down times, each exponential: in a long time T the failures number T/(mtbf+mttr) with
// variance T·(mtbf²+mttr²)/(mtbf+mttr)³, and the time down is mttr/(mtbf+mttr) of it.
TEST(OutageCalendar, DrawsAsOftenAsAsked) {
    const FaultParams params{.hostMtbf = "9s", .hostMttr = "1s"};
    constexpr double kTime = 100'000;
    for (const int rank : {0, 1, 7}) {
        OutageCalendar calendar(params, OutageCalendar::Of::Host, rank);
        int count = 0;
        double down = 0;
        for (Outage next = calendar.next(0); next.from < kTime; next = calendar.next(next.until)) {
            ++count;
            down += next.until - next.from;
        }
        EXPECT_NEAR(count, 10'000, 5 * std::sqrt(kTime * 82 / 1000)) << "five standard deviations";
        EXPECT_NEAR(down, count, 5 * std::sqrt(count)) << "a mean of 1 s with its own spread";
    }
}

TEST(OutageCalendar, DrawsTheSameAgainAndOtherwiseForOthers) {
    const FaultParams params{.hostMtbf = "9s", .linkMtbf = "9s", .linkMttr = "30s", .seed = 3};
    const auto first = [&](OutageCalendar::Of what, int rank) {
        return OutageCalendar(params, what, rank).next(0).from;
    };
    EXPECT_EQ(first(OutageCalendar::Of::Host, 2), first(OutageCalendar::Of::Host, 2));
    EXPECT_NE(first(OutageCalendar::Of::Host, 2), first(OutageCalendar::Of::Host, 3));
    EXPECT_NE(first(OutageCalendar::Of::Host, 2), first(OutageCalendar::Of::Link, 2));
}

TEST(FaultParams, RefusesWhatCannotBe) {
    const auto refused = [](const char* key, Value value) {
        FaultParams params;
        const auto read = readFields(test::table({{key, std::move(value)}}), params);
        return read ? std::string() : read.error().message;
    };
    EXPECT_THAT(refused("hosts", test::matrix({{1, 2, 0}})), HasSubstr("for_s is 0; leave it out"));
    EXPECT_THAT(refused("hosts", test::matrix({{1, -2, 1}})), HasSubstr("hosts is -2"));
    EXPECT_THAT(refused("links", test::matrix({{1}})), HasSubstr("[rank, at_s, for_s]"));
    EXPECT_THAT(refused("links", test::matrix({{1.5, 1}})), HasSubstr("whole number"));
    EXPECT_THAT(refused("host_mtbf", test::text("often")), HasSubstr("or \"never\""));
    EXPECT_THAT(refused("link_mttr", test::text("never")), HasSubstr("as 60ms"));
    FaultParams params{.links = {{4, 1}}};
    EXPECT_FALSE(params.checkRanks(5));
    EXPECT_THAT(params.checkRanks(4)->message, HasSubstr("no such rank; they are 0 to 3"));
}

}  // namespace
}  // namespace dasgd
