#include "experiments/run/host/system_metrics.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <map>

#include "core/base/metric_names.h"
#include "storage/read/workspace_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using ::testing::Contains;
using ::testing::Not;

// Sink that keeps its metrics.
class Sink : public storage::Recorder {
public:
    struct Value {
        int rank = 0;
        Metric metric;
    };
    Result<storage::RanksEnd> finish(const std::string& status, const std::string& error) override {
        return storage::RanksEnd{status, error};
    }
    void endedElsewhere(int, const std::string&) override {}
    void measured(int rank, const Metric& metric) override {
        values.emplace(std::string(metric.name), Value{rank, metric});
    }
    [[nodiscard]] std::int64_t recordsStored() const override { return 0; }
    [[nodiscard]] std::string currentError() const override { return {}; }
    std::multimap<std::string, Value> values;
};

void compute(std::chrono::milliseconds cpuTime) {
    const double until = useOfProcess(::getpid())->cpuSeconds + std::chrono::duration<double>(cpuTime).count();
    while (useOfProcess(::getpid())->cpuSeconds < until) {
    }
}

TEST(SystemMetrics, AProcessThatComputesUsesCpuAndMemory) {
    const auto before = useOfProcess(::getpid());
    ASSERT_TRUE(before);
    std::vector<char> block(64 << 20, 'x');
    compute(std::chrono::milliseconds(50));
    const auto after = useOfProcess(::getpid());
    EXPECT_GE(after->cpuSeconds - before->cpuSeconds, 0.05);
    EXPECT_GE(after->memoryBytes - before->memoryBytes, static_cast<double>(block.size()) * 0.9);
    EXPECT_FALSE(useOfProcess(0x7fffffff));
}

TEST(SystemMetrics, AHostUsesAtLeastWhatOneOfItsProcessesDoes) {
    const auto before = useOfHost();
    ASSERT_TRUE(before);
    compute(std::chrono::milliseconds(100));
    // The kernel counts in ticks of 10 ms, of each processor apart.
    EXPECT_GE(useOfHost()->cpuSeconds - before->cpuSeconds, 0.05);
    EXPECT_GE(useOfHost()->memoryBytes, useOfProcess(::getpid())->memoryBytes * 0.2);
}

TEST(SystemMetrics, ARateIsRecordedOnceThereAreTwoReadings) {
    Sink sink;
    SystemMetrics system({{.rank = 3, .process = ::getpid()}}, "lo");
    system.sample(2'000'000'000, 1'000'000'000, 5, sink);
    EXPECT_EQ(sink.values.count(metrics::kProcessCpu), 0U) << "nothing to compare with";
    ASSERT_EQ(sink.values.count(metrics::kProcessMemory), 1U);
    EXPECT_EQ(sink.values.find(metrics::kProcessMemory)->second.rank, 3);
    EXPECT_EQ(sink.values.find(metrics::kHostMemory)->second.rank, 3) << "the first one there";
    system.sample(2'500'000'000, 1'500'000'000, 6, sink);
    EXPECT_EQ(sink.values.count(metrics::kProcessMemory), 1U) << "before the period is over";
    compute(std::chrono::milliseconds(60));
    system.sample(4'000'000'000, 3'000'000'000, 7, sink);
    ASSERT_EQ(sink.values.count(metrics::kProcessCpu), 1U);
    const Metric cpu = sink.values.find(metrics::kProcessCpu)->second.metric;
    EXPECT_GE(cpu.value, 0.03) << "0.06 s of 2 s";
    EXPECT_EQ(cpu.step, 7);
    EXPECT_EQ(cpu.wall, 3'000'000'000) << "of the run's time line";
    for (const char* name : {metrics::kHostCpu, metrics::kHostSent, metrics::kHostReceived}) {
        EXPECT_EQ(sink.values.count(name), 1U) << name;
    }
}

TEST(SystemMetrics, AnInterfaceThatIsNotThereIsLeftOut) {
    Sink sink;
    SystemMetrics system({{.rank = 0, .process = ::getpid()}}, "none0");
    system.sample(1'000'000'000, 0, 0, sink);
    system.sample(3'000'000'000, 2'000'000'000, 0, sink);
    EXPECT_EQ(sink.values.count(metrics::kHostSent), 0U);
    EXPECT_EQ(sink.values.count(metrics::kProcessCpu), 1U);
}

TEST(SystemMetrics, InfinibandPortsAreRecordedEach) {
    const test::TempDir folder;
    const auto count = [&](const std::string& counter, const std::string& value) {
        test::writeText(folder.path() / "mlx5_0/ports/1/counters" / counter, value);
    };
    Sink sink;
    SystemMetrics system({{.rank = 0, .process = ::getpid()}}, "lo", SystemMetrics::Host::Watched, std::nullopt,
                         folder.path());
    count("port_xmit_data", "1000\n");
    count("port_rcv_data", "0\n");
    system.sample(1'000'000'000, 0, 0, sink);
    count("port_xmit_data", "3000\n");
    system.sample(3'000'000'000, 2'000'000'000, 4, sink);
    ASSERT_EQ(sink.values.count("host/mlx5_0:1/sent_bytes_per_s"), 1U);
    EXPECT_EQ(sink.values.find("host/mlx5_0:1/sent_bytes_per_s")->second.metric.value, 4000)
        << "2,000 of 4 bytes in 2 s";
    EXPECT_EQ(sink.values.find("host/mlx5_0:1/received_bytes_per_s")->second.metric.value, 0);
}

std::vector<std::string> namesOf(const test::DasgdFolder& folder) {
    auto reader = storage::WorkspaceReader::open(folder.workspace());
    const auto rows = reader ? reader->runs().list() : tl::unexpected(Error{});
    if (!rows || rows->empty()) return {};
    return reader->metrics().names(rows->front().runId).value_or(std::vector<std::string>{});
}

// Two processes train for some seconds.
TEST(SystemMetrics, AreInTheRecordOfARun) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("gloo", 100'000'000));
    test::StartedProgram program = folder.start({"run", "e.toml", "-w", "w", "-q"});
    ASSERT_TRUE(test::eventually([&] {
        const auto names = namesOf(folder);
        return std::ranges::find(names, metrics::kProcessCpu) != names.end();
    }));
    program.signal(SIGINT);
    program.wait();
    auto reader = storage::WorkspaceReader::open(folder.workspace());
    ASSERT_TRUE(reader);
    const auto row = reader->runs().list()->front();
    const auto cpu = reader->metrics().samples({.runId = row.runId, .name = metrics::kProcessCpu});
    ASSERT_TRUE(cpu);
    for (const storage::MetricSample& sample : cpu->samples) {
        EXPECT_GE(sample.rank, 0);
        EXPECT_LT(sample.rank, row.workers);
        EXPECT_GT(sample.value, 0.01) << "it trains";
        EXPECT_GT(sample.wallS, 0);
    }
    EXPECT_THAT(namesOf(folder), Contains(metrics::kHostSent));
}

TEST(SystemMetrics, SaysNothingOfARunWhoseTimeIsSimulated) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("virtual", 2000));
    EXPECT_EQ(folder.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    ASSERT_FALSE(namesOf(folder).empty());
    EXPECT_THAT(namesOf(folder), Not(Contains(metrics::kHostMemory)));
}

}  // namespace
}  // namespace dasgd::experiments
