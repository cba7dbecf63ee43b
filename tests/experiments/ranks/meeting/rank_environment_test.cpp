// Rank, world size and address as each launcher passes them.
#include "experiments/ranks/meeting/rank_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

Result<RankEnvironment> read(const std::map<std::string, std::string>& variables) {
    return readRankEnvironment([&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
}

TEST(RankEnvironment, ReadsTorchrun) {
    const auto env = read({{"RANK", "3"},
                           {"WORLD_SIZE", "4"},
                           {"LOCAL_RANK", "1"},
                           {"MASTER_ADDR", "10.0.0.1"},
                           {"MASTER_PORT", "1234"},
                           {"SLURM_PROCID", "0"},
                           {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
    ASSERT_TRUE(env) << env.error().message;
    EXPECT_EQ(env->rank, 3);
    EXPECT_EQ(env->size, 4);
    EXPECT_EQ(env->localRank, 1);
    EXPECT_EQ(env->masterAddress, "10.0.0.1");
    EXPECT_EQ(env->masterPort, 1234);
    EXPECT_EQ(env->servedAttempt, 0);
}

TEST(RankEnvironment, KnowsWhichAttemptOfTorchrunItIs) {
    std::map<std::string, std::string> variables{{"RANK", "0"},
                                                 {"WORLD_SIZE", "1"},
                                                 {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                                 {"TORCHELASTIC_RESTART_COUNT", "2"}};
    EXPECT_EQ(read(variables)->servedAttempt, 2);
    variables["TORCHELASTIC_RESTART_COUNT"] = "-1";
    EXPECT_THAT(read(variables).error().message, HasSubstr("TORCHELASTIC_RESTART_COUNT is '-1'"));
}

TEST(RankEnvironment, ReadsSlurm) {
    const auto env = read({{"SLURM_PROCID", "2"},
                           {"SLURM_NTASKS", "3"},
                           {"SLURM_LOCALID", "0"},
                           {"SLURM_STEP_NODELIST", "n[04-06]"},
                           {"SLURM_JOB_ID", "123456"}});
    ASSERT_TRUE(env) << env.error().message;
    EXPECT_EQ(env->masterAddress, "n04");
    EXPECT_EQ(env->masterPort, 20000 + 3456);
    EXPECT_FALSE(env->servedAttempt);
}

TEST(RankEnvironment, ReadsMpi) {
    const auto open = read({{"OMPI_COMM_WORLD_RANK", "1"},
                            {"OMPI_COMM_WORLD_SIZE", "2"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                            {"DASGD_INTERFACE", "eth1"}});
    ASSERT_TRUE(open) << open.error().message;
    EXPECT_EQ(open->masterAddress, "127.0.0.1");
    EXPECT_EQ(open->interface, "eth1");
    EXPECT_EQ(read({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MASTER_ADDR", "a"}})->rank, 1);
}

TEST(RankEnvironment, NamesTheVariableAtFault) {
    const auto error = [](const std::map<std::string, std::string>& variables) {
        return read(variables).error().message;
    };
    EXPECT_THAT(error({}), HasSubstr("does not know its rank"));
    EXPECT_THAT(error({{"RANK", "0"}}), HasSubstr("WORLD_SIZE is not set"));
    EXPECT_THAT(error({{"RANK", "2"}, {"WORLD_SIZE", "2"}}), HasSubstr("RANK is '2'; a number from 0 to 1"));
    EXPECT_THAT(error({{"RANK", "x"}, {"WORLD_SIZE", "2"}}), HasSubstr("RANK is 'x'"));
    EXPECT_THAT(error({{"RANK", "0"}, {"WORLD_SIZE", "2"}}), HasSubstr("MASTER_ADDR is not set"));
    EXPECT_THAT(error({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_PORT", "99999"}}), HasSubstr("MASTER_PORT"));
}

TEST(RankEnvironment, FindsTheFirstHost) {
    EXPECT_EQ(firstHostOf("node03"), "node03");
    EXPECT_EQ(firstHostOf("a,b[1-2]"), "a");
    EXPECT_EQ(firstHostOf("node[03-07,12],login"), "node03");
    EXPECT_EQ(firstHostOf("r[7]n1,x"), "r7n1");
    // Several brackets, numbers with leading zeros, what stands between and behind brackets.
    EXPECT_EQ(firstHostOf("rack[0-1]n[1-2]"), "rack0n1");
    EXPECT_EQ(firstHostOf("rack[01,10-12]n[001-128,200]-ib.example,login[1-2]"), "rack01n001-ib.example");
    EXPECT_EQ(firstHostOf("gpu-node-3,gpu-node-[5-9]"), "gpu-node-3");
    EXPECT_EQ(firstHostOf("cn[0005-0007]a[2],x"), "cn0005a2");
}

}  // namespace
}  // namespace dasgd::experiments
