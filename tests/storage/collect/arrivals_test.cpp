#include "storage/collect/arrivals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ArrivalsTest : public ::testing::Test {
protected:
    ArrivalsTest() : connection_(orDie(WriteConnection::open(run_.store.paths()))) { open(); }

    void open() { arrivals_ = std::make_unique<Arrivals>(connection_->database(), 1, 2); }
    void take(int rank, std::uint64_t collective, Ns start) {
        arrivals_->take(rank, {.kind = SpanKind::Reduce, .start = start, .end = start + 9, .collective = collective});
    }
    // Settles in one transaction; answers what it was told, a line for each arrival.
    std::vector<std::string> settle() {
        std::vector<std::string> told;
        const auto transaction = orDie(WriteTransaction::begin(*connection_));
        arrivals_->settle(
            [&](const Arrivals::Arrival& arrival, Ns last) {
                told.push_back("complete " + std::to_string(arrival.rank) + " row " + std::to_string(arrival.row) +
                               " last " + std::to_string(last));
            },
            [&](const Arrivals::Arrival& arrival) {
                told.push_back("waiting " + std::to_string(arrival.rank));
                return std::int64_t{100} + arrival.rank;
            });
        transaction->commit();
        return told;
    }
    [[nodiscard]] int rows() { return connection_->database().execAndGet("SELECT count(*) FROM arrival").getInt(); }

    OneRun run_{2};
    std::unique_ptr<WriteConnection> connection_;
    std::unique_ptr<Arrivals> arrivals_;
};

TEST_F(ArrivalsTest, CompleteInOneTransactionTouchesNoTable) {
    take(0, 1, 5);
    take(1, 1, 8);
    EXPECT_THAT(settle(), ElementsAre("complete 0 row 0 last 8", "complete 1 row 0 last 8"));
    EXPECT_EQ(rows(), 0);
    EXPECT_THAT(settle(), IsEmpty());
}

TEST_F(ArrivalsTest, WaitingIsToldOnceAndOutlivesTheObject) {
    take(1, 1, 8);
    EXPECT_THAT(settle(), ElementsAre("waiting 1"));
    EXPECT_THAT(settle(), IsEmpty());
    EXPECT_EQ(rows(), 1);
    open();
    EXPECT_EQ(arrivals_->kept(), 1U);
    take(0, 1, 3);
    EXPECT_THAT(settle(), ElementsAre("complete 1 row 101 last 8", "complete 0 row 0 last 8"));
    EXPECT_EQ(rows(), 0);
    EXPECT_EQ(arrivals_->kept(), 0U);
}

TEST_F(ArrivalsTest, ARankThatCountsAnewLeavesTheOldOneUndivided) {
    take(0, 1, 5);
    take(0, 1, 50);
    EXPECT_THAT(settle(), ElementsAre("waiting 0", "waiting 0")) << "both have rows";
    EXPECT_EQ(rows(), 1);
    take(1, 1, 51);
    EXPECT_THAT(settle(), ElementsAre("complete 0 row 100 last 51", "complete 1 row 0 last 51"));
}

// One rank has died, and the other one goes on.
TEST_F(ArrivalsTest, WhatNeverCompletesIsBounded) {
    for (std::uint64_t c = 1; c <= Arrivals::kMostKept + 10; ++c) take(0, c, static_cast<Ns>(c));
    EXPECT_EQ(settle().size(), Arrivals::kMostKept + 10);
    EXPECT_EQ(arrivals_->kept(), Arrivals::kMostKept);
    EXPECT_EQ(rows(), static_cast<int>(Arrivals::kMostKept));
    EXPECT_EQ(connection_->database().execAndGet("SELECT min(collective) FROM arrival").getInt(), 11);
}

}  // namespace
}  // namespace dasgd::storage
