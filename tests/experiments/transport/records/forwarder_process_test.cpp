#include "experiments/transport/records/forwarder_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <thread>

#include "storage/base/lock_wait.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/forwarding.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class ForwarderProcessTest : public ::testing::Test {
protected:
    ForwarderProcessTest() {
        ::setenv(RunSecret::kVariable, run_.secret.hex().c_str(), 1);
        // Journal and workspace are where the program looks for them.
        workspace_ = run_.there / "workspace";
        journal_ = storage::WorkspacePaths{workspace_}.journal(run_.home.runId, test::ForwardedRun::kAway);
    }
    ~ForwarderProcessTest() override { ::unsetenv(RunSecret::kVariable); }

    std::unique_ptr<ForwarderProcess> start(const std::string& endpoint) {
        return test::orDie(ForwarderProcess::start({.program = test::kProgram,
                                                    .workspace = workspace_,
                                                    .runId = run_.home.runId,
                                                    .rank = test::ForwardedRun::kAway,
                                                    .endpoint = endpoint,
                                                    .log = run_.there / "forward.log"}));
    }
    [[nodiscard]] std::size_t stored() const { return test::metricRows(run_.paths(), run_.home.runId).size(); }

    test::ForwardedRun run_;
    std::filesystem::path workspace_, journal_;
};

TEST_F(ForwarderProcessTest, IsStartedAgainWhenItIsKilledAndDeliversEverything) {
    test::AwayCollector collector(run_);
    const auto forwarder = start(collector.server->endpoint());
    auto journal = test::newJournal(journal_);
    for (std::int64_t step = 0; step < 100; ++step) test::writeForwardedStep(*journal, step);
    ASSERT_TRUE(test::eventually([&] {
        collector.collect();
        return stored() == 100;
    }));
    const pid_t first = forwarder->id();
    ::kill(first, SIGKILL);
    for (std::int64_t step = 100; step < 200; ++step) test::writeForwardedStep(*journal, step);
    ASSERT_TRUE(test::eventually([&] {
        collector.collect();
        return stored() == 200;
    }));
    EXPECT_NE(forwarder->id(), first);
    journal.reset();
    collector.collectAll();
    collector.intake.sayDone(milliseconds(10'000));
    const Status delivered = forwarder->awaitDelivery(milliseconds(10'000));
    EXPECT_TRUE(delivered) << delivered.error().message << test::contentOf(run_.there / "forward.log");
    EXPECT_FALSE(std::filesystem::exists(journal_));
    EXPECT_EQ(stored(), 200U);
}

// `dasgd collect --on` does the same: another forwarder takes the journal over, delivers and removes it.
TEST_F(ForwarderProcessTest, WhatAnotherForwarderDeliveredIsDelivered) {
    auto forwarder = start("tcp://127.0.0.1:1");
    {
        const auto journal = test::newJournal(journal_);
        for (std::int64_t step = 0; step < 100; ++step) test::writeForwardedStep(*journal, step);
    }
    const std::filesystem::path lock = journal_.string() + ".lock";
    const auto holders = [&] { return storage::flockHolders(lock); };
    ASSERT_TRUE(test::eventually([&] { return holders() == std::vector<int>{forwarder->id()}; }));
    test::AwayCollector collector(run_);
    test::StartedProgram other(run_.there.path(),
                               {"forward", run_.home.runId, "--rank", "1", "--to", collector.server->endpoint(), "-w",
                                workspace_.string(), "--instead", "--begun"},
                               {});
    collector.collectAll();
    collector.intake.sayDone(milliseconds(10'000));
    EXPECT_EQ(other.wait().exit, 0);
    const Status delivered = forwarder->awaitDelivery(milliseconds(20'000));
    EXPECT_TRUE(delivered) << delivered.error().message;
    EXPECT_TRUE(test::eventually([&] { return holders().empty(); })) << "nobody waits for the journal to come again";
    EXPECT_EQ(stored(), 100U);
}

TEST_F(ForwarderProcessTest, WhereNobodyCollectsThatIsSaid) {
    auto forwarder = start("tcp://127.0.0.1:1");
    test::newJournal(journal_)->span({.step = 1});
    const Status delivered = forwarder->awaitDelivery(milliseconds(500));
    ASSERT_FALSE(delivered);
    EXPECT_THAT(delivered.error().message, HasSubstr("not all that rank 1 recorded has reached the collector"));
    EXPECT_TRUE(std::filesystem::exists(journal_));
    const pid_t left = forwarder->id();
    forwarder.reset();
    EXPECT_EQ(::kill(left, 0), 0) << "it goes on until all is sent";
    ::kill(left, SIGKILL);
}

}  // namespace
}  // namespace dasgd::experiments
