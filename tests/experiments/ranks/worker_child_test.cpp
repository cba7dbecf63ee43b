// A worker as the launcher starts it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <optional>
#include <set>
#include <tuple>

#include "core/backends/backend.h"
#include "experiments/base/process.h"
#include "experiments/config/checked_experiment.h"
#include "experiments/ranks/worker_process.h"
#include "experiments/run/launch/launcher.h"
#include "storage/read/workspace_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/processes.h"
#include "tests/support/runs.h"

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

// Threads under another name, registered from this file alone.
class BorrowedBackend final : public Backend {
public:
    explicit BorrowedBackend(const NoParams&)
        : threads_(BackendRegistry::find("threads")->create(Value(), {}).value()) {}
    [[nodiscard]] Layout layout(int ranks) const override { return threads_->layout(ranks); }
    [[nodiscard]] Status check(const Value& document, const ClusterParams& cluster) const override {
        return threads_->check(document, cluster);
    }
    [[nodiscard]] Result<std::unique_ptr<RankHost>> open(const HostRequest& request) const override {
        return threads_->open(request);
    }

private:
    std::unique_ptr<Backend> threads_;
};
const BackendRegistry::Add<BorrowedBackend> kBorrowedEntry{"borrowed", "threads, of a test"};

// A worker process of this test program, which is forked before the parent starts a thread and waits for its task.
class OwnWorker {
public:
    OwnWorker() {
        DASGD_CHECK(::pipe(task_) == 0 && ::pipe(report_) == 0);
        child_.emplace([this] {
            char runId[128] = {};
            DASGD_CHECK(::read(task_[0], runId, sizeof runId - 1) > 0);
            DASGD_CHECK(::dup2(report_[1], kReportDescriptor) == kReportDescriptor);
            const storage::WorkspacePaths paths{folder_ / "w"};
            runChild({.file = (paths.run(runId) / "experiment.toml").string(),
                      .workspace = paths.root.string(),
                      .runId = runId,
                      .origin = MonotonicClock::rawNow(),
                      .launcher = ::getppid()});
            return 1;
        });
        ::close(report_[1]);
    }
    [[nodiscard]] std::filesystem::path workspace() const { return folder_ / "w"; }
    // The exit status.
    int run(const std::string& runId) {
        DASGD_CHECK(::write(task_[1], runId.data(), runId.size()) == static_cast<ssize_t>(runId.size()));
        return child_->wait();
    }
    [[nodiscard]] std::vector<RankReport> reports() const {
        char text[4096];
        const ssize_t bytes = ::read(report_[0], text, sizeof text);
        return reportsFrom({text, bytes > 0 ? static_cast<std::size_t>(bytes) : 0});
    }

private:
    test::TempDir folder_;
    int task_[2] = {}, report_[2] = {};
    std::optional<test::ChildProcess> child_;
};

TEST(WorkerChild, TrainsOnABackendThatNoOtherFileKnows) {
    OwnWorker worker;
    const test::TempDir folder;
    test::writeText(folder / "e.toml", test::quickExperiment("borrowed"));
    const auto checked = loadExperiments((folder / "e.toml").string(), {});
    ASSERT_TRUE(checked) << checked.error().message;
    auto store = storage::Store::open(worker.workspace());
    ASSERT_TRUE(store) << store.error().message;
    storage::RunInfo info = describeRun(checked->front(), {});
    info.runId = store->newRunId(info.algorithm);
    ASSERT_TRUE(store->addRun(info));
    ASSERT_TRUE(writeRunFiles(store->paths(), info, {}));
    ASSERT_TRUE(RunControl::create(store->paths().control(info.runId), info.workers));
    const Layout& layout = checked->front().layout;
    auto recorder = storage::Recorder::start(*store, info.runId, {0, 1}, layout.journals());
    ASSERT_TRUE(recorder) << recorder.error().message;

    EXPECT_EQ(worker.run(info.runId), 0);
    ASSERT_TRUE((*recorder)->finish("finished", ""));
    EXPECT_THAT(worker.reports(), ::testing::SizeIs(2));
    auto reader = storage::WorkspaceReader::open(worker.workspace());
    ASSERT_TRUE(reader) << reader.error().message;
    const storage::RunRow row = reader->runs().detail(info.runId)->row;
    EXPECT_EQ(row.backend, "borrowed");
    EXPECT_EQ(row.steps, 30);
    EXPECT_GT(row.bytesSent, 0);
    for (const int rank : {0, 1}) {
        const auto losses = reader->metrics().samples({.runId = info.runId, .name = "train/loss", .rank = rank});
        EXPECT_EQ(losses->samples.size(), 30U) << "rank " << rank;
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
    auto reader = storage::WorkspaceReader::open(workspace);
    EXPECT_TRUE(reader);
    const auto takeSpan = [&](const storage::SpanRow& row) {
        const Span& span = row.span;
        all.spans.emplace(row.rank, static_cast<int>(span.lane), static_cast<int>(span.kind), span.step, span.start,
                          span.end, span.collective);
        return true;
    };
    EXPECT_TRUE(reader->spans().each(run, takeSpan));
    for (const test::MetricRow& metric : test::metricRows({workspace}, run)) {
        all.metrics.emplace(metric.name, metric.rank, metric.step, metric.wall, metric.value);
    }
    all.row = reader->runs().detail(run)->row;
    return all;
}

// Ranks that never wait for each other: one is half as fast, and no number of the run may be the fast one's.
TEST(VirtualRun, OfRanksThatRunApartHasTheThroughputOfAll) {
    const test::DasgdFolder folder;
    std::string text = virtualExperiment(200) + "rank_factors = [1, 2]\n";
    folder.write("e.toml", text);
    const test::Ended ended =
        folder.run({"run", "e.toml", "-w", "w", "-q", "--set", "algorithm={name=\"independent\"}"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    auto reader = storage::WorkspaceReader::open(folder.workspace());
    const storage::RunRow row = *reader->runs().row(folder.firstRun());
    const double batch = static_cast<double>(row.samples) / 200 / 2;
    const double expected = batch / 0.003 * 1.5;
    EXPECT_NEAR(row.samplesPerS.value(), expected, 1e-6 * expected);
    EXPECT_NEAR(row.stepMs.value(), 3 / 0.75, 1e-6);
    const auto points =
        reader->metrics().samples({.runId = folder.firstRun(), .name = "throughput/samples_per_s"})->samples;
    EXPECT_GT(points.size(), 20U);
    for (const auto& point : points) EXPECT_NEAR(point.value, expected, 1e-6 * expected) << "at step " << point.step;
    const auto own =
        reader->metrics().samples({.runId = folder.firstRun(), .name = "timing/samples_per_s", .rank = 1})->samples;
    ASSERT_FALSE(own.empty());
    EXPECT_NEAR(own.back().value, batch / 0.006, 1e-6 * expected);
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
    EXPECT_TRUE(one.row.timeSimulated);
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
        return reader && !run.empty() && reader->detail(run) ? reader->detail(run)->row.steps : 0;
    };
    ASSERT_TRUE(test::eventually([&] { return steps() > 100; }));
    program.signal(SIGINT);
    EXPECT_EQ(program.wait().exit, 130);
    auto reader = storage::WorkspaceReader::open(folder.workspace());
    EXPECT_EQ(reader->runs().detail(folder.firstRun())->row.status, "stopped");
    std::set<std::int64_t> last;
    for (const int rank : {0, 1}) {
        last.insert(reader->metrics()
                        .samples({.runId = folder.firstRun(), .name = "train/loss", .rank = rank})
                        ->samples.back()
                        .step);
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
