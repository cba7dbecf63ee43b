// The ranks of one host, started and ended as a launcher elsewhere asks for it.
#include "experiments/cluster/host/host_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "experiments/transport/curve/run_secret.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/free_port.h"
#include "tests/support/live_run.h"
#include "tests/support/standin_ssh.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class HostRanksTest : public ::testing::Test {
protected:
    RanksRequest request(int steps) {
        return {.experiment = test::quickExperiment("gloo", steps),
                .workspace = (folder_ / "w").string(),
                .secret = secret_,
                .address = "127.0.0.1",
                .interface = "lo",
                .port = test::freePort(),
                .size = 2,
                .count = 2};
    }
    // Events by their names, until all ranks have ended.
    std::map<std::string, std::vector<nlohmann::json>> follow(HostRanks& ranks) {
        std::map<std::string, std::vector<nlohmann::json>> events;
        EXPECT_TRUE(test::eventually([&] {
            ranks.attend([&](const nlohmann::json& event) { events[event["event"]].push_back(event); });
            return events.contains("all ended");
        }));
        return events;
    }
    test::TempDir folder_;
    const std::string secret_ = RunSecret::make().value().hex();
};

TEST_F(HostRanksTest, TrainAndTellHowEachEnded) {
    auto ranks = HostRanks::start(request(3000), test::kProgram);
    ASSERT_TRUE(ranks) << ranks.error().message;
    EXPECT_EQ((*ranks)->watched().size(), 2u);
    std::filesystem::path file;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "w" / "experiments")) file = entry.path();
    struct stat facts {};
    ASSERT_EQ(::stat(file.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0600u);
    EXPECT_THAT(test::allCommandLines(), Not(HasSubstr(secret_)));
    auto events = follow(**ranks);
    ASSERT_EQ(events["ended"].size(), 2u);
    for (const auto& event : events["ended"]) EXPECT_EQ(event["code"], 0) << event;
    EXPECT_FALSE(events["progress"].empty());
    const auto& result = events["all ended"].front()["result"];
    EXPECT_EQ(result["row"]["status"], "finished");
    EXPECT_THAT(result["summary"].get<std::string>(), HasSubstr("finished"));
    ranks->reset();
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(HostRanksTest, StopAtOneStep) {
    auto ranks = HostRanks::start(request(100'000'000), test::kProgram);
    ASSERT_TRUE(ranks);
    ASSERT_TRUE(test::newestRunTrains(folder_ / "w"));
    (*ranks)->stop();
    auto events = follow(**ranks);
    for (const auto& event : events["ended"]) EXPECT_EQ(event["code"], 130) << event;
    EXPECT_EQ(events["all ended"].front()["result"]["row"]["status"], "stopped");
}

TEST_F(HostRanksTest, EndAtOnceAndSayWhatTheLogHeld) {
    RanksRequest wrong = request(10);
    wrong.size = 3;
    auto ranks = HostRanks::start(wrong, test::kProgram);
    ASSERT_TRUE(ranks);
    auto events = follow(**ranks);
    for (const auto& event : events["ended"]) {
        EXPECT_EQ(event["code"], 2);
        EXPECT_THAT(event["words"].get<std::string>(), HasSubstr("3 ranks were started"));
    }
    ranks->reset();
    ranks = HostRanks::start(request(100'000'000), test::kProgram);
    ASSERT_TRUE(ranks);
    ASSERT_TRUE(test::newestRunTrains(folder_ / "w"));
    (*ranks)->end();
    events = follow(**ranks);
    for (const auto& event : events["ended"]) EXPECT_EQ(event["signal"], SIGKILL);
}

TEST_F(HostRanksTest, RefuseWhatIsNoRequest) {
    const nlohmann::json whole = request(10).toJson();
    const auto back = RanksRequest::from(whole);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->toJson(), whole);
    for (const auto& [key, value] : whole.items()) {
        nlohmann::json part = whole;
        part.erase(key);
        EXPECT_FALSE(RanksRequest::from(part)) << key;
    }
    RanksRequest nowhere = request(10);
    nowhere.workspace = "/proc/w";
    EXPECT_FALSE(HostRanks::start(nowhere, test::kProgram));
}

}  // namespace
}  // namespace dasgd::experiments
