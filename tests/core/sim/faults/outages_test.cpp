// Effects of failures on algorithms: how long the rank that fails takes, whom it holds up, and what stays as it was.
#include "core/sim/faults/outages.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <numeric>

#include "core/cost/cost.h"
#include "tests/support/in_child_process.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kRanks = 4;
constexpr double kOutageStep = 0.020;
constexpr std::int64_t kSteps = 40;
// LeNet by ring among 4 over the gigabit star.
const double kReduce = ringAllReduceSeconds({.alpha = kLatency, .beta = 1 / kBytesPerSecond}, 61'706 * 4, kRanks);

Value timeOnly(Fields algorithm) {
    return table(
        {{"algorithm", table(std::move(algorithm))},
         {"model", table({{"name", text("lenet")}})},
         {"train", table({{"steps", integer(kSteps)}, {"batch_size", integer(8)}})},
         {"cluster", table({{"backend", text("virtual")}, {"workers", integer(kRanks)}})},
         {"network", gigabit()},
         {"compute",
          table({{"mode", text("time-only")}, {"step_time", text("20ms")}, {"memory_bandwidth", text("1000TB/s")}})}});
}

const Fields kIndependent{{"name", text("independent")}};
const Fields kLocalSgd{{"name", text("local_sgd")}, {"period", integer(4)}};
// A rank that is late by less than 3 steps less the all-reduce holds nobody up.
const Fields kDasgd{{"name", text("dasgd")}, {"period", integer(4)}, {"delay", integer(3)}};

Value failing(Value document, const char* key, const std::vector<std::vector<double>>& rows) {
    document.set("faults", table({{key, matrix(rows)}}));
    return document;
}

// Simulated seconds at which the rank's last compute span ended.
double endOf(const RankRecord& record) {
    Ns end = 0;
    for (const Span& span : record.sink.spans) end = std::max(end, span.kind == SpanKind::Update ? span.end : 0);
    return seconds(end);
}
double blocked(const RankRecord& record) { return seconds(overlapOf(record).blocked); }

// Seconds of each rank, from a run in a process of its own.
struct Times {
    std::vector<double> end, blocked;
};
Times timesOf(const Value& document) {
    const auto numbers = inChildProcess([&] {
        std::vector<double> all;
        for (const RankRecord& record : trainVirtually(document)) {
            all.push_back(endOf(record));
            all.push_back(blocked(record));
        }
        return all;
    });
    Times times;
    for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
        times.end.push_back(numbers[i]);
        times.blocked.push_back(numbers[i + 1]);
    }
    return times;
}

TEST(Outages, AHostStandsStillForAsLongAsItIsOut) {
    const auto records = trainVirtually(failing(timeOnly(kIndependent), "hosts", {{1, 0.105, 1}}));
    for (int rank = 0; rank < kRanks; ++rank) {
        const RankRecord& record = records[static_cast<std::size_t>(rank)];
        EXPECT_EQ(record.outcome.error, "");
        EXPECT_NEAR(endOf(record), kSteps * kOutageStep + (rank == 1 ? 1 : 0), 1e-9) << rank;
        ASSERT_EQ(record.faults.size(), rank == 1 ? 2U : 0U);
    }
    EXPECT_TRUE(records[1].faults[0].down && !records[1].faults[1].down);
    EXPECT_EQ(records[1].faults[0].at, 0.105);
    EXPECT_EQ(records[1].faults[1].at, 1.105);
    // The step that it was in took a second longer, no other did.
    std::vector<double> lengths;
    Ns begin = 0;
    for (const Span& span : records[1].sink.spans) {
        if (span.kind == SpanKind::Update) lengths.push_back(seconds(span.end - std::exchange(begin, span.end)));
    }
    EXPECT_NEAR(lengths[5], kOutageStep + 1, 1e-8);
    EXPECT_NEAR(lengths[6], kOutageStep, 1e-8);
}

TEST(Outages, LocalSgdWaitsForTheHostThatIsOut) {
    const Times quiet = timesOf(timeOnly(kLocalSgd));
    const Times hit = timesOf(failing(timeOnly(kLocalSgd), "hosts", {{2, 0.03, 0.7}}));
    for (const std::size_t rank : {0U, 1U, 3U}) {
        EXPECT_NEAR(hit.blocked[rank] - quiet.blocked[rank], 0.7, 1e-6) << rank;
    }
    EXPECT_NEAR(hit.blocked[2], quiet.blocked[2], 1e-6) << "it finds the others waiting";
}

