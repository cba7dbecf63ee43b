// A worker as the launcher starts it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <set>
#include <tuple>

#include "experiments/worker/worker_process.h"
#include "storage/run_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

TEST(WorkerChild, DoesNotOutliveALauncherThatIsGone) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment());
    const test::Ended ended =
        folder.run({"worker", "e.toml", "-w", "w", "--run", "r", "--rank", "0", "--origin", "1", "--launcher", "1"});
    EXPECT_EQ(ended.exit, 1);
    EXPECT_FALSE(folder.hasRuns());
}

TEST(WorkerChild, LogsWhichRankItWasAndHowItEnded) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment());
    ASSERT_EQ(folder.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    for (int rank = 0; rank < 2; ++rank) {
        const auto log =
            folder.workspace() / "runs" / folder.firstRun() / "logs" / ("rank-" + std::to_string(rank) + ".log");
        EXPECT_THAT(test::contentOf(log), ::testing::ContainsRegex("[0-9:]{8}[.][0-9]{3} info rank " +
                                                                   std::to_string(rank) + ": finished at step 30\n"));
    }
}

// Two ranks whose all-reduce (2 doubles, 16 bytes each way) takes 2 ms of latency, in steps of 3 ms.
std::string virtualExperiment(int steps = 30) {
    return test::quickExperiment("virtual", steps) +
           "[network]\nbandwidth = \"1Gbps\"\nlatency = \"1ms\"\n[compute]\nstep_time = \"3ms\"\n";
}

// Everything that a run recorded, in an order of its own.
struct Recorded {
    std::set<std::tuple<int, int, int, std::int64_t, Ns, Ns, std::uint64_t>> spans;
    std::set<std::tuple<std::string, int, std::int64_t, double, double>> metrics;
    storage::RunRow row;
};

Recorded recordedIn(const std::filesystem::path& workspace, const std::string& run) {
    Recorded all;
    auto reader = storage::RunReader::open(workspace);
    EXPECT_TRUE(reader);
    const auto takeSpan = [&](const storage::SpanRow& row) {
        const Span& span = row.span;
        all.spans.emplace(row.rank, static_cast<int>(span.lane), static_cast<int>(span.kind), span.step, span.start,
                          span.end, span.collective);
        return true;
    };
    EXPECT_TRUE(reader->eachSpan(run, takeSpan));
    const auto takeMetric = [&](const std::string& name, const storage::MetricSample& sample) {
        all.metrics.emplace(name, sample.rank, sample.step, sample.wallS, sample.value);
        return true;
    };
    EXPECT_TRUE(reader->eachMetric(run, takeMetric));
    all.row = reader->run(run)->row;
    return all;
}

TEST(VirtualRun, RepeatsToTheLastBitAndNanosecond) {
    const test::DasgdFolder first, second;
    for (const test::DasgdFolder* folder : {&first, &second}) {
        folder->write("e.toml", virtualExperiment());
        const test::Ended ended = folder->run({"run", "e.toml", "-w", "w", "-q"});
        ASSERT_EQ(ended.exit, 0) << ended.err;
    }
    const Recorded one = recordedIn(first.workspace(), first.firstRun());
    const Recorded two = recordedIn(second.workspace(), second.firstRun());
    EXPECT_EQ(one.spans, two.spans);
    EXPECT_EQ(one.metrics, two.metrics);
    EXPECT_EQ(one.row.backend, "virtual");
    EXPECT_TRUE(one.row.timeIsSimulated());
    EXPECT_EQ(one.row.steps, 30);
    // d·T_c = 6 ms hides T_m = 2 ms whole.
    EXPECT_EQ(one.row.hidden, 1.0);
    EXPECT_EQ(one.row.blockedS, 0.0);
    std::set<int> ranks;
    for (const auto& span : one.spans) ranks.insert(std::get<0>(span));
    EXPECT_EQ(ranks, (std::set<int>{0, 1}));
}

TEST(VirtualRun, StopsAllRanksAtOneStep) {
    const test::DasgdFolder folder;
    folder.write("e.toml", virtualExperiment(100'000'000));
    test::StartedProgram program = folder.start({"run", "e.toml", "-w", "w", "-q"});
    const auto steps = [&] {
        auto reader = storage::RunReader::open(folder.workspace());
        const std::string run = folder.firstRun();
        return reader && !run.empty() && reader->run(run) ? reader->run(run)->row.steps : 0;
    };
    ASSERT_TRUE(test::eventually([&] { return steps() > 100; }));
    program.signal(SIGINT);
    EXPECT_EQ(program.wait().exit, 130);
    auto reader = storage::RunReader::open(folder.workspace());
    EXPECT_EQ(reader->run(folder.firstRun())->row.status, "stopped");
    std::set<std::int64_t> last;
    for (const int rank : {0, 1}) {
        last.insert(
            reader->metrics({.runId = folder.firstRun(), .name = "train/loss", .rank = rank})->samples.back().step);
    }
    EXPECT_EQ(last.size(), 1U);
}

TEST(VirtualRun, FailsWithTheRankThatDiverged) {
    const test::DasgdFolder folder;
    folder.write("e.toml", virtualExperiment(2000));
    const test::Ended ended = folder.run({"run", "e.toml", "-w", "w", "-q", "--set", "optimizer.learning_rate=1e6"});
    EXPECT_EQ(ended.exit, 1);
    const Recorded all = recordedIn(folder.workspace(), folder.firstRun());
    EXPECT_EQ(all.row.status, "failed");
    EXPECT_THAT(all.row.error, HasSubstr("training loss of rank"));
}

TEST(VirtualRun, RefusesWhatDoesNotFitTogether) {
    const auto refused = [](const std::string& text) {
        const test::DasgdFolder folder;
        folder.write("e.toml", text);
        const test::Ended ended = folder.run({"run", "e.toml", "-w", "w", "-q"});
        EXPECT_EQ(ended.exit, 2);
        EXPECT_FALSE(folder.hasRuns());
        return ended.err;
    };
    EXPECT_THAT(refused(test::quickExperiment() + "[network]\nname = \"star\"\n"),
                HasSubstr("e.toml:21:2: [network] describes a virtual cluster, but the backend is 'gloo'"));
    EXPECT_THAT(refused(test::quickExperiment("virtual") + "link = { bandwidth = \"1Gbps\" }\n"),
                HasSubstr("a virtual cluster takes bandwidth and latency from [network]"));
    EXPECT_THAT(refused(virtualExperiment() + "forward_share = 2\n"), HasSubstr("e.toml:26:17"));
    EXPECT_THAT(refused(test::quickExperiment("virtual") + "[network]\nbandwidth = \"0Gbps\"\n"),
                HasSubstr("e.toml:22:13: bandwidth is \"0Gbps\""));
    EXPECT_THAT(
        refused(test::quickExperiment("virtual") + "[network]\ncollective = \"hierarchical\"\ngroup_size = 3\n"),
        HasSubstr("group"));
}

}  // namespace
}  // namespace dasgd::experiments
