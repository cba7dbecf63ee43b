#include "experiments/transport/records/record_intake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "core/journal/record_frame.h"
#include "experiments/transport/curve/curve_client.h"
#include "experiments/transport/curve/curve_server.h"
#include "tests/support/forwarding.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The collector of rank 1 of "run-a", and who has the key.
class RecordIntakeTest : public ::testing::Test {
protected:
    Parts ask(const Parts& request) { return speaker_.ask(request, milliseconds(10'000)).value_or(Parts{"silence"}); }

    test::ForwardedRun run_;
    test::AwayCollector collector_{run_};
    CurveClient speaker_{collector_.server->endpoint(), run_.secret};
};

TEST_F(RecordIntakeTest, SaysWhatIsWanted) {
    EXPECT_THAT(collector_.server->endpoint(), StartsWith("tcp://127.0.0.1:"));
    EXPECT_THAT(ask({"h", "1", "run-a"}), ElementsAre("w", "0", "0", "0")) << "nobody collects yet";
    collector_.collect();
    EXPECT_THAT(ask({"h", "1", "run-a"}), ElementsAre("y", "1", "0", "0"));
    std::string frame;
    appendRecord(frame, {.type = EventRecord::Type::Metric, .sequence = 1, .metric = {.name = "train/loss"}});
    EXPECT_THAT(ask({"r", "1", "2", "0", frame}), ElementsAre("y", "1", "0", "0")) << "of another round";
    EXPECT_THAT(ask({"r", "1", "1", "0", frame}), ElementsAre("y", "1", "1", "0"));
    EXPECT_THAT(ask({"r", "1", "1", "0", frame}), ElementsAre("y", "1", "1", "0")) << "once more: taken once";
    EXPECT_THAT(ask({"e", "1", "1", "1", ""}), ElementsAre("y", "1", "1", "0")) << "not committed";
    collector_.collectAll();
    EXPECT_EQ(ask({"h", "1", "run-a"}).front(), "d");
    EXPECT_EQ(test::metricRows(run_.paths(), run_.home.runId).size(), 1U);
    EXPECT_EQ(collector_.server->refused(), 0);
}

TEST_F(RecordIntakeTest, GarbageFromWhoeverHasTheKeyCostsNothing) {
    collector_.collect();
    const long before = test::residentKiB();
    std::mt19937 random(1);
    constexpr int kGarbage = 6000;
    for (int i = 0; i < kGarbage; ++i) {
        std::string bytes(1 + random() % 2000, '\0');
        for (char& byte : bytes) byte = static_cast<char>(random());
        const std::string round = std::to_string(random() % 3), after = std::to_string(random() % 3);
        const Parts request = i % 3 == 0   ? Parts{bytes}
                              : i % 3 == 1 ? Parts{i % 2 ? "r" : "h", "1", round, after, bytes}
                                           : Parts{bytes, bytes, "1", "-1", ""};
        ASSERT_EQ(ask(request).front(), "x") << i;
    }
    EXPECT_EQ(collector_.server->refused(), kGarbage);
    EXPECT_LT(test::residentKiB() - before, 50'000);
    collector_.collect();
    EXPECT_EQ(test::metricRows(run_.paths(), run_.home.runId).size(), 0U);
    EXPECT_EQ(ask({"h", "1", "run-a"}).front(), "y");
}

TEST_F(RecordIntakeTest, SharesAServerWithFiles) {
    RecordIntake records("run-a", {});
    const auto server = serveIntake("127.0.0.1", 0, run_.secret, records, [](const Parts& request) {
                            return answerOf(kYes, request.front());
                        }).value();
    CurveClient speaker(server->endpoint(), run_.secret);
    EXPECT_THAT(speaker.ask({"P"}, milliseconds(10'000)).value(), ElementsAre("y", "P"));
    EXPECT_EQ(speaker.ask({"h", "1", "run-a"}, milliseconds(10'000)).value().front(), "x") << "a rank of none";
}

TEST_F(RecordIntakeTest, WhatCannotBeBoundToIsAnError) {
    const auto server = serveIntake("192.0.2.1", 0, run_.secret, collector_.intake);
    ASSERT_FALSE(server);
    EXPECT_THAT(server.error().message, HasSubstr("cannot listen on 192.0.2.1"));
}

TEST_F(RecordIntakeTest, OtherRanksAndOtherRunsAreRefused) {
    collector_.collect();
    for (const Parts& request : {Parts{"h", "0", "run-a"}, Parts{"h", "1", "run-b"}, Parts{"h", "4294967297", "run-a"},
                                 Parts{"h", "1"}, Parts{"r", "1", "1", "-1", ""}, Parts{"", "1", "run-a"}}) {
        EXPECT_EQ(ask(request).front(), "x") << request.front();
    }
    EXPECT_EQ(collector_.server->refused(), 6);
}

}  // namespace
}  // namespace dasgd::experiments
