#include "experiments/tools/traces/chakra_nodes.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ids = std::vector<std::uint64_t>;

constexpr Ns kNsOfUs = 1000;

Span work(SpanKind kind, std::int64_t step, Ns startUs, Ns endUs, std::uint64_t collective = 0) {
    return {.kind = kind, .step = step, .start = startUs * kNsOfUs, .end = endUs * kNsOfUs, .collective = collective};
}
Span transfer(std::uint64_t collective, std::int64_t step, Ns startUs, Ns endUs, SpanKind kind = SpanKind::Transfer) {
    return {.lane = Lane::Comm,
            .kind = kind,
            .step = step,
            .start = startUs * kNsOfUs,
            .end = endUs * kNsOfUs,
            .bytes = 4096,
            .collective = collective};
}

std::vector<ChakraNode> nodesOf(const std::vector<Span>& spans, std::int64_t delay = 0) {
    return test::orDie(chakraNodesOf(spans, 0, delay));
}
const ChakraNode& named(const std::vector<ChakraNode>& nodes, const std::string& name, int nth = 0) {
    for (const ChakraNode& node : nodes) {
        if (node.name == name && nth-- == 0) return node;
    }
    ADD_FAILURE() << "no node " << name;
    return nodes.front();
}

// Launch, transfer, merge: the snapshot of step 1 leaves, step 2 hides it, and its merge depends on it.
TEST(ChakraNodes, AMergeDependsOnItsTransferAndThatOnItsLaunch) {
    const auto nodes = nodesOf(
        {work(SpanKind::Forward, 1, 0, 10), work(SpanKind::Snapshot, 1, 10, 12), transfer(1, 1, 12, 15, SpanKind::Skew),
         transfer(1, 1, 15, 22), work(SpanKind::Forward, 2, 12, 24), work(SpanKind::Merge, 2, 24, 27, 1)},
        1);
    ASSERT_EQ(nodes.size(), 5U);
    const ChakraNode &snapshot = named(nodes, "snapshot 1"), &reduce = named(nodes, "all_reduce 1"),
                     &second = named(nodes, "forward 2"), &merge = named(nodes, "merge 2");
    EXPECT_THAT(snapshot.dependencies, ElementsAre(named(nodes, "forward 1").id));
    EXPECT_THAT(reduce.dependencies, ElementsAre(snapshot.id));
    EXPECT_TRUE(reduce.isCollective);
    EXPECT_EQ(reduce.bytes, 4096);
    EXPECT_EQ(reduce.durationUs, 7U) << "without waiting for other ranks";
    EXPECT_THAT(second.dependencies, ElementsAre(snapshot.id)) << "beside the transfer";
    EXPECT_THAT(merge.dependencies, ElementsAre(second.id, reduce.id));
    for (const ChakraNode& node : nodes) {
        for (const std::uint64_t id : node.dependencies) EXPECT_LT(id, node.id);
    }
}

// A bucket leaves in the middle of the backward pass, which goes on.
TEST(ChakraNodes, ALaunchWithinAPassDividesIt) {
    const auto nodes = nodesOf({work(SpanKind::Backward, 3, 0, 30), transfer(7, 3, 10, 40),
                                work(SpanKind::Wait, 3, 30, 40, 7), work(SpanKind::Update, 3, 40, 45)});
    ASSERT_EQ(nodes.size(), 4U);
    const ChakraNode &first = named(nodes, "backward 3"), &rest = named(nodes, "backward 3", 1);
    EXPECT_EQ(first.durationUs, 10U);
    EXPECT_EQ(rest.durationUs, 20U);
    EXPECT_THAT(named(nodes, "all_reduce 7").dependencies, ElementsAre(first.id));
    EXPECT_THAT(rest.dependencies, ElementsAre(first.id));
    EXPECT_THAT(named(nodes, "update 3").dependencies, ElementsAre(rest.id, named(nodes, "all_reduce 7").id));
}

// Buckets that have arrived before they are asked for leave no wait; the update uses them all the same.
TEST(ChakraNodes, AnUpdateDependsOnGradientsThatNobodyWaitedFor) {
    const auto nodes = nodesOf({work(SpanKind::Backward, 3, 0, 30), transfer(7, 3, 10, 20),
                                work(SpanKind::Update, 3, 30, 35), work(SpanKind::Forward, 4, 35, 50)});
    EXPECT_THAT(named(nodes, "update 3").dependencies,
                ElementsAre(named(nodes, "backward 3", 1).id, named(nodes, "all_reduce 7").id));
}

