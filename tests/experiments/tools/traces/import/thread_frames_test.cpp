#include "experiments/tools/traces/import/thread_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

using Frame = ThreadFrames::Frame;
constexpr Ns kUs = 1000;

class ThreadFramesTest : public ::testing::Test {
protected:
    void add(Frame frame, Ns from, Ns to, std::uint32_t track = 0) {
        frames_.add({.start = from * kUs, .end = to * kUs, .track = track}, frame);
    }
    // Intervals that count, in µs.
    std::vector<std::pair<Ns, Ns>> counted() {
        frames_.finish();
        std::ranges::sort(given_);
        return given_;
    }
    TraceCounts leftOut_, remarks_;
    std::vector<std::pair<Ns, Ns>> given_;
    // Track 1 is a thread of the communication library.
    ThreadFrames frames_{{true, false},
                         [this](const Slice& slice) { given_.emplace_back(slice.start / kUs, slice.end / kUs); },
                         leftOut_,
                         remarks_};
};

TEST_F(ThreadFramesTest, CountsTheOutermostOperatorsOfEachThread) {
    add(Frame::Operator, 0, 100);
    add(Frame::Operator, 10, 20);
    add(Frame::Operator, 12, 15);
    add(Frame::Operator, 50, 150, 1);
    add(Frame::Operator, 100, 110);
    EXPECT_THAT(counted(), ElementsAre(Pair(0, 100), Pair(50, 150), Pair(100, 110)));
    EXPECT_EQ(leftOut_.at("slices inside of others of their thread"), 2);
}

// A tensor subclass: div → wait_tensor, then the division itself.
TEST_F(ThreadFramesTest, AnOperatorAroundACallCountsByTheOperatorsInsideOfIt) {
    add(Frame::Operator, 0, 100);
    add(Frame::Operator, 5, 90);
    add(Frame::Call, 10, 80);
    add(Frame::Operator, 20, 70);
    add(Frame::Operator, 82, 88);
    add(Frame::Operator, 91, 95);
    add(Frame::Operator, 92, 93);
    EXPECT_THAT(counted(), ElementsAre(Pair(82, 88), Pair(91, 95)));
    EXPECT_EQ(leftOut_.at("operators inside of a collective's call"), 1);
    EXPECT_EQ(leftOut_.at("operators around a collective's call, counted by the operators inside of them"), 2);
}

TEST_F(ThreadFramesTest, OfCompiledCodeOnlyTheCallsAreCutOut) {
    add(Frame::Operator, 0, 100);
    add(Frame::Compiled, 10, 90);
    add(Frame::Operator, 12, 14);
    add(Frame::Call, 20, 30);
    add(Frame::Call, 60, 70);
    EXPECT_THAT(counted(), ElementsAre(Pair(10, 20), Pair(30, 60), Pair(70, 90)));
}

// "Torch-Compiled Region" → "CompiledFunction" → "## Call CompiledFxGraph", and an operator around a call.
TEST_F(ThreadFramesTest, CompiledCodeInsideOfCompiledCodeCountsOnce) {
    add(Frame::Compiled, 0, 100);
    add(Frame::Compiled, 10, 90);
    add(Frame::Operator, 15, 35);
    add(Frame::Operator, 16, 18);
    add(Frame::Call, 20, 30);
    add(Frame::Compiled, 40, 50);
    add(Frame::Compiled, 110, 200);
    add(Frame::Compiled, 120, 130);
    EXPECT_THAT(counted(), ElementsAre(Pair(0, 20), Pair(30, 100), Pair(110, 200)));
}

// Each call was kept once for each frame around it.
TEST_F(ThreadFramesTest, ManyCallsInADeepNestOfCompiledCodeCountOnce) {
    constexpr Ns kDeep = 900, kCalls = 20'000;
    for (Ns i = 0; i < kDeep; ++i) add(Frame::Compiled, i, 10 * kCalls - i);
    for (Ns i = 100; i < kCalls - 100; ++i) add(Frame::Call, 10 * i, 10 * i + 4);
    const auto parts = counted();
    ASSERT_EQ(parts.size(), static_cast<std::size_t>(kCalls - 200 + 1));
    EXPECT_THAT(parts[0], Pair(0, 1000));
    EXPECT_THAT(parts[1], Pair(1004, 1010));
}

TEST_F(ThreadFramesTest, WorkInCompiledCodeIsCutOutWhereNoCallFrameTellsTheWait) {
    add(Frame::Compiled, 0, 100);
    add(Frame::Work, 10, 30);
    add(Frame::Work, 20, 40);
    add(Frame::Work, 60, 70);
    // Begun in one call and waited for in another: the time between is compute.
    add(Frame::Compiled, 200, 300);
    add(Frame::Call, 210, 212);
    add(Frame::Work, 211, 290);
    add(Frame::Call, 270, 290);
    // Begun before: the wait alone is there.
    add(Frame::Compiled, 400, 500);
    add(Frame::Work, 405, 490);
    add(Frame::Call, 480, 490);
    EXPECT_THAT(counted(), ElementsAre(Pair(0, 10), Pair(40, 60), Pair(70, 100), Pair(200, 210), Pair(212, 270),
                                       Pair(290, 300), Pair(400, 480), Pair(490, 500)));
}

