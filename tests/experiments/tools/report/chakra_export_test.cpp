// Traces of real and simulated runs, against the spans that the runs recorded.
#include "experiments/tools/report/chakra_export.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/spans/timings.h"
#include "tests/support/chakra_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using test::DecodedNode;
using test::DecodedTrace;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct Exported {
    std::vector<DecodedTrace> traces;        // by rank
    std::map<int, std::vector<Span>> spans;  // by rank
    Ns begin = 0;
};

Exported exported(const test::DasgdFolder& folder, const std::string& run, int ranks) {
    const test::Ended ended = folder.run({"export", run, "-w", "w", "--chakra", "et"});
    EXPECT_EQ(ended.exit, 0) << ended.err;
    Exported made;
    for (int rank = 0; rank < ranks; ++rank) {
        made.traces.push_back(test::readChakra(folder.path() / "et" / (run + "." + std::to_string(rank) + ".et")));
    }
    auto reader = test::orDie(storage::SpanReader::open(folder.workspace()));
    test::orDie(reader.each(run, [&](const storage::SpanRow& row) {
        made.spans[row.rank].push_back(row.span);
        return true;
    }));
    made.begin = test::orDie(reader.extent(run))->start;
    return made;
}

// Every span is in the nodes and every node is of a span, to the rounding of the format's unit; idle time apart.
void compareSpans(const DecodedTrace& trace, const std::vector<Span>& spans) {
    std::map<std::string, std::pair<double, double>> micros;  // of spans and of nodes, by name
    std::map<std::string, int> pieces;
    std::map<std::uint64_t, TimeRange> transfers;
    for (const Span& span : spans) {
        if (isReduce(span.kind)) {
            if (span.kind == SpanKind::Skew) continue;
            transfers[span.collective] = {span.start, span.end};
        } else if (span.lane == Lane::Compute && span.kind != SpanKind::Wait && span.end > span.start) {
            const std::string name = std::string(nameOf(span.kind)) + " " + std::to_string(span.step);
            micros[name].first += static_cast<double>(span.end - span.start) / 1000;
            ++pieces[name];
        }
    }
    std::set<std::uint64_t> collectives;
    for (const DecodedNode& node : trace.nodes) {
        EXPECT_GE(node.durationUs, 1U);
        if (node.type == 7) {
            const std::uint64_t number = node.attributes.at("collective");
            EXPECT_TRUE(collectives.insert(number).second);
            EXPECT_EQ(node.attributes.at("comm_type"), 0U);
            EXPECT_GT(node.attributes.at("comm_size"), 0U);
            EXPECT_NEAR(static_cast<double>(node.durationUs),
                        static_cast<double>(transfers.at(number).end - transfers.at(number).start) / 1000, 1.01);
        } else if (node.name != "idle") {
            EXPECT_EQ(node.type, 4U);
            micros[node.name].second += static_cast<double>(node.durationUs);
            ++pieces[node.name];
        }
        EXPECT_EQ(node.attributes.at("is_cpu_op"), 0U);
    }
    EXPECT_EQ(collectives.size(), transfers.size());
    for (const auto& [name, both] : micros) EXPECT_NEAR(both.first, both.second, pieces[name]) << name;
}

