// `dasgd replay`.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

// Local SGD every 4 steps of 5 ms; 407,080 bytes among two ranks cross a link of 100 Mbit/s in 32.6 ms.
const std::string kRecorded =
    "name = \"recorded\"\n[algorithm]\nname = \"local_sgd\"\nperiod = 4\n[model]\nname = \"mlp\"\n"
    "[train]\nsteps = 43\nbatch_size = 8\neval_every = 1000\n[cluster]\nbackend = \"virtual\"\nworkers = 2\n"
    "[network]\nbandwidth = \"100Mbps\"\nlatency = \"0us\"\n[compute]\nstep_time = \"5ms\"\nmemory_bandwidth = "
    "\"1TB/s\"\n";

class ReplayCommand : public ::testing::Test {
protected:
    nlohmann::json json(const std::vector<std::string>& arguments) const {
        const test::Ended ended = folder_.run(arguments);
        EXPECT_EQ(ended.exit, 0) << ended.err;
        return nlohmann::json::parse(ended.out);
    }
    test::DasgdFolder folder_;
};

TEST_F(ReplayCommand, AsksWhatATenTimesSlowerLinkWouldDo) {
    folder_.write("e.toml", kRecorded);
    const auto recorded = json({"run", "e.toml", "-w", "w", "--json", "-q"});
    const std::string run = recorded["run_id"];
    const auto same = json({"replay", run, "-w", "w", "--json", "-q"});
    EXPECT_EQ(same["step_ms"], recorded["step_ms"]) << "a virtual run replays itself to the nanosecond";
    EXPECT_EQ(same["replay_of"], run);
    EXPECT_EQ(same["experiment"], "recorded (replay)") << "what is simulated is no run of the experiment";
    EXPECT_EQ(json({"replay", same["run_id"], "-w", "w", "--json", "-q"})["experiment"], "recorded (replay)");
    const auto slower = json({"replay", run, "-w", "w", "--json", "-q", "--set", "network.bandwidth=10Mbps"});
    const double transfer = 407080 * 8 / 100e6 * 1e3;
    EXPECT_NEAR(slower["step_ms"].get<double>() - recorded["step_ms"].get<double>(), 9 * transfer / 4, 0.01 * transfer);
}

TEST_F(ReplayCommand, PutsARealRunOntoAnotherNetwork) {
    folder_.write("real.toml", test::quickExperiment("gloo", 40));
    const auto recorded = json({"run", "real.toml", "-w", "w", "--json", "-q"});
    const auto replayed =
        json({"replay", recorded["run_id"], "-w", "w", "--json", "-q", "--set", "network.latency=50ms"});
    EXPECT_EQ(replayed["backend"], "virtual");
    EXPECT_EQ(replayed["final_loss"], recorded["final_loss"]) << "the mathematics stays what it was";
    EXPECT_GT(replayed["step_ms"].get<double>(), 5) << "100 ms a round of 4 steps, of which the delay hides little";
}

TEST_F(ReplayCommand, DoesNotInventANetwork) {
    folder_.write("alone.toml", test::quickExperiment("gloo", 40));
    const auto alone = json({"run", "alone.toml", "-w", "w", "--json", "-q", "--set",
                             "algorithm={name=\"independent\"}", "--set", "train.eval_every=1000"});
    const std::string run = alone["run_id"];
    const test::Ended refused = folder_.run({"replay", run, "-w", "w", "-q"});
    EXPECT_EQ(refused.exit, 2);
    EXPECT_THAT(refused.err, HasSubstr("says nothing about a network"));
    EXPECT_EQ(folder_.run({"replay", run, "-w", "w", "-q", "--set", "network.bandwidth=1Gbps"}).exit, 0);
    EXPECT_EQ(folder_.run({"replay", "nothing", "-w", "w"}).exit, 2);
}

}  // namespace
}  // namespace dasgd::experiments
