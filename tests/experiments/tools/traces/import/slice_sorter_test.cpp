#include "experiments/tools/traces/import/slice_sorter.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

std::vector<Slice> sorted(SliceSorter& sorter) {
    EXPECT_TRUE(sorter.close());
    std::vector<Slice> slices;
    while (const auto slice = sorter.next()) slices.push_back(*slice);
    EXPECT_EQ(sorter.error(), "");
    return slices;
}

TEST(SliceSorterTest, SortsTheSameInMemoryAndOnTheDisk) {
    const test::TempDir folder;
    for (const std::size_t part : {100'000U, 1000U, 7U}) {
        SliceSorter sorter(folder.path(), part);
        std::mt19937 random(5);
        for (std::uint32_t i = 0; i < 5000; ++i) {
            const Ns start = static_cast<Ns>(random() % 900);
            sorter.add({.start = start, .end = start + static_cast<Ns>(random() % 5), .track = i});
        }
        const auto slices = sorted(sorter);
        ASSERT_EQ(slices.size(), 5000U);
        for (std::size_t i = 1; i < slices.size(); ++i) {
            const Slice &a = slices[i - 1], &b = slices[i];
            const auto key = [](const Slice& slice) { return std::tuple(slice.start, -slice.end, slice.track); };
            ASSERT_LT(key(a), key(b)) << "the longest first, and of the same the first added";
        }
        for (const int taken : {3000, 5000}) {  // in the middle, and at the end
            sorter.rewind();
            for (int i = 0; i < taken; ++i) ASSERT_EQ(sorter.next()->track, slices[static_cast<std::size_t>(i)].track);
        }
        EXPECT_FALSE(sorter.next());
        sorter.clear();
        EXPECT_FALSE(sorter.next());
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "its files have no name, so that none is left behind";
}

TEST(SliceSorterTest, SaysWhereItCannotWrite) {
    SliceSorter sorter("/nowhere/at/all", 2);
    for (int i = 0; i < 5; ++i) sorter.add({.start = i});
    const Status closed = sorter.close();
    ASSERT_FALSE(closed);
    EXPECT_NE(closed.error().message.find("/nowhere/at/all"), std::string::npos);
}

TEST(SliceSorterTest, OfNothingIsNothing) {
    const test::TempDir folder;
    SliceSorter sorter(folder.path());
    EXPECT_TRUE(sorted(sorter).empty());
}

}  // namespace
}  // namespace dasgd::experiments