// Dependencies point backwards, exist, and leave no node but the first without one; waits and merges have theirs.
void checkDependencies(const DecodedTrace& trace, const std::vector<Span>& spans) {
    std::map<std::uint64_t, const DecodedNode*> byId;
    std::map<std::uint64_t, std::uint64_t> ofCollective;
    std::set<std::uint64_t> asked;
    for (const DecodedNode& node : trace.nodes) {
        EXPECT_TRUE(byId.emplace(node.id, &node).second);
        for (const std::uint64_t id : node.dependencies) {
            EXPECT_TRUE(byId.contains(id)) << node.name << " depends on what comes later or never";
            asked.insert(id);
        }
        EXPECT_TRUE(&node == &trace.nodes.front() || !node.dependencies.empty()) << node.name;
        if (node.type == 7) ofCollective[node.attributes.at("collective")] = node.id;
    }
    // A wait at the end of the run has nothing behind it that could depend on what was waited for.
    Ns lastWork = 0;
    for (const Span& span : spans) {
        const bool isWork = span.lane == Lane::Compute && span.kind != SpanKind::Wait && span.end > span.start;
        if (isWork) lastWork = std::max(lastWork, span.start);
    }
    for (const Span& span : spans) {
        const bool asks = (span.kind == SpanKind::Wait && span.end <= lastWork) ||
                          (span.kind == SpanKind::Merge && span.start <= lastWork);
        EXPECT_TRUE(!asks || span.collective == 0 || asked.contains(ofCollective.at(span.collective)));
    }
}

void checkTraces(const Exported& made) {
    for (std::size_t rank = 0; rank < made.traces.size(); ++rank) {
        const auto& spans = made.spans.at(static_cast<int>(rank));
        ASSERT_FALSE(made.traces[rank].nodes.empty());
        EXPECT_EQ(made.traces[rank].version, "0.0.4");
        compareSpans(made.traces[rank], spans);
        checkDependencies(made.traces[rank], spans);
    }
}

TEST(ChakraExport, HasEverySpanOfRealRanks) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("gloo", 30));
    ASSERT_EQ(folder.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    const Exported made = exported(folder, folder.firstRun(), 2);
    checkTraces(made);
    EXPECT_EQ(made.traces[0].texts.at("run"), folder.firstRun());
    EXPECT_NO_THROW(test::replayChakra(made.traces)) << "no rank waits for ever";
    const test::Ended again = folder.run({"export", folder.firstRun(), "-w", "w", "--chakra", "et"});
    EXPECT_EQ(again.exit, 2);
    EXPECT_THAT(again.err, HasSubstr("is there already"));
    EXPECT_EQ(folder.run({"export", folder.firstRun(), "-w", "w", "--chakra", "et", "--replace"}).exit, 0);
}

std::string virtualCluster(const std::string& algorithm) {
    return "[algorithm]\n" + algorithm +
           "[model]\nname = \"mlp\"\n[train]\nsteps = 12\nbatch_size = 8\n[cluster]\nbackend = \"virtual\"\nworkers = "
           "3\n"
           "[network]\nbandwidth = \"100Mbps\"\nlatency = \"200us\"\n[compute]\nmode = \"time-only\"\n"
           "step_time = \"5ms\"\nforward_share = 0.3\nrank_factors = [1.0, 1.3, 0.8]\njitter = \"normal(0.1)\"\n"
           "memory_bandwidth = \"1GB/s\"\n[record]\ntrace = \"full\"\n";
}

// With the recorded durations, dependencies alone bring back the run's own time: none is missing, and none too many.
TEST(ChakraExport, ReplaysInSimulatedTimeAsLongAsTheRunTook) {
    for (const std::string algorithm :
         {"name = \"sync_sgd\"\nbucket_mb = 0.1\n", "name = \"local_sgd\"\nperiod = 2\n",
          "name = \"dasgd\"\nperiod = 3\ndelay = 2\n", "name = \"dasgd\"\nperiod = 1\ndelay = 1\ncorrection = 1.0\n",
          "name = \"diloco\"\nperiod = 4\n", "name = \"streaming_diloco\"\nperiod = 4\nfragments = 2\ndelay = 1\n"}) {
        const test::DasgdFolder folder;
        folder.write("e.toml", virtualCluster(algorithm));
        const test::Ended run = folder.run({"run", "e.toml", "-w", "w", "-q"});
        ASSERT_EQ(run.exit, 0) << run.err;
        const Exported made = exported(folder, folder.firstRun(), 3);
        checkTraces(made);
        const std::vector<std::uint64_t> ends = test::replayChakra(made.traces);
        for (std::size_t rank = 0; rank < ends.size(); ++rank) {
            Ns last = 0;
            for (const Span& span : made.spans.at(static_cast<int>(rank))) {
                if (span.kind != SpanKind::Window) last = std::max(last, span.end);
            }
            const auto recorded = static_cast<double>(last - made.begin) / 1000;
            const auto rounding = static_cast<double>(2 * made.traces[rank].nodes.size());
            EXPECT_NEAR(static_cast<double>(ends[rank]), recorded, rounding) << algorithm << " rank " << rank;
        }
    }
}