// Operators beyond the number that may wait for the end of the one around them count, and then it does not.
TEST_F(ThreadFramesTest, AnOperatorWithMoreInsideThanIsHeldCountsByThese) {
    constexpr Ns kInside = static_cast<Ns>(ThreadFrames::kMostHeld) + 100;
    add(Frame::Operator, 0, 2 * kInside + 10);
    add(Frame::Operator, 1, 2 * kInside + 5);
    for (Ns i = 0; i < kInside; ++i) add(Frame::Operator, 2 + 2 * i, 3 + 2 * i);
    const auto parts = counted();
    ASSERT_EQ(parts.size(), static_cast<std::size_t>(kInside)) << "none counts twice";
    EXPECT_THAT(parts[0], Pair(2, 3));
}

// Gloo's threads copy within their work; PyTorch's older versions told the work on the thread that had begun it.
TEST_F(ThreadFramesTest, WorkIsAFrameOnlyOnAThreadThatDoesNotCompute) {
    add(Frame::Work, 0, 50, 1);
    add(Frame::Operator, 10, 20, 1);
    add(Frame::Operator, 0, 5);
    add(Frame::Work, 10, 60);
    add(Frame::Operator, 20, 40);
    EXPECT_THAT(counted(), ElementsAre(Pair(0, 5), Pair(20, 40)));
}

TEST_F(ThreadFramesTest, WorkInsideOfAnOperatorWasWaitedForThere) {
    add(Frame::Operator, 0, 5);
    add(Frame::Operator, 10, 60);
    add(Frame::Operator, 11, 14);
    add(Frame::Work, 15, 55);
    EXPECT_THAT(counted(), ElementsAre(Pair(0, 5), Pair(11, 14)));
}

TEST_F(ThreadFramesTest, RoundedEndsAreNoOverlapAndLongerOnesAreSaid) {
    add(Frame::Operator, 0, 100);
    add(Frame::Call, 90, 101);
    EXPECT_THAT(counted(), IsEmpty()) << "the call lies inside";
    EXPECT_TRUE(remarks_.empty());
    add(Frame::Operator, 200, 300);
    add(Frame::Operator, 250, 320);
    EXPECT_THAT(counted(), ElementsAre(Pair(200, 300), Pair(250, 320)));
    EXPECT_EQ(remarks_.at("slices that overlap another one of their thread"), 1);
}

TEST_F(ThreadFramesTest, ACallThatOutlastsItsOperatorIsStillInside) {
    add(Frame::Operator, 0, 100);
    add(Frame::Operator, 10, 20);
    add(Frame::Call, 50, 150);
    add(Frame::Operator, 160, 170);
    EXPECT_THAT(counted(), ElementsAre(Pair(10, 20), Pair(160, 170)));
}

TEST_F(ThreadFramesTest, AKernelEndsWhereTheNextOfItsStreamBegins) {
    add(Frame::Kernel, 0, 1'000'000);
    add(Frame::Kernel, 100, 110);
    add(Frame::Kernel, 100, 105);
    add(Frame::Kernel, 105, 300, 1);
    add(Frame::Kernel, 110, 120);
    EXPECT_THAT(counted(), ElementsAre(Pair(0, 100), Pair(100, 105), Pair(100, 110), Pair(105, 300), Pair(110, 120)));
    EXPECT_EQ(remarks_.at("kernels cut where the next one of their stream begins"), 1);
}

// The union of the spans, against the definition: an operator that holds a call has no time of its own, as PyTorch
// records no frame for a wait beside that call; operators inside of it have.
TEST_F(ThreadFramesTest, AgreesWithTheDefinitionOnAnyNest) {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        struct One {
            Frame frame;
            Ns from, to;
        };
        std::vector<One> nest;
        const auto grow = [&](auto& self, Ns from, Ns to, int depth, bool inCall) -> void {
            for (Ns at = from + static_cast<Ns>(random() % 4); at + 2 < to; at += 1 + static_cast<Ns>(random() % 5)) {
                const Ns end = std::min(to - 1, at + 1 + static_cast<Ns>(random() % 40));
                const bool call = random() % 4 == 0;
                nest.push_back({call ? Frame::Call : Frame::Operator, at, end});
                if (depth < 4) self(self, at, end, depth + 1, inCall || call);
                at = end;
            }
        };
        grow(grow, 0, 200, 0, false);
        std::vector<bool> expected(200), found(200);
        for (Ns t = 0; t < 200; ++t) {
            bool counts = false, inCall = false;
            for (const One& one : nest) {
                if (t < one.from || t >= one.to) continue;
                const bool hasCall = std::ranges::any_of(nest, [&](const One& inner) {
                    return inner.frame == Frame::Call && one.from <= inner.from && inner.to <= one.to;
                });
                inCall = inCall || one.frame == Frame::Call;
                counts = counts || (one.frame == Frame::Operator && !hasCall);
            }
            expected[static_cast<std::size_t>(t)] = counts && !inCall;
        }
        given_.clear();
        ThreadFrames frames(
            {true}, [&](const Slice& slice) { given_.emplace_back(slice.start / kUs, slice.end / kUs); }, leftOut_,
            remarks_);
        for (const One& one : nest) frames.add({.start = one.from * kUs, .end = one.to * kUs}, one.frame);
        frames.finish();
        for (const auto& [from, to] : given_) {
            for (Ns t = from; t < to; ++t) found[static_cast<std::size_t>(t)] = true;
        }
        ASSERT_EQ(found, expected) << "round " << round;
    }
}

}  // namespace
}  // namespace dasgd::experiments
