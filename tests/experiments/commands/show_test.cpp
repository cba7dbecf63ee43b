// `dasgd show`.
#include <gmock/gmock.h>

#include <atomic>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "experiments/run/host/hardware.h"
#include "tests/experiments/commands/finished_run.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class ShowCommand : public FinishedRun {};

TEST_F(ShowCommand, TellsConfigurationAndProvenance) {
    const std::string run = folder_.firstRun();
    const test::Ended text = folder_.run({"show", run, "-w", "w"});
    ASSERT_EQ(text.exit, 0) << text.err;
    for (const char* part : {"finished", "30 of 30", "2 workers over gloo", ", LibTorch 2.", "rank 1", "period = 4"}) {
        EXPECT_THAT(text.out, HasSubstr(part));
    }
    const auto json = nlohmann::json::parse(folder_.run({"show", run, "-w", "w", "--json"}).out);
    EXPECT_EQ(json["planned_steps"], 30);
    EXPECT_EQ(json["ranks"].size(), 2u);
    EXPECT_FALSE(json["host"].get<std::string>().empty());
    EXPECT_TRUE(json["versions"].contains("SQLite"));
    EXPECT_EQ(json["hardware"].size(), hardware().size());
}

// A run of some seconds beside a program that keeps a core busy.
TEST(ShowExternalLoad, TellsWhatOtherProgramsComputed) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("gloo", 100'000));
    std::atomic<bool> over = false;
    std::thread busy([&] {
        while (!over) continue;
    });
    test::StartedProgram run = folder.start({"run", "e.toml", "-w", "w", "-q"});
    nlohmann::json load;
    EXPECT_TRUE(test::eventually([&] {
        const test::Ended shown = folder.run({"list", "-w", "w", "--json"});
        const auto row = nlohmann::json::parse(shown.out, nullptr, false);
        if (!row.is_object()) return false;
        load = nlohmann::json::parse(folder.run({"show", row["run_id"], "-w", "w", "--json"}).out)["other_load"];
        return !load.empty();
    }));
    run.signal(SIGINT);
    static_cast<void>(run.wait());
    over = true;
    busy.join();
    ASSERT_EQ(load.size(), 1U);
    EXPECT_GT(load[0]["ranks_cores"], 0);
    EXPECT_GT(load[0]["other_cores"], 0.2) << "the launcher alone takes some hundredths";
    EXPECT_THAT(folder.run({"show", folder.firstRun(), "-w", "w"}).out, HasSubstr(" cores by other programs"));
}

TEST(ShowQueued, ARunThatWaitsHasNotStarted) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("threads", 4));
    ASSERT_EQ(folder.run({"queue", "add", "e.toml", "-w", "w"}).exit, 0);
    const auto run = nlohmann::json::parse(folder.run({"list", "-w", "w", "--json"}).out);
    const std::string text = folder.run({"show", run["run_id"], "-w", "w"}).out;
    EXPECT_THAT(text, ::testing::ContainsRegex("queued  +2"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("started")));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("ran 0")));
}