TEST(ChakraExport, RefusesRunsWhoseRecordDoesNotTell) {
    const auto refusal = [](const std::string& algorithm, const std::string& more = "") {
        const test::DasgdFolder folder;
        folder.write("e.toml", test::quickExperiment("threads", 8));
        const test::Ended run = folder.run({"run", "e.toml", "-w", "w", "-q", "--set", "algorithm={" + algorithm + "}",
                                            "--set", more.empty() ? "train.steps=8" : more});
        EXPECT_EQ(run.exit, 0) << run.err;
        const test::Ended ended = folder.run({"export", folder.firstRun(), "-w", "w", "--chakra", "et"});
        EXPECT_EQ(ended.exit, 2) << ended.out;
        EXPECT_FALSE(std::filesystem::exists(folder.path() / "et"));
        return ended.err;
    };
    EXPECT_THAT(refusal("name=\"zero_sgd\""), HasSubstr("its reduce-scatters from its all-gathers"));
    EXPECT_THAT(refusal("name=\"gossip_sgd\""), HasSubstr("how many messages a rank sends is the graph's"));
    EXPECT_THAT(refusal("name=\"dasgd\"", "compression={name=\"fp16\"}"), HasSubstr("messages of [compression]"));
    EXPECT_THAT(refusal("name=\"dasgd\"", "record.trace=\"off\""), HasSubstr("no spans"));
}

// The network has BatchNorm's statistics.
TEST(ChakraExport, RefusesCollectivesOfOtherKindsInSimulatedTime) {
    const auto answerTo = [](const std::string& algorithm, const std::vector<std::string>& settings) {
        const test::DasgdFolder folder;
        folder.write("e.toml", virtualCluster(algorithm));
        std::vector<std::string> arguments{"run", "e.toml", "-w", "w", "-q"};
        for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
        const test::Ended run = folder.run(arguments);
        EXPECT_EQ(run.exit, 0) << run.err;
        const test::Ended ended = folder.run({"export", folder.firstRun(), "-w", "w", "--chakra", "et"});
        EXPECT_EQ(std::filesystem::exists(folder.path() / "et"), ended.exit == 0);
        return ended.exit == 0 ? "" : ended.err;
    };
    EXPECT_THAT(answerTo("name = \"sync_sgd\"\n", {"train.balance=rate", "train.rebalance=4"}),
                HasSubstr("exchange their rates in all-gathers"));
    const std::vector<std::string> network{"model={name = \"resnet20\", depth = 8, width = 2}"};
    const auto isOfBuffers = HasSubstr("rank 0 broadcasts the model's buffers");
    EXPECT_THAT(answerTo("name = \"sync_sgd\"\n", network), isOfBuffers);
    for (const char* steps : {"1", "3"}) {
        const std::string fields = "name = \"local_sgd\"\nperiod = 2\nsync_steps = ";
        EXPECT_THAT(answerTo(fields + steps + "\n", network), isOfBuffers) << steps;
        EXPECT_EQ(answerTo(fields + steps + "\n", {}), "") << steps;
    }
    EXPECT_EQ(answerTo("name = \"sync_sgd\"\nbroadcast_buffers = false\n", network), "");
    EXPECT_EQ(answerTo("name = \"local_sgd\"\nperiod = 2\n", network), "");
}

}  // namespace
}  // namespace dasgd::experiments
