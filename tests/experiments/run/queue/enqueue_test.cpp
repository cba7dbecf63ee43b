#include "experiments/run/queue/enqueue.h"

#include <gmock/gmock.h>

#include "tests/support/dasgd_program.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class Enqueue : public ::testing::Test {
protected:
    CheckedExperiment experiment(const std::string& text = test::quickExperiment("threads")) {
        test::writeText(folder_ / "e.toml", text);
        return test::orDie(loadExperiments((folder_ / "e.toml").string(), {}, test::kProgram)).front();
    }
    [[nodiscard]] std::string fileOf(const std::string& run, const std::string& name = "experiment.toml") const {
        return test::contentOf(folder_ / "w/runs" / run / name);
    }
    test::TempDir folder_;
    storage::Store store_ = test::orDie(storage::Store::open(folder_ / "w"));
    storage::RunReader reader_ = test::orDie(storage::RunReader::open(folder_ / "w"));
};

TEST_F(Enqueue, ARunWaitsWithItsFilesAndItsProvenance) {
    Provenance provenance;
    provenance.gitCommit = "abc";
    const std::string run = test::orDie(enqueue(store_, experiment(), provenance, {.series = {}}, 2));
    const storage::RunRow row = test::orDie(reader_.row(run));
    EXPECT_EQ(row.status, "queued");
    EXPECT_TRUE(row.inQueue);
    EXPECT_EQ(row.gitCommit, "abc");
    EXPECT_EQ(row.config, fileOf(run));
    EXPECT_EQ(row.series, "");
    const storage::Queue queue = test::orDie(reader_.queue());
    ASSERT_EQ(queue.entries.size(), 1U);
    EXPECT_EQ(queue.entries[0].cores, 2);
    EXPECT_EQ(queue.entries[0].restarts, 2);
    EXPECT_TRUE(queue.entries[0].afterFailure);
}

TEST_F(Enqueue, WhereNobodySaidHowOftenItStartsAgainWhenItsProcessDies) {
    static_cast<void>(test::orDie(enqueue(store_, experiment(), {}, {.series = {}}, {})));
    EXPECT_EQ(test::orDie(reader_.queue()).entries.at(0).restarts, 3);
    EXPECT_FALSE(test::orDie(reader_.queue()).entries.at(0).afterFailure);
}

TEST_F(Enqueue, RunsOfOneFileAreASeries) {
    SeriesPlace place{.series = {}, .size = 2};
    const std::string first = test::orDie(enqueue(store_, experiment(), {}, place, 0));
    place.series = first;
    place.place = 1;
    const std::string second = test::orDie(enqueue(store_, experiment(), {}, place, 0));
    EXPECT_EQ(test::orDie(reader_.row(first)).series, first);
    EXPECT_EQ(test::orDie(reader_.row(second)).series, first);
    EXPECT_EQ(test::orDie(reader_.row(second)).seriesPlace, 1);
}

TEST_F(Enqueue, TheNextTakesThePlaceOfTheOne) {
    const std::string run = test::orDie(enqueue(store_, experiment(), {}, {.series = {}}, 3));
    test::orDie(store_.abandonRun(run, "interrupted", ""));
    std::filesystem::create_directories(folder_ / "w/runs" / run / "artefacts");
    test::writeText(folder_ / "w/runs" / run / "artefacts/net.xml", "<platform/>");
    const std::string next = test::orDie(enqueueNext(store_, run, {}, 1, "interrupted"));
    EXPECT_NE(next, run);
    const storage::RunRow row = test::orDie(reader_.row(next));
    EXPECT_EQ(row.config, test::orDie(reader_.row(run)).config);
    EXPECT_EQ(row.resumedFrom, "") << "it begins again";
    EXPECT_TRUE(row.inQueue);
    EXPECT_FALSE(test::orDie(reader_.row(run)).inQueue);
    EXPECT_EQ(test::orDie(reader_.queue()).entries.at(0).restarts, 1);
    EXPECT_EQ(fileOf(next), row.config);
    EXPECT_EQ(fileOf(next, "artefacts/net.xml"), "<platform/>");
    EXPECT_THAT(enqueueNext(store_, run, {}, 1, "interrupted").error().message, HasSubstr("not in the queue any more"));
}

TEST_F(Enqueue, AFileThatACrashTookIsWrittenAgain) {
    const std::string run = test::orDie(enqueue(store_, experiment(), {}, {.series = {}}, 0));
    const storage::RunInfo info = test::orDie(store_.infoOf(run));
    const auto file = folder_ / "w/runs" / run / "experiment.toml";
    std::filesystem::resize_file(file, 0);
    test::orDie(restoreRunFiles(store_.paths(), info));
    EXPECT_EQ(fileOf(run), info.config);
    std::filesystem::remove(file);
    test::orDie(restoreRunFiles(store_.paths(), info));
    EXPECT_EQ(fileOf(run), info.config);
}

}  // namespace
}  // namespace dasgd::experiments
