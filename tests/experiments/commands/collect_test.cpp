// `dasgd collect`: by hand, with `dasgd forward` at the other end. Over ssh: tests/experiments/cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "experiments/base/errors.h"
#include "experiments/transport/curve/run_secret.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class CollectCommand : public ::testing::Test {
protected:
    [[nodiscard]] test::StartedProgram start(const std::vector<std::string>& arguments) const {
        return folder_.start(arguments, {{RunSecret::kVariable, secret_}});
    }
    [[nodiscard]] test::Ended run(const std::vector<std::string>& arguments) const { return start(arguments).wait(); }
    // Endpoint at which the collector listens, from its first line of output.
    [[nodiscard]] std::string endpointOf(const test::StartedProgram& collector) const {
        std::string endpoint;
        EXPECT_TRUE(test::eventually([&] {
            const auto line = nlohmann::json::parse(collector.output(), nullptr, false);
            if (line.is_object()) endpoint = line.value("endpoint", "");
            return !endpoint.empty();
        }));
        return endpoint;
    }
    // A journal of rank 1 in the workspace "there", as on another host.
    void recordThere(std::int64_t steps) const {
        const storage::WorkspacePaths there{folder_.path() / "there"};
        test::orDie(storage::prepareWorkspace(there.root));
        std::filesystem::create_directories(there.run(home_.runId));
        const auto journal = test::newJournal(there.journal(home_.runId, 1));
        for (std::int64_t step = 0; step < steps; ++step) journal->span({.step = step, .start = step, .end = step + 1});
        journal->state(RankState::Failed, steps, "rank 0 did not answer");
    }
    [[nodiscard]] std::string home() const { return home_.store.paths().root.string(); }

    test::DasgdFolder folder_;
    test::OneRun home_{2};
    const std::string secret_ = RunSecret::make().value().hex();
};

TEST_F(CollectCommand, TakesInWhatAForwarderSendsAfterTheRunHasEnded) {
    home_.finish("interrupted", "the process that ran it died");
    recordThere(500);
    test::StartedProgram collector =
        start({"collect", home_.runId, "--rank", "1", "--rank", "1", "-w", home(), "--json"});
    const std::string endpoint = endpointOf(collector);
    const test::Ended sent = run({"forward", home_.runId, "--rank", "1", "--to", endpoint, "-w", "there"});
    EXPECT_EQ(sent.exit, kFinished) << sent.err;
    const test::Ended ended = collector.wait();
    EXPECT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("\"collected\":[1]"));
    std::int64_t spans = 0;
    auto reader = home_.reader();
    test::orDie(
        reader.spans().each(home_.runId, [&](const storage::SpanRow& row) { return ++spans > 0 && row.rank == 1; }));
    EXPECT_EQ(spans, 500);
}

TEST_F(CollectCommand, SaysWhoseRecordsDidNotCome) {
    home_.finish("interrupted", "the process that ran it died");
    const test::Ended ended = run({"collect", home_.runId, "--rank", "1", "-w", home(), "--patience", "0.3"});
    EXPECT_EQ(ended.exit, kRunFailed);
    EXPECT_THAT(ended.out, HasSubstr("dasgd forward " + home_.runId + " --rank K --to tcp://127.0.0.1:"));
    EXPECT_THAT(ended.out, HasSubstr("the records of 0 of 1 ranks are complete"));
    EXPECT_THAT(ended.err, HasSubstr("not all that rank 1 recorded has come"));
}

TEST_F(CollectCommand, RefusesWhatItCannotDo) {
    EXPECT_THAT(run({"collect"}).err, HasSubstr("RUN and --rank say what is to be collected, or --on NAME"));
    EXPECT_THAT(run({"collect", home_.runId, "--rank", "1", "-w", home()}).err, HasSubstr("is queued"));
    home_.finish();
    EXPECT_THAT(folder_.run({"collect", home_.runId, "--rank", "1", "-w", home()}).err,
                HasSubstr("DASGD_SECRET is not set"));
    EXPECT_THAT(run({"collect", "--on", "nothing"}).err, HasSubstr("nothing"));
}

}  // namespace
}  // namespace dasgd::experiments
