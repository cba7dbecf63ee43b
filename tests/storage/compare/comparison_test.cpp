// Runs of a workspace that become one row, and the numbers of the row.
#include "storage/compare/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "storage/compare/scaling.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string config(int seed, int jitterSeed, int delay) {
    return "name = \"n\"\n[algorithm]\nname = \"dasgd\"\ndelay = " + std::to_string(delay) +
           "\n[train]\nseed = " + std::to_string(seed) + "\n[compute]\nseed = " + std::to_string(jitterSeed) + "\n";
}

TEST(Comparison, RunsThatDifferInSeedsAloneAreOneRow) {
    const test::TempDir folder;
    auto store = test::orDie(Store::open(folder / "workspace"));
    const auto add = [&](const std::string& id, const std::string& text) {
        RunInfo info = test::runInfo(id);
        info.config = text;
        test::orDie(store.addRun(info));
    };
    add("a", config(1, 1, 2));
    add("b", config(2, 1, 2));
    add("c", config(1, 2, 2));
    add("d", config(1, 1, 3));
    auto reader = test::orDie(WorkspaceReader::open(store.paths().root));
    const auto comparison = compareRuns(reader, {"a", "b", "c", "d"}, "");
    ASSERT_TRUE(comparison) << comparison.error().message;
    ASSERT_EQ(comparison->groups.size(), 2U);
    EXPECT_THAT(comparison->groups[0].runIds, ElementsAre("a", "b", "c"));
    EXPECT_EQ(comparison->groups[0].label, "dasgd delay=2");
    EXPECT_THAT(comparison->groups[1].runIds, ElementsAre("d"));
}

// The same algorithm over two links: the link that is not emulated is the machine's.
TEST(Comparison, ReadsWhatARunWasMadeOn) {
    const test::TempDir folder;
    auto store = test::orDie(Store::open(folder / "workspace"));
    const auto add = [&](const std::string& id, const std::string& link) {
        RunInfo info = test::runInfo(id);
        info.config = config(1, 1, 2) + link;
        info.host = "node-3";
        info.cpu = "EPYC";
        test::orDie(store.addRun(info));
        test::orDie(test::orDie(Recorder::start(store, id, {0}))->finish("finished", ""));
    };
    add("a", "");
    add("b", "[cluster]\nworkers = 1\n[cluster.link]\nbandwidth = \"200Mbps\"\nlatency = \"1ms\"\n");
    auto reader = test::orDie(WorkspaceReader::open(store.paths().root));
    const RunSetup own = test::orDie(readSetup(reader.runs(), test::orDie(reader.runs().row("a"))));
    EXPECT_THAT(setupInWords(own), HasSubstr("machine node-3, processor EPYC"));
    const auto comparison = compareRuns(reader, {"a", "b"}, "");
    ASSERT_TRUE(comparison) << comparison.error().message;
    EXPECT_EQ(setupInWords(comparison->setupDifferences()), "link not emulated / 200Mbps, 1ms, emulated");
}

// One machine as it was described before and after the cores were recorded, and after its kernel was another one.
TEST(Comparison, AMachineThatIsDescribedOtherwiseIsTheSameOne) {
    const test::TempDir folder;
    auto store = test::orDie(Store::open(folder / "workspace"));
    const auto setup = [&](const std::string& id, const std::string& host, const std::string& cpu) {
        RunInfo info = test::runInfo(id);
        info.host = host;
        info.cpu = cpu;
        test::orDie(store.addRun(info));
        auto reader = test::orDie(RunReader::open(store.paths().root));
        return test::orDie(readSetup(reader, test::orDie(reader.row(id))));
    };
    const RunSetup old = setup("a", "node-3", "EPYC 7543");
    const RunSetup own = setup("b", "node-3", "EPYC 7543, 16 cores to use, 135.1 GB memory");
    const RunSetup updated = setup("c", "node-3", "EPYC 7543, 16 cores to use, 135.0 GB memory");
    const RunSetup other = setup("d", "node-4", "EPYC 7543, 64 cores to use, 135.1 GB memory");
    const auto differences = [](const std::vector<RunSetup>& setups) { return setupInWords(setupDifferences(setups)); };
    EXPECT_EQ(differences({old, own, updated}), "");
    EXPECT_EQ(differences({own, other}), "machine node-3 / node-4; cores 16 / 64");
    EXPECT_EQ(differences({old, other}), "machine node-3 / node-4") << "how many cores it had is not known";
}