// A rank of the same speed is the slowest by chance; as in the window it is no straggler for that.
TEST(ShowStraggler, IsWhoComesLateToTheAveragesBeyondNoise) {
    const auto textOf = [](const std::string& compute) {
        const test::DasgdFolder folder;
        folder.write("e.toml", test::quickExperiment("virtual", 400) + "[compute]\nstep_time = \"10ms\"\n" + compute);
        EXPECT_EQ(folder.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
        return folder.run({"show", folder.firstRun(), "-w", "w"}).out;
    };
    EXPECT_THAT(textOf("jitter = \"normal(0.1)\"\n"),
                ::testing::AllOf(HasSubstr("no rank is beyond noise"), ::testing::Not(HasSubstr(" late (noise"))));
    EXPECT_THAT(
        textOf("rank_factors = [1.0, 1.5]\n"),
        ::testing::ContainsRegex("stragglers +rank 1, [0-9.]+ ms late \\(noise ± [0-9.]+ ms\\), of [0-9]+ averages"));
}

TEST(ShowTarget, ARunThatWasNeverEvaluatedHasNotMissedIt) {
    const test::DasgdFolder folder;
    std::string text = test::quickExperiment();
    text.insert(text.find("eval_every"), "target_loss = 0.001\n");
    folder.write("e.toml", text);
    ASSERT_EQ(folder.run({"queue", "add", "e.toml", "-w", "w"}).exit, 0);
    const std::string run = folder.firstRun();
    EXPECT_THAT(folder.run({"show", run, "-w", "w"}).out,
                HasSubstr("loss ≤ 0.001 on the test set: not known, as no evaluation of it was recorded"));
    const auto json = nlohmann::json::parse(folder.run({"show", run, "-w", "w", "--json"}).out);
    EXPECT_EQ(json["target"]["evaluated"], false);
    EXPECT_EQ(json["target"]["reached"], false);
}

// A target that the first evaluation reaches: the run ends there, and says so on every page.
TEST(ShowTarget, TellsWhenItWasReachedAndOnWhichSet) {
    const test::DasgdFolder folder;
    folder.write("e.toml",
                 "[algorithm]\nname = \"local_sgd\"\n[model]\nname = \"logistic\"\n[data]\nname = \"mnist\"\n"
                 "validation = 0.1\n[train]\nsteps = 40\nbatch_size = 32\neval_every = 10\ntarget_accuracy = 0.3\n"
                 "stop_at_target = true\n[cluster]\nbackend = \"threads\"\nworkers = 2\n");
    ASSERT_EQ(folder.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    const std::string run = folder.firstRun();
    const std::string text = folder.run({"show", run, "-w", "w"}).out;
    EXPECT_THAT(text, HasSubstr("accuracy ≥ 0.3 on the validation set: reached at step "));
    EXPECT_THAT(text, HasSubstr("on the test set, chosen on the validation set"));
    EXPECT_THAT(text, HasSubstr(" of 40, ended early by its evaluations"));
    const auto json = nlohmann::json::parse(folder.run({"show", run, "-w", "w", "--json"}).out);
    EXPECT_EQ(json["status"], "finished");
    EXPECT_EQ(json["target"]["reached"], true);
    EXPECT_EQ(json["target"]["on"], "validation");
    EXPECT_EQ(json["target"]["step"], json["steps"]) << "it stopped there";
    EXPECT_LT(json["steps"].get<int>(), 40);
    EXPECT_GE(json["target"]["value"].get<double>(), 0.3);
    EXPECT_EQ(json["best_chosen_on"], "validation");
}

const std::string kFailing = "[compute]\nstep_time = \"10ms\"\n[faults]\nhosts = [[1, 0.055, 0.5]]\n";

TEST(ShowFaults, CountsThemAndTellsWhoWaited) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("virtual") + kFailing + "links = [[0, 0.1, 0.2], [0, 0.9]]\n");
    ASSERT_EQ(folder.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    const std::string run = folder.firstRun();
    const std::string text = folder.run({"show", run, "-w", "w"}).out;
    EXPECT_THAT(text, HasSubstr("1 host failure, 1 link failure"));
    EXPECT_THAT(text, ::testing::ContainsRegex("rank 0 +[0-9.]+ ms a step, blocked [0-9.]+ % \\(0\\.5 s of "));
    const auto json = nlohmann::json::parse(folder.run({"show", run, "-w", "w", "--json"}).out);
    EXPECT_EQ(json["faults"], (nlohmann::json{{"hosts", 1}, {"hosts_out", 0}, {"links", 1}, {"links_out", 0}}));
    EXPECT_NEAR(json["ranks"][0]["blocked_s"].get<double>(), 0.5, 0.02);
    EXPECT_NEAR(json["ranks"][1]["blocked_s"].get<double>(), 0, 0.02);
    ASSERT_EQ(folder.run({"export", run, "-w", "w", "--csv", "out"}).exit, 0);
    EXPECT_THAT(test::contentOf(folder.path() / "out/fault_host_down.csv"),
                ::testing::AllOf(HasSubstr(",1,fault/host_down,5,5,0.055,0,0,1\r\n"),
                                 HasSubstr(",1,fault/host_down,5,5,0.555,0,0,0\r\n")))
        << "within its sixth step";
}

TEST(ShowFaults, KeepsWhatARunRecordedBeforeAHostWasGone) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("virtual") + "timeout_s = 7\n[compute]\nstep_time = \"10ms\"\n" +
                               "[faults]\nhosts = [[1, 0.055]]\n");
    const test::Ended ended = folder.run({"run", "e.toml", "-w", "w", "-q"});
    EXPECT_EQ(ended.exit, 1);
    const std::string text = folder.run({"show", folder.firstRun(), "-w", "w"}).out;
    EXPECT_THAT(text, HasSubstr("failed: rank 0: "));
    EXPECT_THAT(text, HasSubstr("did not end within 7000 ms of simulated time; rank 1: its host failed at 0.055 s and "
                                "does not come back"));
    EXPECT_THAT(text, HasSubstr("1 host failure (1 not back)"));
    EXPECT_THAT(text, HasSubstr("of 30"));
}

TEST_F(ShowCommand, RefusesWhatItDoesNotKnow) {
    for (const char* run : {"nothing", "../../e", "%"}) {
        const test::Ended ended = folder_.run({"show", run, "-w", "w"});
        EXPECT_EQ(ended.exit, 2) << run;
    }
    EXPECT_EQ(folder_.run({"show", "2", "-w", "w"}).exit, 2);  // the beginning of both
}

