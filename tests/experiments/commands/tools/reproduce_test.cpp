// `dasgd reproduce`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "experiments/tools/published/published.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/diloco_table.h"
#include "tests/support/paths.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Steps of 10 ms that scatter by 20 %, on one rank and on four which wait for each other.
constexpr const char* kSuite =
    "name = \"wait\"\n[algorithm]\nname = \"sync_sgd\"\n[model]\nname = \"layer_table\"\ndense = [[10, 10]]\n"
    "[train]\nsteps = 20\n[cluster]\nbackend = \"virtual\"\n[network]\nlatency = \"0us\"\n"
    "[compute]\nmode = \"time-only\"\nstep_time = \"10ms\"\njitter = \"normal(0.2)\"\n"
    "[sweep]\n\"cluster.workers\" = [1, 4]\n\"train.seed\" = [1, 2, 3]\n";

constexpr const char* kList = R"([[set]]
name = "wait"
paper = "A. Uthor"
suite = "wait.toml"
factor = 1.5
[[set.number]]
what = "step of four ÷ step of one"
published = [1.2]
query = """SELECT avg(a.step_ms / b.step_ms), count(*) FROM suite_runs a JOIN suite_runs b USING (seed)
  WHERE a.label LIKE 'cluster.workers=4,%' AND b.workers = 1"""
[[set.number]]
what = "step of one, ms"
published = [100.0]
query = "SELECT avg(step_ms) FROM suite_runs WHERE workers = 1"
why = "their machine was slower"
[[set.number]]
what = "step of nine, ms"
published = [100.0]
query = "SELECT avg(step_ms) FROM suite_runs WHERE workers = 9"
[[set.number]]
what = "accuracy, %"
published = [90.0]
why = "their data are not here"

[[set]]
name = "bandwidth"
paper = "B. Uthor"
suite = "wait.toml"
command = "bandwidth {suite} --utilization 0.5 --json"
[[set.number]]
what = "share"
published = [0.5]
pointer = "/utilization/0"
)";

class ReproduceCommand : public ::testing::Test {
protected:
    ReproduceCommand() {
        folder_.write("wait.toml", kSuite);
        folder_.write("list.toml", kList);
    }
    test::Ended reproduce(const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{"reproduce", "--list", "list.toml", "-w", "w"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return folder_.run(arguments);
    }
    test::DasgdFolder folder_;
};

TEST_F(ReproduceCommand, SaysWhatToRunWhereNothingWasRun) {
    const test::Ended ended = reproduce();
    ASSERT_EQ(ended.exit, 0) << ended.err;
    EXPECT_THAT(ended.out,
                AllOf(HasSubstr("3 not run"), HasSubstr("6 of 6 runs missing"), HasSubstr("1 cannot be compared"),
                      HasSubstr("dasgd run wait.toml --resume -w w"), HasSubstr("1 of 1 numbers")));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "w")) << "it writes nothing";
}

TEST_F(ReproduceCommand, ComputesTheNumbersFromTheRunsOfTheSuite) {
    // One run of the suite is missing, and one of other settings is there.
    ASSERT_EQ(folder_.run({"run", "wait.toml", "-w", "w", "-q", "--set", "train.steps=10"}).exit, 0);
    ASSERT_EQ(folder_.run({"run", "wait.toml", "-w", "w", "-q", "--sweep", "train.seed=1,2"}).exit, 0);
    EXPECT_THAT(reproduce({"wait"}).out, HasSubstr("2 of 6 runs missing"));
    EXPECT_THAT(reproduce({"wait"}).out, HasSubstr("3 not run"));

    const test::Ended ran = folder_.run({"run", "wait.toml", "-w", "w", "-q", "--json", "--resume"});
    ASSERT_EQ(ran.exit, 0) << ran.err;
    double ratio = 0, one = 0;
    std::map<int, std::map<int, double>> step;  // by workers and seed
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
        const auto run = nlohmann::json::parse(line);
        step[run["workers"]][run["seed"]] = run["step_ms"];
    }
    ASSERT_EQ(step[1].size() + step[4].size(), 6U);
    for (int seed = 1; seed <= 3; ++seed) {
        ratio += step[4][seed] / step[1][seed] / 3;
        one += step[1][seed] / 3;
    }
    const auto sets = nlohmann::json::parse(reproduce({"wait", "--json"}).out);
    ASSERT_EQ(sets.size(), 1U);
    const auto& numbers = sets[0]["numbers"];
    EXPECT_NEAR(numbers[0]["here"], ratio, 1e-9);
    EXPECT_EQ(numbers[0]["runs"], 3);
    EXPECT_EQ(numbers[0]["verdict"], "agrees");
    EXPECT_NEAR(numbers[1]["here"], one, 1e-9);
    EXPECT_NEAR(numbers[1]["ratio"], one / 100, 1e-9);
    EXPECT_EQ(numbers[1]["verdict"], "differs");
    EXPECT_EQ(numbers[1]["why"], "their machine was slower");
    EXPECT_EQ(numbers[2]["verdict"], "differs");
    EXPECT_TRUE(numbers[2]["here"].is_null());
    EXPECT_EQ(numbers[2]["why"], "the runs have no such value");
    EXPECT_EQ(numbers[3]["verdict"], "cannot be compared");
    EXPECT_THAT(numbers[0]["query"], HasSubstr("WITH suite_run"));
    EXPECT_THAT(reproduce().out,
                AllOf(HasSubstr("2 of 4 numbers"), HasSubstr("1 agrees, 2 differs, 1 cannot be compared"),
                      Not(HasSubstr("not run"))));
}

TEST_F(ReproduceCommand, RefusesWhatItDoesNotHave) {
    EXPECT_THAT(reproduce({"waits"}).err, AllOf(HasSubstr("no set 'waits'"), HasSubstr("wait, bandwidth")));
    EXPECT_THAT(folder_.run({"reproduce", "-w", "w"}).err, HasSubstr("published.toml"));
    folder_.write("list.toml",
                  std::string(kList) + "[[set.number]]\nwhat = \"x\"\npublished = [1.0]\npointer = \"/none\"\n");
    EXPECT_THAT(reproduce().err, AllOf(HasSubstr("bandwidth"), HasSubstr("/none")));
}

// The shipped list names suites and documents that exist, and has the printed numbers.
TEST(PublishedList, IsWhole) {
    const std::filesystem::path folder = std::filesystem::path(test::kSourceDir) / "experiments";
    const auto sets = readPublished(folder / "published.toml");
    ASSERT_TRUE(sets) << sets.error().message;
    EXPECT_GE(sets->size(), 15U);
    for (const PublishedSet& set : *sets) {
        EXPECT_TRUE(set.suite.empty() || std::filesystem::exists(folder / set.suite)) << set.name;
        EXPECT_TRUE(std::filesystem::exists(folder / set.results)) << set.name;
    }
    const auto diloco = std::ranges::find(*sets, "diloco2025", &PublishedSet::name);
    ASSERT_NE(diloco, sets->end());
    EXPECT_NEAR(diloco->factor, test::kTable4Notch, 1e-4);
    ASSERT_EQ(diloco->numbers.size(), 75U);
    for (std::size_t i = 0; i < 75; ++i) {
        EXPECT_EQ(diloco->numbers[i].published, (std::vector{test::kTable4[i / 25].gigabits[i / 5 % 5][i % 5]}));
        EXPECT_EQ(diloco->numbers[i].pointer,
                  "/configurations/" + std::to_string(i / 5) + "/gbit_per_s/" + std::to_string(i % 5));
    }
}

}  // namespace
}  // namespace dasgd::experiments