TEST(Comparison, WorkersOverTwoHostsAreAnotherSetUpThanOnOne) {
    const auto setup = [](const std::string& second) {
        test::OneRun one(2);
        one.rank(0).state(RankState::Starting, 0, "node-1");
        one.rank(1).state(RankState::Starting, 0, second);
        one.finish();
        auto reader = one.reader();
        return test::orDie(readSetup(reader.runs(), test::orDie(reader.runs().row(one.runId))));
    };
    const RunSetup alone = setup("node-1"), spread = setup("node-2");
    EXPECT_THAT(setupInWords(alone), HasSubstr("1 host, gloo, link not emulated"));
    EXPECT_EQ(setupInWords(setupDifferences({alone, spread})), "hosts 1 / 2");
}

// Other programs did half of what the run's host computed.
TEST(Comparison, ReadsWhetherARunWasDisturbed) {
    test::OneRun one(1);
    for (int second = 1; second <= 3; ++second) {
        for (const auto& [name, value] : {std::pair("host/cpu_cores", 2.0), std::pair("process/cpu_cores", 1.0)})
            one.rank(0).metric({.name = name, .wall = second * 1'000'000'000LL, .value = value});
    }
    one.finish();
    auto reader = one.reader();
    const auto disturbed = [&] {
        return test::orDie(readComparedRun(reader, test::orDie(reader.runs().row(one.runId)))).disturbed;
    };
    EXPECT_FALSE(disturbed()) << "of how many cores is not known";
    one.describe("EPYC, 2 cores to use, 24.0 GB memory");
    EXPECT_TRUE(disturbed());
}

TEST(Comparison, SaysWhyABaselineCannotBeOne) {
    const test::TempDir folder;
    auto store = test::orDie(Store::open(folder / "workspace"));
    RunInfo info = test::runInfo("a");
    info.config = config(1, 1, 2);
    test::orDie(store.addRun(info));
    test::orDie(test::orDie(Recorder::start(store, "a", {0}))->finish("finished", ""));
    auto reader = test::orDie(WorkspaceReader::open(store.paths().root));
    const auto wrong = [&](const std::string& baseline) {
        return compareRuns(reader, {"a"}, baseline).error().message;
    };
    EXPECT_THAT(wrong("dasgd"), HasSubstr("no run of 'dasgd' was timed"));
    EXPECT_THAT(wrong("sync_sgd"), HasSubstr("no finished run of 'sync_sgd'"));
}

// The instant of the record is of evaluations too, and 20 times the mean time of a step is of other steps as well.
TEST(Comparison, TakesTheTimeToTheTargetThatTheRunRecorded) {
    test::OneRun run;
    run.rank(0).metric({.name = "train/loss", .step = 40, .wall = 90'000'000'000, .value = 1});
    run.rank(0).metric({.name = "eval/trained_s", .step = 20, .wall = 70'000'000'000, .value = 12.5});
    run.rank(0).metric({.name = "run/target_reached",
                        .step = 20,
                        .wall = 70'000'000'000,
                        .samples = 640,
                        .bytesSent = 4096,
                        .value = 0.9});
    run.rank(0).metric({.name = "timing/steps", .step = 40, .value = 10});
    run.rank(0).metric({.name = "timing/seconds", .step = 40, .value = 5});
    run.finish();
    auto reader = run.reader();
    const auto reached = test::orDie(readTargetReached(reader.metrics(), run.runId));
    ASSERT_TRUE(reached);
    EXPECT_EQ(reached->step, 20);
    const auto comparison = compareRuns(reader, {run.runId}, "");
    ASSERT_TRUE(comparison) << comparison.error().message;
    EXPECT_DOUBLE_EQ(comparison->groups[0].secondsToTarget.mean, 12.5);
    EXPECT_EQ(comparison->groups[0].stepsToTarget.mean, 20);
    EXPECT_EQ(comparison->groups[0].samplesToTarget.mean, 640);
    EXPECT_EQ(comparison->groups[0].bytesToTarget.mean, 4096);
    const RunRow row = test::orDie(reader.runs().row(run.runId));
    EXPECT_EQ(test::orDie(readComparedRun(reader, row)).secondsToTarget, 12.5) << "the window reads it so";
    const auto other = readComparedRun(reader, row, Target{Target::Metric::Loss, 0.5});
    EXPECT_EQ(test::orDie(other).secondsToTarget, std::nullopt) << "of a target that is asked for, only that one";
}

// A target that is asked for afterwards is judged as the run's own would have been.
TEST(Comparison, FindsTheWayToATargetOnTheValidationSet) {
    test::OneRun run;
    for (const std::int64_t step : {10, 20, 30}) {
        const auto put = [&](const char* name, double value) {
            run.rank(0).metric(
                {.name = name, .step = step, .samples = step * 32, .bytesSent = step * 100, .value = value});
        };
        put("eval/accuracy", 0.95);
        put("eval/validation_accuracy", static_cast<double>(step) / 30);
    }
    run.finish();
    auto reader = run.reader();
    const RunRow row = test::orDie(reader.runs().row(run.runId));
    const Target target{Target::Metric::Accuracy, 0.6};
    const ComparedRun read = test::orDie(readComparedRun(reader, row, target));
    EXPECT_EQ(read.stepsToTarget, 20);
    EXPECT_EQ(read.samplesToTarget, 640);
    EXPECT_EQ(read.bytesToTarget, 2000);
    EXPECT_EQ(read.secondsToTarget, std::nullopt) << "no time was recorded";
    EXPECT_EQ(test::orDie(readComparedRun(reader, row)).stepsToTarget, std::nullopt) << "no target";
}

TEST(Comparison, ARunThatMissedItsTargetWasWatchedUntilItsLastEvaluation) {
    test::OneRun run;
    for (const std::int64_t step : {10, 30, 20}) {
        run.rank(0).metric({.name = "eval/accuracy", .step = step, .value = static_cast<double>(step) / 100});
        run.rank(0).metric({.name = "eval/trained_s", .step = step, .value = 0.5 * static_cast<double>(step)});
    }
    run.finish();
    auto reader = run.reader();
    const RunRow row = test::orDie(reader.runs().row(run.runId));
    const auto read = [&](double value) {
        return test::orDie(readComparedRun(reader, row, Target{Target::Metric::Accuracy, value}));
    };
    EXPECT_EQ(read(0.9).secondsWithoutTarget, 15);
    EXPECT_EQ(read(0.9).secondsToTarget, std::nullopt);
    EXPECT_EQ(read(0.2).secondsToTarget, 10);
    EXPECT_EQ(read(0.2).secondsWithoutTarget, std::nullopt);
    EXPECT_EQ(test::orDie(readComparedRun(reader, row)).secondsWithoutTarget, std::nullopt) << "it has no target";
}

TEST(Comparison, ReadsWhatARunRecordedOfItsTimesAndWhereTheyComeFrom) {
    test::OneRun run;
    run.finish();
    auto reader = run.reader();
    RunRow row = test::orDie(reader.runs().row(run.runId));
    row.config = "[cluster]\nbackend = \"gloo\"\n";
    const auto read = [&] { return test::orDie(readComparedRun(reader, row)); };
    EXPECT_EQ(read().time, TimeSource::Measured);
    EXPECT_EQ(read().skewMs, std::nullopt);
    EXPECT_EQ(read().inflation, std::nullopt);
    row.skewS = 0.002;
    row.inflation = 1.25;
    row.config += "link = { bandwidth = \"200Mbps\", latency = \"1ms\" }\n";
    EXPECT_EQ(read().skewMs, 2.0);
    EXPECT_EQ(read().inflation, 1.25);
    EXPECT_EQ(read().time, TimeSource::EmulatedLink);
    EXPECT_EQ(read().emulatedLink, "200Mbps, 1ms");
    row.timeSimulated = true;
    EXPECT_EQ(read().time, TimeSource::Simulated);
    row.backend = kTraceBackend;
    EXPECT_EQ(read().time, TimeSource::Imported);
}

TEST(Comparison, ReadsThePerplexityOfTheModelThatWasChosen) {
    test::OneRun run;
    const double losses[] = {2.0, 1.5, 1.25}, chosen[] = {2.0, 1.5, 1.5};
    for (const std::int64_t i : {0, 1, 2}) {
        const auto put = [&](const char* name, double value) {
            run.rank(0).metric({.name = name, .step = i * 10, .samples = i * 320, .value = value});
        };
        put("eval/loss", losses[i]);
        put("eval/accuracy", 0.3);
        put("eval/perplexity", std::exp(losses[i]));
        put("eval/chosen_loss", chosen[i]);
    }
    run.finish();
    auto reader = run.reader();
    RunRow row = test::orDie(reader.runs().row(run.runId));
    row.config = "[data]\nname = \"text\"\n";
    EXPECT_DOUBLE_EQ(test::orDie(readComparedRun(reader, row)).bestPerplexity().value(), std::exp(1.25));
    row.config += "validation = 0.1\n";
    EXPECT_DOUBLE_EQ(test::orDie(readComparedRun(reader, row)).bestPerplexity().value(), std::exp(1.5));
}

}  // namespace
}  // namespace dasgd::storage