// A2.11 with an outage instead of a slow step.
TEST(Outages, DasgdTakesNoNoticeOfOneThatItsDelayCovers) {
    const double spare = 3 * kOutageStep - kReduce;
    const Times quiet = timesOf(timeOnly(kDasgd));
    const Times hit = timesOf(failing(timeOnly(kDasgd), "hosts", {{2, 0.031, 0.9 * spare}}));
    for (const std::size_t rank : {0U, 1U, 3U}) {
        EXPECT_EQ(hit.end[rank], quiet.end[rank]) << rank;
        EXPECT_EQ(hit.blocked[rank], 0) << rank;
    }
    EXPECT_NEAR(hit.end[2] - quiet.end[2], 0.9 * spare, 1e-8);
}

TEST(Outages, DasgdWaitsForWhatItsDelayDoesNotCover) {
    const double spare = 3 * kOutageStep - kReduce;
    const Times hit = timesOf(failing(timeOnly(kDasgd), "hosts", {{2, 0.031, spare + 0.010}}));
    for (const std::size_t rank : {0U, 1U, 3U}) EXPECT_NEAR(hit.blocked[rank], 0.010, 2e-6) << rank;
}

// The first all-reduce begins at 80 ms; the link fails while it is under way.
TEST(Outages, ALinkStallsWhatIsOnItAndNothingElse) {
    const Times quiet = timesOf(timeOnly(kLocalSgd));
    const Times hit = timesOf(failing(timeOnly(kLocalSgd), "links", {{0, 0.0803, 0.5}}));
    const double chunk = kReduce / 6;  // one round's message, which starts again
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
        const double longer = hit.blocked[rank] - quiet.blocked[rank];
        EXPECT_GT(longer, 0.5) << rank;
        EXPECT_LT(longer, 0.5 + chunk) << rank;
    }
    const Times computing = timesOf(failing(timeOnly(kLocalSgd), "links", {{0, 0.085, 0.05}}));
    EXPECT_EQ(computing.end[0], quiet.end[0]) << "over before the next all-reduce";
}

TEST(Outages, TheOthersRunIntoTheDeadlineWhenAHostIsGone) {
    Value document = failing(timeOnly(kLocalSgd), "hosts", {{2, 0.105}});
    document.find("cluster")->set("timeout_s", number(5));
    const auto records = trainVirtually(document);
    EXPECT_THAT(records[0].outcome.error,
                AllOf(HasSubstr("all_reduce"), HasSubstr("did not end within 5000 ms of simulated time"),
                      HasSubstr("rank 2: its host failed at 0.105 s and does not come back"),
                      HasSubstr("rank 1 waits (rank 1: all_reduce"), HasSubstr("rank 2 stands still")));
    EXPECT_THAT(records[2].outcome.error,
                HasSubstr("its host failed at 0.105 s and does not come back (after step 5)"));
    EXPECT_EQ(records[2].outcome.step, 5);
    EXPECT_EQ(records[0].outcome.step, 8) << "its second round's average never comes";
    EXPECT_NEAR(endOf(records[0]), 8 * kOutageStep + kReduce, 1e-6) << "all that happened before is kept";
}

TEST(Outages, WhoNeedsNobodyGoesOnWithoutADeadHost) {
    const auto records = trainVirtually(failing(timeOnly(kIndependent), "hosts", {{2, 0.105}, {3, 0.2}}));
    for (const std::size_t rank : {0U, 1U}) {
        EXPECT_EQ(records[rank].outcome.error, "");
        EXPECT_NEAR(endOf(records[rank]), kSteps * kOutageStep, 1e-9);
    }
    EXPECT_THAT(records[2].outcome.error, HasSubstr("its host failed at 0.105 s"));
    EXPECT_THAT(records[3].outcome.error, HasSubstr("its host failed at 0.2 s"));
}

TEST(Outages, AllMayDieAtOnce) {
    const auto records = trainVirtually(failing(timeOnly(kDasgd), "hosts", {{0, 0.1}, {1, 0.1}, {2, 0.1}, {3, 0.1}}));
    for (const RankRecord& record : records) EXPECT_THAT(record.outcome.error, HasSubstr("its host failed at 0.1 s"));
}

TEST(Outages, ADeadLinkIsNamedToo) {
    Value document = failing(timeOnly(kDasgd), "links", {{1, 0.1}});
    document.find("cluster")->set("timeout_s", number(5));
    EXPECT_THAT(trainVirtually(document)[3].outcome.error,
                HasSubstr("rank 1: its link failed at 0.1 s and does not come back"));
}

