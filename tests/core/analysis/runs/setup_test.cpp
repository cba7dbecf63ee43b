#include "core/analysis/runs/setup.h"

#include <gtest/gtest.h>

namespace dasgd {
namespace {

Settings settings() {
    return {{"model.name", "lenet"},    {"data.name", "mnist"},   {"data.threads", "2"},
            {"data.path", "/here"},     {"cluster.workers", "4"}, {"cluster.backend", "gloo"},
            {"train.batch_size", "32"}, {"train.accumulate", "1"}};
}

Settings withLink(const std::string& bandwidth) {
    Settings own = settings();
    own["cluster.link.bandwidth"] = bandwidth;
    own["cluster.link.latency"] = "1ms";
    return own;
}

std::string differences(const std::vector<RunSetup>& setups) { return setupInWords(setupDifferences(setups)); }

TEST(RunSetup, IsSaidAsACaptionHasIt) {
    EXPECT_EQ(
        setupInWords(setupOf(settings(), TimeSource::Measured,
                             machineOf("node-3", "EPYC, 16 cores to use, 135.1 GB memory", 1))),
        "lenet on mnist, 4 workers, 1 host, batch 32 a worker, gloo, link not emulated, machine node-3, processor "
        "EPYC, 16 cores");
    Settings accumulated = withLink("200Mbps");
    accumulated["train.accumulate"] = "4";
    accumulated["cluster.workers"] = "1";
    EXPECT_EQ(setupInWords(setupOf(accumulated, TimeSource::EmulatedLink, {})),
              "lenet on mnist, 1 worker, batch 32 × 4 a worker, gloo, link 200Mbps, 1ms, emulated");
}

TEST(RunSetup, LinksThatDifferAreNamed) {
    const RunSetup own = setupOf(settings(), TimeSource::Measured, {});
    const RunSetup slow = setupOf(withLink("200Mbps"), TimeSource::EmulatedLink, {});
    const RunSetup fast = setupOf(withLink("1Gbps"), TimeSource::EmulatedLink, {});
    EXPECT_EQ(differences({own, own}), "");
    EXPECT_EQ(differences({own, slow, own, fast, slow}),
              "link not emulated / 200Mbps, 1ms, emulated / 1Gbps, 1ms, emulated");
    EXPECT_EQ(setupInWords(commonSetup({own, slow})), "lenet on mnist, 4 workers, batch 32 a worker, gloo");
}

TEST(RunSetup, WorkersBatchBackendAndMachineCountToo) {
    Settings other = settings();
    other["cluster.workers"] = "8";
    other["cluster.backend"] = "nccl";
    other["train.batch_size"] = "64";
    EXPECT_EQ(differences({setupOf(settings(), TimeSource::Measured, {.host = "a"}),
                           setupOf(other, TimeSource::Measured, {.host = "b"})}),
              "workers 4 / 8; batch 32 a worker / 64 a worker; backend gloo / nccl; machine a / b");
}

TEST(RunSetup, APartThatOneOfTwoDidNotRecordIsNoDifference) {
    const auto on = [](const std::string& host, const std::string& cpu, std::size_t hosts) {
        return setupOf(settings(), TimeSource::Measured, machineOf(host, cpu, hosts));
    };
    const RunSetup known = on("node-3", "EPYC, 7543, 16 cores to use, 135.1 GB memory", 1);
    EXPECT_EQ(differences({known, on("node-3", "EPYC, 7543", 0), on("", "", 0)}), "");
    EXPECT_EQ(differences({known, on("node-3", "EPYC, 7543, 16 cores to use, 135.0 GB memory", 1)}), "");
    EXPECT_EQ(differences({known, on("node-3", "EPYC, 7543, 8 cores to use, 135.1 GB memory", 1)}), "cores 16 / 8");
    EXPECT_EQ(differences({known, on("node-3", "Xeon", 1)}), "processor EPYC, 7543 / Xeon");
    EXPECT_EQ(differences({known, on("node-3", "", 2)}), "hosts 1 / 2");
    EXPECT_EQ(differences({on("node-3", "", 0), on("node-3", "", 2)}), "") << "on how many hosts it was is not known";
    EXPECT_EQ(differences({known, on("node-3", "EPYC, 7543, 16 cores to use for the time of 1.5, 135.1 GB memory", 1)}),
              "cores 16 / 1.5 of 16");
    EXPECT_EQ(differences({on("node-3", "EPYC, 8 cores to use, 135.1 GB memory", 1),
                           on("node-3", "EPYC, 8 of 64 cores to use, 135.1 GB memory", 1)}),
              "");
}

// The seed, the algorithm and the way of reading the samples are no part of a setup.
TEST(RunSetup, SeedsAndTheWayOfReadingAreNoDifference) {
    Settings other = settings();
    other["data.threads"] = "0";
    other["data.path"] = "/there";
    other["train.seed"] = "2";
    other["algorithm.name"] = "dasgd";
    EXPECT_EQ(differences({setupOf(settings(), TimeSource::Measured, {}), setupOf(other, TimeSource::Measured, {})}),
              "");
}

TEST(RunSetup, OneNameOfTwoModelsHasTheSettingsThatDiffer) {
    Settings wide = settings(), narrow = settings();
    wide["model.hidden"] = "256";
    narrow["model.hidden"] = "64";
    wide["model.layers"] = narrow["model.layers"] = "2";
    EXPECT_EQ(differences({setupOf(wide, TimeSource::Measured, {}), setupOf(narrow, TimeSource::Measured, {})}),
              "model lenet (model.hidden=256) / lenet (model.hidden=64)");
}

TEST(RunSetup, OfManyModelsOfOneNameEachHasTheSettingsThatNotAllHave) {
    std::vector<RunSetup> setups;
    for (int i = 0; i < 20'000; ++i) {
        setups.push_back(RunSetup{{"model", "mlp", {{"model.hidden", std::to_string(i)}, {"model.layers", "2"}}}});
        if (i == 1) setups.push_back(setups.front());
    }
    setups[1].front().detail["model.bias"] = "true";
    const auto found = setupDifferences(setups);
    ASSERT_EQ(found.size(), 1U);
    ASSERT_EQ(found[0].values.size(), 20'000U) << "each once";
    EXPECT_EQ(found[0].values[0], "mlp (model.hidden=0)");
    EXPECT_EQ(found[0].values[1], "mlp (model.bias=true, model.hidden=1)");
    EXPECT_EQ(found[0].values.back(), "mlp (model.hidden=19999)");
}

// Simulated times do not depend on the machine that simulated, but on what it simulated.
TEST(RunSetup, ASimulatedRunHasALinkAndAComputerOfItsModelAndNoMachine) {
    Settings model = settings();
    model["network.name"] = "star";
    model["network.bandwidth"] = "10Gbps";
    model["network.latency"] = "25us";
    model["network.collective"] = "ring";
    model["compute.step_time"] = "10ms";
    model["compute.seed"] = "1";
    Settings tree = model;
    tree["network.collective"] = "tree";
    tree["compute.seed"] = "2";
    const RunSetup ring = setupOf(model, TimeSource::Simulated, {.host = "a"}),
                   other = setupOf(tree, TimeSource::Simulated, {.host = "b"});
    EXPECT_EQ(setupInWords(ring),
              "lenet on mnist, 4 workers, batch 32 a worker, gloo, link star, 10Gbps, 25us, simulated, computing 10ms "
              "a step");
    EXPECT_EQ(differences({ring, other}),
              "link star, 10Gbps, 25us, simulated (network.collective=ring) / star, 10Gbps, 25us, simulated "
              "(network.collective=tree)");
    EXPECT_EQ(differences({ring, setupOf(settings(), TimeSource::Measured, {.host = "a"})}),
              "link star, 10Gbps, 25us, simulated / not emulated");
}

TEST(RunSetup, OfManyValuesTheFirstAreNamed) {
    std::vector<RunSetup> setups;
    for (int workers = 1; workers <= 8; ++workers) {
        Settings own = settings();
        own["cluster.workers"] = std::to_string(workers);
        setups.push_back(setupOf(own, TimeSource::Measured, {}));
    }
    EXPECT_EQ(differences(setups), "workers 1 / 2 / 3 / 4 / 5 / 6 and 2 more");
}

}  // namespace
}  // namespace dasgd