TEST(ChakraNodes, AnAverageThatNobodyWaitedForIsDueAfterItsDelay) {
    const std::vector<Span> spans{work(SpanKind::Update, 1, 0, 10),   transfer(1, 1, 10, 14),
                                  work(SpanKind::Forward, 2, 10, 20), work(SpanKind::Update, 2, 20, 22),
                                  work(SpanKind::Forward, 3, 22, 30), work(SpanKind::Update, 3, 30, 33)};
    const auto dueAt = [&](std::int64_t delay, const std::string& name) {
        const auto nodes = nodesOf(spans, delay);
        return std::ranges::count(named(nodes, name).dependencies, named(nodes, "all_reduce 1").id);
    };
    EXPECT_EQ(dueAt(0, "forward 2"), 1);
    EXPECT_EQ(dueAt(1, "forward 3"), 1);
    EXPECT_EQ(dueAt(1, "forward 2"), 0);
    EXPECT_EQ(dueAt(2, "update 3"), 0) << "dropped at the end";
}

// Simulated work.
TEST(ChakraNodes, AMergeThatTakesNoTimeKeepsItsDependency) {
    const auto nodes =
        nodesOf({work(SpanKind::Update, 1, 0, 10), transfer(1, 1, 10, 14), work(SpanKind::Forward, 2, 10, 20),
                 work(SpanKind::Merge, 2, 20, 20, 1), work(SpanKind::Forward, 3, 20, 30)},
                1);
    EXPECT_THAT(named(nodes, "forward 3").dependencies,
                ElementsAre(named(nodes, "forward 2").id, named(nodes, "all_reduce 1").id));
}

TEST(ChakraNodes, FillsGapsAndUnwrapsWhatIsNested) {
    const auto nodes = nodesOf(
        {work(SpanKind::Backward, 1, 5, 30), work(SpanKind::Snapshot, 1, 10, 12), work(SpanKind::Update, 1, 34, 36)});
    std::vector<std::string> names;
    std::uint64_t length = 0;
    for (const ChakraNode& node : nodes) {
        names.push_back(node.name);
        length += node.durationUs;
    }
    EXPECT_THAT(names, ElementsAre("idle", "backward 1", "snapshot 1", "backward 1", "idle", "update 1"));
    EXPECT_EQ(length, 36U);
    EXPECT_TRUE(nodes.front().dependencies.empty());
    for (std::size_t i = 1; i < nodes.size(); ++i) EXPECT_EQ(nodes[i].dependencies, Ids{nodes[i - 1].id});
}

// Ten pieces of 1.3 µs are 13 µs together, each of at least 1.
TEST(ChakraNodes, RoundsToTheUnitWithoutDrift) {
    std::vector<Span> spans;
    for (Ns i = 0; i < 10; ++i)
        spans.push_back({.kind = SpanKind::Forward, .step = i, .start = i * 1300, .end = (i + 1) * 1300});
    std::uint64_t length = 0;
    for (const ChakraNode& node : nodesOf(spans)) {
        EXPECT_GE(node.durationUs, 1U);
        length += node.durationUs;
    }
    EXPECT_EQ(length, 13U);
    EXPECT_EQ(nodesOf({{.kind = SpanKind::Forward, .start = 0, .end = 20}}).front().durationUs, 1U)
        << "never of no length";
}

TEST(ChakraNodes, RefusesWhatWouldLackADependency) {
    const auto refusal = [](const std::vector<Span>& spans) {
        const auto nodes = chakraNodesOf(spans, 0, 0);
        return nodes ? "" : nodes.error().message;
    };
    EXPECT_THAT(refusal({work(SpanKind::Wait, 4, 0, 10)}), HasSubstr("a wait in step 4 is a message"));
    EXPECT_THAT(refusal({transfer(0, 4, 0, 10)}), HasSubstr("an operation of step 4 is a message"));
    EXPECT_THAT(refusal({work(SpanKind::Wait, 4, 0, 10, 9)}),
                HasSubstr("waits for collective 9, which is not recorded whole"));
    Span nothing = transfer(3, 1, 0, 10);
    nothing.bytes = 0;
    EXPECT_THAT(refusal({nothing}), HasSubstr("collective 3 moves no bytes"));
    EXPECT_EQ(refusal({work(SpanKind::Forward, 1, 0, 5)}), "");
}

}  // namespace
}  // namespace dasgd::experiments