// A run on a network that takes no time is as long as the critical path of the other run says.
TEST(ShowCriticalPath, KnowsTheRunOnAFreeNetworkInSimulatedTime) {
    for (const std::string algorithm :
         {"name = \"sync_sgd\"\nbucket_mb = 0.1\n", "name = \"dasgd\"\nperiod = 3\ndelay = 2\n",
          "name = \"local_sgd\"\nperiod = 2\n"}) {
        const test::DasgdFolder folder;
        folder.write("e.toml", "[algorithm]\n" + algorithm +
                                   "[model]\nname = \"mlp\"\n[train]\nsteps = 12\nbatch_size = 8\n[cluster]\n"
                                   "backend = \"virtual\"\nworkers = 3\n[network]\nbandwidth = \"100Mbps\"\n"
                                   "latency = \"200us\"\n[compute]\nmode = \"time-only\"\nstep_time = \"5ms\"\n"
                                   "forward_share = 0.3\nrank_factors = [1.0, 1.3, 0.8]\njitter = \"normal(0.1)\"\n");
        const auto pathOf = [&](const std::vector<std::string>& more) {
            std::vector<std::string> arguments{"run", "e.toml", "-w", "w", "-q", "--json"};
            arguments.insert(arguments.end(), more.begin(), more.end());
            const test::Ended run = folder.run(arguments);
            EXPECT_EQ(run.exit, 0) << run.err;
            const std::string id = nlohmann::json::parse(run.out)["run_id"];
            return nlohmann::json::parse(folder.run({"show", id, "-w", "w", "--json"}).out)["critical_path"];
        };
        const auto slow = pathOf({});
        const auto free = pathOf({"--set", "network.bandwidth=1000000Gbps", "--set", "network.latency=0us"});
        const double length = slow["length_s"], shorter = slow["without_transfers_s"];
        EXPECT_GT(slow["transfer_s"], 0) << algorithm;
        EXPECT_NEAR(shorter / free["length_s"].get<double>(), 1, 1e-4) << algorithm;
        EXPECT_LT(shorter, length);
        EXPECT_NEAR(slow["saved_by_free_transfers"].get<double>(), 1 - shorter / length, 1e-9);
        double sum = 0;
        for (const char* part : {"compute_s", "transfer_s", "messages_s", "data_and_evaluation_s", "idle_s"}) {
            sum += slow[part].get<double>();
        }
        EXPECT_NEAR(sum / length, 1, 1e-9);
    }
}

TEST(ShowCriticalPath, DoesNotKnowWhatFreeMessagesWouldSaveInSimulatedTime) {
    const test::DasgdFolder folder;
    folder.write("e.toml",
                 "[algorithm]\nname = \"pipeline\"\n[model]\nname = \"mlp\"\n[train]\nsteps = 6\nbatch_size = 8\n"
                 "[cluster]\nbackend = \"virtual\"\nworkers = 2\nstages = 2\n[network]\nbandwidth = \"100Mbps\"\n"
                 "latency = \"200us\"\n[compute]\nmode = \"time-only\"\nstep_time = \"5ms\"\n");
    const test::Ended run = folder.run({"run", "e.toml", "-w", "w", "-q", "--json"});
    ASSERT_EQ(run.exit, 0) << run.err;
    const std::string id = nlohmann::json::parse(run.out)["run_id"];
    const auto path = nlohmann::json::parse(folder.run({"show", id, "-w", "w", "--json"}).out)["critical_path"];
    EXPECT_GT(path["messages_s"], 0);
    EXPECT_TRUE(path["saved_by_free_transfers"].is_null());
    EXPECT_TRUE(path["without_transfers_s"].is_null());
    EXPECT_THAT(folder.run({"show", id, "-w", "w"}).out, ::testing::HasSubstr("if transfers were free: not known"));
}

TEST_F(ShowCommand, TellsTheCriticalPathOfSomeSteps) {
    const std::string run = folder_.firstRun();
    EXPECT_THAT(
        folder_.run({"show", run, "-w", "w"}).out,
        ::testing::ContainsRegex("critical path +[0-9.]+ % computing.*if transfers were free: [0-9.-]+ % less"));
    const auto lengthOf = [&](const std::vector<std::string>& steps) {
        std::vector<std::string> arguments{"show", run, "-w", "w", "--json"};
        arguments.insert(arguments.end(), steps.begin(), steps.end());
        return nlohmann::json::parse(folder_.run(arguments).out)["critical_path"]["length_s"].get<double>();
    };
    EXPECT_GT(lengthOf({"--steps", "5-20"}), lengthOf({"--steps", "7"}));
    EXPECT_LT(lengthOf({"--steps", "5-20"}), lengthOf({}));
    for (const char* steps : {"x", "5-", "9-3", "-4", "1-2-3"}) {
        const test::Ended refused = folder_.run({"show", run, "-w", "w", std::string("--steps=") + steps});
        EXPECT_EQ(refused.exit, 2) << steps;
        EXPECT_THAT(refused.err, HasSubstr("write the first and the last step, as 100-200"));
    }
    EXPECT_THAT(folder_.run({"show", run, "-w", "w", "--steps", "1000"}).err, HasSubstr("has no span in these steps"));
}

}  // namespace
}  // namespace dasgd::experiments
