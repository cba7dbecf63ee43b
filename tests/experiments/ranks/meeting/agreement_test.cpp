// Identities that ranks compare before they train.
#include "experiments/ranks/meeting/agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/schema/toml_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/seats.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

Settings settings(const std::string& rate, const std::string& workers = "2") {
    return {{"algorithm.name", "dasgd"}, {"optimizer.learning_rate", rate}, {"cluster.workers", workers}};
}

TEST(Agreement, NamesTheKeysWithBothValues) {
    EXPECT_EQ(disagreement(settings("0.1"), settings("0.1"), 1), "");
    Settings other = settings("0.2");
    other["algorithm.delay"] = "3";
    EXPECT_THAT(
        disagreement(settings("0.1"), other, 3),
        AllOf(HasSubstr("algorithm.delay is absent on rank 0 and 3 on rank 3; optimizer.learning_rate is 0.1 on "
                        "rank 0 and 0.2 on rank 3. Start all"),
              Not(HasSubstr("algorithm.name"))));
}

TEST(Agreement, NamesAFewKeysOfMany) {
    Settings one, two;
    for (int i = 0; i < 20; ++i) one["key" + std::to_string(i)] = "a";
    EXPECT_THAT(disagreement(one, two, 1), HasSubstr("; and 12 more"));
}

TEST(Agreement, TheIdentityIsOfConfigurationPlanAndProgram) {
    test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment());
    const auto identityAfter = [&](const std::string& change) {
        const auto loaded = loadExperiments((folder.path() / "e.toml").string(), {{change}, {}}, test::kProgram);
        EXPECT_TRUE(loaded) << loaded.error().message;
        return identityOf(loaded->front());
    };
    const Settings one = identityAfter("train.seed=1");
    EXPECT_EQ(identityAfter("train.seed=1"), one);
    EXPECT_NE(identityAfter("train.seed=2"), one);
    EXPECT_NE(identityAfter("name=other"), one);
    EXPECT_EQ(one.at("plan.steps"), "30");
    EXPECT_EQ(one.at("plan.parameters"), "2");
    EXPECT_EQ(one.at("program.version"), DASGD_VERSION);
    EXPECT_NE(one.at("program.build"), "");
}

// Error that each rank gets, over a store that they share; "" where they agree.
std::vector<std::string> verdicts(const std::vector<Settings>& identities, const std::vector<int>& sizes = {}) {
    return test::onSeats(static_cast<int>(identities.size()), [&](const Seat& seat) {
        const auto index = static_cast<std::size_t>(seat.rank);
        const int size = sizes.empty() ? seat.size : sizes[index];
        const Status agreed = agreeOnIdentity({seat.store, seat.rank, size, seat.patience}, identities[index]);
        return agreed ? std::string() : agreed.error().message;
    });
}

TEST(Agreement, EqualRanksGoOn) {
    for (const int size : {1, 2, 4, 7}) {
        EXPECT_THAT(verdicts(std::vector<Settings>(static_cast<std::size_t>(size), settings("0.1"))), Each(""));
    }
}

TEST(Agreement, EveryRankRefusesWhereOneDiffers) {
    std::vector<Settings> four(4, settings("0.1"));
    four[2] = settings("0.2");
    EXPECT_THAT(verdicts(four), Each(HasSubstr("optimizer.learning_rate is 0.1 on rank 0 and 0.2 on rank 2")));
}

// Rank 2 does not come, and is not named as the fault: another process has its place under another number.
TEST(Agreement, TwoProcessesOfOneNumberAreTold) {
    const auto told = test::onSeats(3, [](const Seat& seat) {
        const int rank = seat.rank == 2 ? 1 : seat.rank;
        // The deadline is longer than a test may take: nobody waits for rank 2.
        const Status agreed = agreeOnIdentity({seat.store, rank, 3, std::chrono::minutes(5)}, settings("0.1", "3"));
        return agreed ? std::string() : agreed.error().message;
    });
    EXPECT_THAT(told, Each(AllOf(HasSubstr("two processes came as rank 1 of 3, the second on "),
                                 HasSubstr("give each a RANK of its own, from 0 to 2"))));
}

// Rank 2 would be waited for, had it been started.
TEST(Agreement, RanksThatCountDifferentlyDoNotWaitForOneAnother) {
    EXPECT_THAT(verdicts({settings("0.1", "3"), settings("0.1", "2")}, {3, 2}),
                Each(HasSubstr("cluster.workers is 3 on rank 0 and 2 on rank 1")));
}

}  // namespace
}  // namespace dasgd::experiments
