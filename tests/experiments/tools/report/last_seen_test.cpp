#include "experiments/tools/report/last_seen.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace dasgd::experiments {
namespace {

TEST(LastSeenTest, SaysWhereARankWasAndInWhichOperation) {
    storage::RankLastSeen rank{.rank = 2, .host = "node2", .state = "running", .step = 117, .newest = 13'000'000'000};
    EXPECT_EQ(lastSeenText(rank), "on node2: running at step 117; last record at 13.000 s");
    rank.last = RankSpan{2,
                         {.lane = Lane::Comm,
                          .kind = SpanKind::Transfer,
                          .step = 116,
                          .start = 12'000'000'000,
                          .end = 12'340'000'000,
                          .collective = 351}};
    EXPECT_EQ(lastSeenText(rank), "on node2: running at step 117; last transfer 351 of step 116, until 12.340 s");
    const nlohmann::json json = toJson(rank);
    EXPECT_EQ(json["operation"]["collective"], 351);
    EXPECT_EQ(json["operation"]["end_s"], 12.34);
    EXPECT_EQ(json["text"], nullptr);
    rank.state = "failed";
    rank.text = "the deadline passed";
    rank.last->span.collective = 0;
    rank.last->span.kind = SpanKind::Forward;
    EXPECT_EQ(lastSeenText(rank),
              "on node2: failed at step 117 (the deadline passed); last forward of step 116, until 12.340 s");
}

TEST(LastSeenTest, ARankThatWasNeverHeardOfIsSaid) {
    EXPECT_EQ(lastSeenText({.rank = 1}), "nothing was heard of it");
    const nlohmann::json json = toJson(storage::RankLastSeen{.rank = 1});
    EXPECT_EQ(json["state"], nullptr);
    EXPECT_EQ(json["operation"], nullptr);
}

}  // namespace
}  // namespace dasgd::experiments
