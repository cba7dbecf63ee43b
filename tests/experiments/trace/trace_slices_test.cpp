#include "experiments/trace/trace_slices.h"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

using Phase = TraceEvent::Phase;

TEST(TraceSlicesTest, PairsEndsWithTheNewestBeginningOfTheirTrack) {
    const test::TempDir folder;
    TraceNames names;
    TraceSlices slices(names, folder.path());
    const auto take = [&](Phase phase, const char* name, const char* thread, Ns at) {
        slices.take({.phase = phase, .name = name, .process = "1", .thread = thread, .at = at});
    };
    take(Phase::Begin, "outer", "a", 10);
    take(Phase::Begin, "inner", "a", 20);
    take(Phase::Begin, "elsewhere", "b", 25);
    take(Phase::End, "", "a", 30);
    take(Phase::End, "", "a", 40);
    take(Phase::End, "", "a", 50);
    ASSERT_TRUE(slices.close());
    EXPECT_EQ(slices.dropped.at("ends without a beginning"), 1);
    EXPECT_EQ(slices.dropped.at("slices without an end"), 1);
    const auto outer = slices.slices().next(), inner = slices.slices().next();
    EXPECT_EQ(names[outer->name], "outer");
    EXPECT_EQ(outer->end, 40);
    EXPECT_EQ(names[inner->name], "inner");
    EXPECT_FALSE(slices.slices().next());
    EXPECT_EQ(slices.first(), 10);
}

TEST(TraceSlicesTest, CutsLongNamesAtACharacter) {
    TraceNames names;
    std::string text(TraceNames::kLongest - 1, 'x');
    text += "\xc3\xa4 and more";
    EXPECT_EQ(names[names.numberOf(text)], std::string(TraceNames::kLongest - 1, 'x'));
    EXPECT_EQ(names.numberOf(""), 0U);
}

}  // namespace
}  // namespace dasgd::experiments
