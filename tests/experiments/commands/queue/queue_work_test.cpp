// `dasgd queue work`, whatever is killed when.
#include <gmock/gmock.h>
#include <signal.h>

#include <map>
#include <optional>
#include <random>
#include <set>

#include "tests/support/queue_runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kSteps = 5'000, kSeeds = 3, kKills = 20;

class QueueWork : public test::QueueFolder {
protected:
    // Processes below it, those that were started first in front.
    static std::vector<pid_t> below(pid_t process) {
        std::vector<pid_t> all = test::childrenOf(process);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto more = test::childrenOf(all[i]);
            all.insert(all.end(), more.begin(), more.end());
        }
        return all;
    }
    // Expects that no two processes have the ranks of runs with one seed.
    void expectNoneTwice() {
        std::map<int, std::set<std::string>> runs;
        std::map<std::string, int> seeds;
        for (const storage::RunRow& one : rows()) seeds[one.runId] = static_cast<int>(one.seed);
        std::error_code code;
        for (const auto& entry : std::filesystem::directory_iterator("/proc", code)) {
            const std::string line = test::contentOf(entry.path() / "cmdline");
            const std::string key("\0--run\0", 7);
            const auto at = line.find(key);
            if (at == std::string::npos || line.find(folder_.path().string()) == std::string::npos) continue;
            const std::string run = line.c_str() + at + key.size();
            if (seeds.contains(run)) runs[seeds[run]].insert(run);
        }
        for (const auto& [seed, ids] : runs) EXPECT_LE(ids.size(), 1U) << "seed " << seed;
    }
    [[nodiscard]] std::map<int, std::string> wholeModels() {
        EXPECT_EQ(folder_.run({"run", "e.toml", "-w", "whole", "-q", "--sweep", "train.seed=1..3"}).exit, 0);
        auto reader = storage::RunReader::open(folder_.path() / "whole");
        std::map<int, std::string> models;
        const auto rows = reader->list().value();
        for (const storage::RunRow& one : rows) {
            models[static_cast<int>(one.seed)] =
                test::contentOf(folder_.path() / "whole/runs" / one.runId / "model.safetensors");
        }
        return models;
    }
};

// The worker, the process of a run, its ranks, or all of them as when the machine goes down.
TEST_F(QueueWork, WhateverIsKilledEveryEntryEndsOnce) {
    static_cast<void>(add(test::longExperiment(2, kSteps, 1000), {"--sweep", "train.seed=1..3", "--restarts", "1000"}));
    std::random_device device;
    const unsigned chosen = device();
    SCOPED_TRACE("seed " + std::to_string(chosen));
    std::mt19937 random(chosen);
    std::optional<test::StartedProgram> worker;
    for (int kill = 0; kill < kKills; ++kill) {
        if (!worker) worker.emplace(work({"--until-empty"}));
        std::this_thread::sleep_for(std::chrono::milliseconds(100 + random() % 500));
        expectNoneTwice();
        const std::vector<pid_t> others = below(worker->id());
        const unsigned what = random() % 3;
        if (what == 0 && !others.empty()) {
            ::kill(others[random() % others.size()], SIGKILL);
            continue;
        }
        if (what == 1) {
            for (const pid_t other : others) ::kill(other, SIGKILL);
        }
        worker.reset();  // by SIGKILL
    }
    if (!worker) worker.emplace(work({"--until-empty"}));
    static_cast<void>(worker->wait());
    worker.reset();
    const test::Ended last = work({"--until-empty"}).wait();
    EXPECT_EQ(last.exit, 0) << last.err;
    EXPECT_THAT(queue().entries, IsEmpty());
    const std::map<int, std::string> whole = wholeModels();
    const auto all = rows();
    for (int seed = 1; seed <= kSeeds; ++seed) {
        std::vector<storage::RunRow> own;
        std::ranges::copy_if(all, std::back_inserter(own),
                             [&](const storage::RunRow& one) { return one.seed == seed; });
        ASSERT_FALSE(own.empty());
        EXPECT_EQ(own.front().status, "finished") << "the newest of its lineage";
        EXPECT_EQ(own.front().steps, kSteps);
        EXPECT_EQ(std::ranges::count(own, std::string("finished"), &storage::RunRow::status), 1);
        EXPECT_EQ(modelOf(own.front()), whole.at(seed)) << "bit by bit";
        EXPECT_FALSE(whole.at(seed).empty());
    }
}

TEST_F(QueueWork, RanksEndWithAWorkerThatIsKilled) {
    static_cast<void>(add(test::longExperiment(1)));
    std::optional<test::StartedProgram> worker(work());
    ASSERT_TRUE(trains(1));
    const std::vector<pid_t> others = below(worker->id());
    ASSERT_THAT(others, SizeIs(2));
    worker.reset();
    for (const pid_t other : others) EXPECT_TRUE(test::eventually([&] { return test::hasEnded(other); }));
    EXPECT_THAT(queue().entries, SizeIs(1));
}

TEST_F(QueueWork, AnswersWrongOptions) {
    EXPECT_EQ(work({"--slots", "0"}).wait().exit, 2);
    EXPECT_EQ(work({"--cores", "1000000"}).wait().exit, 2);
    EXPECT_EQ(folder_.run({"queue", "work", "--until-empty", "-w", "w"}).exit, 0) << "an empty queue is worked";
}

}  // namespace
}  // namespace dasgd::experiments
