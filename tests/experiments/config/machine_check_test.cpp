// Checks by processes that answer as the hidden command does, or do not.
#include "experiments/config/machine_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/schema/toml_reader.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Value clusterOf(const std::string& text) { return *parseToml(text, "e.toml").value().find("cluster"); }
const Value kTwoOnGpus = clusterOf("[cluster]\nbackend = \"nccl_stand_in\"\nworkers = 2\nranks_per_gpu = 1\n");

// A program that does this whatever it is asked.
class Answering {
public:
    explicit Answering(const std::string& script) : program_((folder_ / "program").string()) {
        test::writeText(program_, "#!/bin/sh\n" + script);
        std::filesystem::permissions(program_, std::filesystem::perms::owner_all);
    }
    [[nodiscard]] const std::string& program() const { return program_; }

private:
    test::TempDir folder_;
    std::string program_;
};

TEST(MachineCheck, AnotherProcessLooksAndAnswers) {
    EXPECT_THAT(askAboutMachine(kTwoOnGpus, test::kStandInProgram).value(), HasSubstr("4 GPUs (stand-in GPU)"));
    const auto refused = askAboutMachine(
        clusterOf("[cluster]\nbackend = \"nccl_stand_in\"\nworkers = 9\nranks_per_gpu = 2\n"), test::kStandInProgram);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("9 ranks need 5 GPUs with ranks_per_gpu = 2"));
}

TEST(MachineCheck, WhatADriverPrintsBeforeIsNoAnswer) {
    EXPECT_EQ(askAboutMachine(kTwoOnGpus, Answering("echo noise; echo '{\"found\": \"2 GPUs\"}'").program()).value(),
              "2 GPUs");
}

TEST(MachineCheck, AProcessThatDiesOrHangsIsAnErrorThatSaysSo) {
    const auto dead = askAboutMachine(kTwoOnGpus, Answering("kill -9 $$").program());
    ASSERT_FALSE(dead);
    EXPECT_THAT(dead.error().message, HasSubstr("signal 9"));
    const auto hanging = askAboutMachine(kTwoOnGpus, Answering("exec sleep 60").program(), 200'000'000);
    ASSERT_FALSE(hanging);
    EXPECT_THAT(hanging.error().message, AllOf(HasSubstr("do not answer"), HasSubstr("nvidia-smi")));
}

TEST(MachineCheck, OnlyRanksOnGpusAreAskedAbout) {
    CheckedExperiment experiment;
    experiment.resolved.set("cluster", kTwoOnGpus);
    const Answering refusing("echo '{\"error\": \"no GPU\"}'; exit 2");
    EXPECT_TRUE(checkMachine(experiment, refusing.program()));
    experiment.layout.onGpus = true;
    EXPECT_EQ(checkMachine(experiment, refusing.program()).error().message, "no GPU");
}

}  // namespace
}  // namespace dasgd::experiments
