#include "experiments/tools/traces/trace_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/tools/traces/writers.h"

namespace dasgd::experiments {
namespace {

TEST(TraceWriterTest, AFileIsReplacedOnceTheNewOneIsWhole) {
    const test::ImportFolder folder;
    const auto path = folder.write("t.json", "before");
    {
        auto file = test::orDie(TraceFile::open(path));
        file.write("half");
    }
    EXPECT_EQ(test::contentOf(path), "before");
    auto file = test::orDie(TraceFile::open(path));
    file.write("whole");
    test::orDie(file.close());
    EXPECT_EQ(test::contentOf(path), "whole");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "nothing else is left";
    const auto nowhere = TraceFile::open(folder.path() / "none" / "t.json");
    ASSERT_FALSE(nowhere);
    EXPECT_THAT(nowhere.error().message, ::testing::HasSubstr("cannot be written"));
}

TEST(TraceWriterTest, OverlappingSpansOfALaneHaveTracksOfTheirOwn) {
    TraceTracks tracks;
    const auto at = [&](Ns start, Ns end) {
        return tracks.trackOf(test::named(0, Lane::Comm, SpanKind::Transfer, start, end).row);
    };
    EXPECT_EQ(at(0, 10).index, 0);
    EXPECT_EQ(at(5, 15).index, 1);
    EXPECT_EQ(at(10, 12).index, 0);
    EXPECT_FALSE(at(20, 21).isNew);
}

TEST(TraceWriterTest, AnArrowBeginsWhereTheRankArrived) {
    TraceTracks tracks;
    const auto begins = [&](int rank, SpanKind kind) {
        return tracks.beginsArrow(test::named(rank, Lane::Comm, kind, 0, 1, "", 4).row);
    };
    EXPECT_TRUE(begins(0, SpanKind::Skew));
    EXPECT_FALSE(begins(0, SpanKind::Transfer));
    EXPECT_TRUE(begins(1, SpanKind::Transfer)) << "the last rank has no skew";
}

}  // namespace
}  // namespace dasgd::experiments