TEST(Outages, ContentionDoesNotMakeThemLongerOrShorter) {
    Value document = timeOnly(kIndependent);
    document.find("compute")->set("contention", number(0.5));
    const auto records = trainVirtually(failing(document, "hosts", {{1, 0.105, 1}, {1, 1.2, 0.5}}));
    EXPECT_NEAR(endOf(records[1]), kSteps * kOutageStep + 1.5, 1e-6);
}

// An error handler may run work after the host has failed; it must take no time and not fail once more.
TEST(Outages, AHostThatIsGoneTakesNoTimeAnyMore) {
    ComputeParams compute;
    compute.contention = 0.5;
    std::string heard;
    Ns other = 0;
    onVirtualCluster("star", gigabit(),
                     {.ranks = 2,
                      .compute = compute,
                      .times = {.forward = 0.010, .update = 0.001},
                      .faults = FaultParams{.hosts = {{0, 0.005}}}},
                     [&](VirtualRank& rank) {
                         try {
                             rank.simulatedTime.charge(SpanKind::Forward, 0);
                         } catch (const CommError& error) {
                             heard = error.what();
                         }
                         rank.simulatedTime.charge(SpanKind::Update, 0);
                         if (rank.comm.rank() == Rank{1}) other = rank.clock.now();
                     });
    EXPECT_THAT(heard, HasSubstr("its host failed at 0.005 s"));
    EXPECT_EQ(other, 11'000'000);
}

TEST(Outages, ByFormulaACollectiveRestsWhileSomebodyIsOut) {
    Value document = timeOnly(kLocalSgd);
    document.find("network")->set("fidelity", text("formula"));
    const Times quiet = timesOf(document);
    const Times hit = timesOf(failing(document, "links", {{2, 0.0803, 0.5}, {1, 0.4, 0.3}}));
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
        EXPECT_NEAR(hit.blocked[rank] - quiet.blocked[rank], 0.6197, 1e-6) << "from 80.3 ms to 700 ms";
    }
}

// Seconds at which a message of 10 MB, 80 ms, from rank 0 to rank 1 arrives that is sent at once.
double arrival(const FaultParams& faults) {
    return inChildProcess([&] {
        std::vector<double> arrived;
        onVirtualCluster("star", gigabit(), {.ranks = 3, .faults = faults}, [&](VirtualRank& rank) {
            if (rank.comm.rank() == Rank{2}) return;
            at::Tensor tensor = torch::ones({2'500'000});
            const bool sends = rank.comm.rank() == Rank{0};
            Pending pending = sends ? rank.comm.send(tensor, Rank{1}, 0) : rank.comm.receive(tensor, Rank{0}, 0);
            pending.wait();
            if (!sends) arrived.push_back(seconds(pending.interval()->end));
        });
        return arrived;
    })[0];
}

TEST(Outages, AMessageGoesOnWhereItsHostLeftIt) {
    // 30 ms of it have been sent; the rest takes its latency once more.
    EXPECT_NEAR(arrival({.hosts = {{1, 0.030, 1}}}), 1.080 + 2 * kLatency, 1e-6);
    EXPECT_NEAR(arrival({.hosts = {{2, 0.030, 1}}}), 0.080 + kLatency, 1e-6) << "not its way";
}

TEST(Outages, AMessageStartsAgainAfterItsLinkFailed) {
    EXPECT_NEAR(arrival({.links = {{0, 0.030, 1}}}), 1.030 + 0.080 + kLatency, 1e-6);
    EXPECT_NEAR(arrival({.hosts = {{1, 0.020, 1}}, .links = {{0, 0.030, 0.1}}}), 1.020 + 0.080 + kLatency, 1e-6)
        << "what had come through is lost, even if the host was out by then";
    EXPECT_NEAR(arrival({.links = {{0, 0, 0.5}}}), 0.580 + kLatency, 1e-6) << "does not leave before";
}

TEST(Outages, AddingUpRestsWithItsHost) {
    NetworkParams network;
    network.reduceRate = "1GB/s";
    const auto took = [&](const std::optional<FaultParams>& faults) {
        return inChildProcess([&] {
            std::vector<double> ends;
            onVirtualCluster("star", gigabit(), {.ranks = 2, .network = network, .faults = faults},
                             [&](VirtualRank& rank) {
                                 at::Tensor tensor = torch::ones({2'500'000});
                                 Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
                                 pending.wait();
                                 ends.push_back(seconds(pending.interval()->end));
                             });
            return ends;
        });
    };
    // 5 MB arrive after 40 ms and are added up for 5 ms.
    EXPECT_NEAR(took(FaultParams{.hosts = {{0, 0.042, 1}}})[0] - took(std::nullopt)[0], 1, 1e-6);
}

}  // namespace
}  // namespace dasgd::test
