// `dasgd queue`, from another process. Its effect on a series: tests/experiments/run/session/run_series_test.cpp.
#include <gmock/gmock.h>

#include "storage/read/run_reader.h"
#include "tests/experiments/commands/finished_run.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

// Seeds of the runs that wait, in the order in which they start.
std::vector<int> seedsOf(const std::string& lines) {
    std::vector<int> seeds;
    for (std::size_t at = lines.find("\"seed\":"); at != std::string::npos; at = lines.find("\"seed\":", at + 1)) {
        seeds.push_back(std::stoi(lines.substr(at + 7)));
    }
    return seeds;
}

class QueueCommand : public ::testing::Test {
protected:
    QueueCommand() : program_(start()) {}
    test::StartedProgram start() {
        folder_.write("e.toml", test::quickExperiment("threads", 100'000'000));
        return folder_.start({"run", "e.toml", "-w", "w", "-q", "--sweep", "train.seed=1..5"});
    }
    // Ids of the five runs, by seed; five error texts where they do not come.
    std::vector<std::string> ids() {
        std::vector<std::string> found;
        const bool there = test::eventually([&] {
            auto reader = storage::RunReader::open(folder_.workspace());
            auto rows = reader ? reader->list() : tl::unexpected(Error{});
            if (!rows || rows->size() != 5) return false;
            found.assign(5, "");
            bool ready = true;
            for (const storage::RunRow& row : *rows) {
                found[static_cast<std::size_t>(row.seed) - 1] = row.runId;
                ready = ready && (row.seed == 1 ? row.status == "running" : row.queueTurn.has_value());
            }
            return ready;
        });
        return there ? found : std::vector<std::string>(5, "no runs came");
    }
    test::Ended queue(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "queue");
        arguments.insert(arguments.end(), {"-w", "w", "--json"});
        return folder_.run(arguments);
    }
    test::DasgdFolder folder_;
    test::StartedProgram program_;
};

TEST_F(QueueCommand, MovesRunsAndSaysTheOrder) {
    const auto runs = ids();
    EXPECT_EQ(seedsOf(queue({}).out), (std::vector{2, 3, 4, 5}));
    const std::string table = folder_.run({"queue", "-w", "w"}).out;
    EXPECT_THAT(table, HasSubstr("run 2 of 5")) << "the first runs already; the window says the same";
    EXPECT_THAT(table, HasSubstr("run 5 of 5"));
    EXPECT_EQ(seedsOf(queue({"last", runs[1]}).out), (std::vector{3, 4, 5, 2}));
    EXPECT_EQ(seedsOf(queue({"up", runs[4], runs[1]}).out), (std::vector{3, 5, 2, 4})) << "both, in their order";
    EXPECT_EQ(seedsOf(queue({"up", runs[2]}).out), (std::vector{3, 5, 2, 4})) << "the first goes no further up";
    EXPECT_EQ(seedsOf(queue({"down", runs[4]}).out), (std::vector{3, 2, 5, 4}));
    EXPECT_EQ(seedsOf(queue({"first", runs[3], runs[4]}).out), (std::vector{5, 4, 3, 2})) << "they keep their order";
}

// The window's keys start commands at the same time.
TEST_F(QueueCommand, CommandsAtTheSameTimeUndoNothingOfEachOther) {
    const auto runs = ids();
    const auto start = [&](const char* action, const std::string& run) {
        return folder_.start({"queue", action, run, "-w", "w", "--json"});
    };
    test::StartedProgram hold = start("hold", runs[4]);
    test::StartedProgram up = start("up", runs[4]);
    test::StartedProgram again = start("up", runs[4]);
    EXPECT_EQ(hold.wait().exit, 0);
    EXPECT_EQ(up.wait().exit, 0);
    EXPECT_EQ(again.wait().exit, 0);
    EXPECT_EQ(seedsOf(queue({}).out), (std::vector{2, 5, 3, 4})) << "moved twice";
    auto reader = storage::RunReader::open(folder_.workspace());
    ASSERT_TRUE(reader);
    EXPECT_TRUE(reader->row(runs[4])->held) << "and still held";
}

TEST_F(QueueCommand, RefusesWhatDoesNotWait) {
    const auto runs = ids();
    const test::Ended running = queue({"hold", runs[0]});
    EXPECT_EQ(running.exit, 2);
    EXPECT_THAT(running.err, HasSubstr("is running; only runs that are queued can be told"));
    const test::Ended nothing = queue({"hold"});
    EXPECT_EQ(nothing.exit, 2);
    EXPECT_THAT(nothing.err, HasSubstr("dasgd queue hold RUN"));
    EXPECT_EQ(queue({"pause", runs[1]}).exit, 2);
}

TEST_F(QueueCommand, HoldsAWholeSeriesByAnyOfItsRuns) {
    const auto runs = ids();
    const test::Ended held = queue({"hold", "--series", runs[0]});
    EXPECT_EQ(held.exit, 0) << held.err;
    auto reader = storage::RunReader::open(folder_.workspace());
    ASSERT_TRUE(reader);
    for (std::size_t i = 1; i < runs.size(); ++i) EXPECT_TRUE(reader->row(runs[i])->held) << runs[i];
    EXPECT_FALSE(reader->row(runs[0])->held) << "it is under way";
}

}  // namespace
}  // namespace dasgd::experiments
