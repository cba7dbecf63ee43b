#include "experiments/transport/records/record_forwarder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <thread>

#include "tests/support/forwarding.h"
#include "tests/support/free_port.h"
#include "tests/support/processes.h"
#include "tests/support/tcp_link.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

// Spans and metrics of rank 1 are those of steps 0 to `steps` − 1, once each, in order.
void expectEveryStepOnce(const test::ForwardedRun& run, std::int64_t steps) {
    storage::WorkspaceReader reader = run.home.reader();
    std::int64_t spans = 0, wrong = 0;
    test::orDie(reader.spans().each(run.home.runId, [&](const storage::SpanRow& row) {
        wrong += row.span.step != spans || row.rank != test::ForwardedRun::kAway;
        return ++spans > 0;
    }));
    std::int64_t metrics = 0;
    for (const test::MetricRow& row : test::metricRows(run.paths(), run.home.runId)) {
        wrong += row.step != metrics || row.rank != test::ForwardedRun::kAway;
        ++metrics;
    }
    EXPECT_EQ(spans, steps);
    EXPECT_EQ(metrics, steps);
    EXPECT_EQ(wrong, 0);
}

TEST(RecordForwarder, BringsAllOfAJournalAndRemovesIt) {
    test::ForwardedRun run;
    test::AwayCollector collector(run);
    constexpr std::int64_t kSteps = 5000;
    Status sent;
    std::thread forwarder([&] {
        const std::atomic<bool> stop{false};
        sent = forwardJournal(run.task(collector.server->endpoint()), run.secret, stop);
    });
    {
        const auto journal = test::newJournal(run.journal(), {.segmentRecords = 256});
        for (std::int64_t step = 0; step < kSteps; ++step) {
            test::writeForwardedStep(*journal, step);
            if (step % 1000 == 0) collector.collect();
        }
    }
    collector.collectAll();
    collector.intake.sayDone(milliseconds(10'000));
    forwarder.join();
    EXPECT_TRUE(sent) << sent.error().message;
    EXPECT_FALSE(std::filesystem::exists(run.journal()));
    expectEveryStepOnce(run, kSteps);
}

TEST(RecordForwarder, UsedSegmentsAreGivenBackWhileItGoesOn) {
    test::ForwardedRun run;
    test::AwayCollector collector(run);
    std::atomic<bool> stop{false};
    std::thread forwarder(
        [&] { static_cast<void>(forwardJournal(run.task(collector.server->endpoint()), run.secret, stop)); });
    const auto journal = test::newJournal(run.journal(), {.segmentRecords = 64});
    for (std::int64_t step = 0; step < 3000; ++step) test::writeForwardedStep(*journal, step);
    const auto segments = [&] {
        std::ptrdiff_t count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(run.journal())) {
            count += entry.path().extension() == ".seg";
        }
        return count;
    };
    EXPECT_GT(segments(), 50);
    EXPECT_TRUE(test::eventually([&] {
        collector.collect();
        return segments() < 6;
    }));
    stop = true;
    forwarder.join();
}

TEST(RecordForwarder, WithoutACollectorTheJournalKeepsEverything) {
    test::ForwardedRun run;
    {
        const auto journal = test::newJournal(run.journal());
        for (std::int64_t step = 0; step < 100; ++step) test::writeForwardedStep(*journal, step);
    }
    const std::atomic<bool> stop{false};
    const std::string nobody = "tcp://127.0.0.1:" + std::to_string(test::freePort());
    const Status sent = forwardJournal(run.task(nobody, milliseconds(300)), run.secret, stop);
    ASSERT_FALSE(sent);
    EXPECT_THAT(sent.error().message, HasSubstr("does not answer; what rank 1 recorded is kept in"));
    test::AwayCollector collector(run);
    std::thread again([&] { EXPECT_TRUE(forwardJournal(run.task(collector.server->endpoint()), run.secret, stop)); });
    collector.collectAll();
    collector.intake.sayDone(milliseconds(10'000));
    again.join();
    expectEveryStepOnce(run, 100);
}

TEST(RecordForwarder, WithoutAJournalItEnds) {
    const test::ForwardedRun run;
    const std::atomic<bool> stop{false};
    ForwardTask task = run.task("tcp://127.0.0.1:" + std::to_string(test::freePort()), milliseconds(300));
    const Status none = forwardJournal(task, run.secret, stop);
    ASSERT_FALSE(none) << "a rank that never began, of a run whose collector is gone";
    EXPECT_THAT(none.error().message, HasSubstr("does not answer"));
    task.patience = milliseconds(600'000);
    task.begun = true;
    EXPECT_TRUE(forwardJournal(task, run.secret, stop)) << "another forwarder has sent it";
}

TEST(RecordForwarder, WhatCannotBeReadIsToldToTheCollector) {
    test::ForwardedRun run;
    {
        const auto journal = test::newJournal(run.journal());
        for (std::int64_t step = 0; step < 100; ++step) journal->span({.step = step});
    }
    {
        std::fstream file(run.journal() / "0000000000.seg", std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(64 * 51 + 20);
        file.put('\x55');
    }
    test::AwayCollector collector(run);
    const std::atomic<bool> stop{false};
    std::thread forwarder(
        [&] { static_cast<void>(forwardJournal(run.task(collector.server->endpoint()), run.secret, stop)); });
    EXPECT_TRUE(test::eventually([&] {
        collector.collect();
        return collector.stream->hasEnded();
    }));
    storage::StreamSource source(collector.stream);
    EXPECT_THAT(source.damage(), HasSubstr("the journal of rank 1 is damaged after record 50"));
    collector.collectAll();
    collector.intake.sayDone(milliseconds(10'000));
    forwarder.join();
    EXPECT_TRUE(std::filesystem::exists(run.journal())) << "a damaged journal stays for a person";
}

// Both ends and the link between them are processes that are killed again and again while a rank writes.
TEST(RecordForwarderKills, NothingIsLostOrDoubled) {
    test::ForwardedRun run;
    run.home.journals.clear();  // their writers are threads, beside which nothing may be forked
    const int collectorPort = test::freePort(), linkPort = test::freePort();
    test::SharedCounter written, over;
    test::ChildProcess writer([&] {
        const auto journal = test::newJournal(run.journal(), {.segmentRecords = 1024});
        for (std::int64_t step = 0; over.get() == 0; ++step) {
            test::writeForwardedStep(*journal, step);
            written.set(step + 1);
            if (step % 20 == 0) std::this_thread::sleep_for(milliseconds(1));
        }
        return 0;
    });
    const auto collect = [&] {
        test::AwayCollector collector(run, collectorPort);
        collector.collectAll();
        collector.intake.sayDone(milliseconds(20'000));
        return 0;
    };
    const auto forward = [&] {
        const std::atomic<bool> stop{false};
        const auto task = run.task("tcp://127.0.0.1:" + std::to_string(linkPort));
        return forwardJournal(task, run.secret, stop) ? 0 : 1;
    };
    const auto link = [&] { return test::carryTcp(linkPort, collectorPort); };
    std::optional<test::ChildProcess> collector(collect), forwarder(forward), wire(link);
    std::mt19937 random(7);
    for (int kill = 0; kill < 50; ++kill) {
        std::this_thread::sleep_for(milliseconds(20 + random() % 120));
        switch (random() % 3) {
            case 0:
                collector.reset();
                collector.emplace(collect);
                break;
            case 1:
                forwarder.reset();
                forwarder.emplace(forward);
                break;
            default: wire.reset(); wire.emplace(link);
        }
    }
    over.set(1);
    EXPECT_EQ(writer.wait(), 0);
    EXPECT_EQ(forwarder->wait(), 0);
    EXPECT_EQ(collector->wait(), 0);
    EXPECT_GT(written.get(), 10'000);
    EXPECT_FALSE(std::filesystem::exists(run.journal()));
    expectEveryStepOnce(run, written.get());
}

}  // namespace
}  // namespace dasgd::experiments
