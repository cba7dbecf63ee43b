#include "experiments/tools/calibrate/probe_experiment.h"

#include <gmock/gmock.h>

#include "core/base/schema/toml_reader.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ProbeExperiment, KeepsModelAndClusterAndMakesTheStepsItNeeds) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("threads") + "[sweep]\n\"train.seed\" = [1, 2]\n");
    const auto probe = probeExperiment((folder.path() / "e.toml").string(), {});
    ASSERT_TRUE(probe) << probe.error().message;
    EXPECT_EQ(probe->algorithm, "probe");
    EXPECT_EQ(probe->backend, "threads");
    EXPECT_EQ(probe->workers, 2);
    EXPECT_EQ(probe->totalSteps, 43);
    EXPECT_THAT(toTomlDocument(probe->resolved), HasSubstr("trace = \"full\""));
}

TEST(ProbeExperiment, ProfilesNoSteps) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("threads") + "[record]\nprofile = { first = 50, steps = 3 }\n");
    const auto probe = probeExperiment((folder.path() / "e.toml").string(), {});
    ASSERT_TRUE(probe) << probe.error().message;
    EXPECT_THAT(toTomlDocument(probe->resolved), Not(HasSubstr("profile")));
}

TEST(ProbeExperiment, HasEqualBatches) {
    const test::DasgdFolder folder;
    Value document = *parseToml(test::quickExperiment("threads"), "e.toml");
    document.find("train")->set("balance", Value(std::string("rate")));
    const auto probe = probeExperimentOf(std::move(document));
    ASSERT_TRUE(probe) << probe.error().message;
    EXPECT_THAT(toTomlDocument(probe->resolved), HasSubstr("balance = \"none\""));
}

TEST(ProbeExperiment, IsOfWholeModels) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("threads"));
    const auto probe = probeExperiment((folder.path() / "e.toml").string(), {.set = {"cluster.stages=2"}});
    ASSERT_FALSE(probe);
    EXPECT_THAT(probe.error().message,
                HasSubstr("no calibration of a model that is cut into stages yet: set stages = 1"));
    EXPECT_TRUE(probeExperiment((folder.path() / "e.toml").string(), {.set = {"cluster.stages=1"}}));
}

TEST(ProbeExperiment, IsNoConfigurationOfTheExperimentThatItIsFor) {
    const test::DasgdFolder folder;
    const auto nameOf = [&](const std::string& name) {
        Value document = *parseToml(test::quickExperiment("threads"), "e.toml");
        document.set("name", Value(name));
        const auto probe = probeExperimentOf(std::move(document));
        EXPECT_TRUE(probe) << probe.error().message;
        return probe ? probe->name : "";
    };
    EXPECT_EQ(nameOf("delay-sweep"), "delay-sweep (probe)");
    EXPECT_EQ(nameOf("delay-sweep (probe)"), "delay-sweep (probe)") << "what --experiment printed, measured again";
    EXPECT_EQ(nameOf(std::string(200, 'a')), std::string(190, 'a') + " (probe)");
    std::string wide = "a";
    while (wide.size() < 199) wide += "\u00e9";
    EXPECT_EQ(nameOf(wide), wide.substr(0, 189) + " (probe)") << "no half of a character stays";
    Value unnamed = *parseToml(test::quickExperiment("threads"), "e.toml");
    unnamed.erase("name");
    const auto probe = probeExperimentOf(std::move(unnamed));
    ASSERT_TRUE(probe) << probe.error().message;
    EXPECT_THAT(probe->name, StartsWith("probe-"));
}

TEST(ProbeExperiment, DoesNotChooseAmongCases) {
    const test::DasgdFolder folder;
    folder.write("e.toml",
                 test::quickExperiment("threads") + "[[case]]\ntrain.batch_size = 2\n[[case]]\ntrain.batch_size = 4\n");
    const auto probe = probeExperiment((folder.path() / "e.toml").string(), {});
    ASSERT_FALSE(probe);
    EXPECT_THAT(probe.error().message, HasSubstr("stands for 2 experiments"));
}

TEST(ProbeExperiment, MakesItsOwnStepsWhateverTheCommandLineSets) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("threads"));
    const auto stepsWith = [&](const std::vector<std::string>& set) {
        const auto probe = probeExperiment((folder.path() / "e.toml").string(), {.set = set});
        EXPECT_TRUE(probe) << probe.error().message;
        return probe ? probe->totalSteps : 0;
    };
    EXPECT_EQ(stepsWith({"train.steps=12"}), 43);
    EXPECT_EQ(stepsWith({"train={epochs=2}"}), 43);
    EXPECT_EQ(stepsWith({"algorithm.period=8"}), 43) << "the probe has no such key";
    const auto wrong = probeExperiment((folder.path() / "e.toml").string(), {.set = {"train.batch_size=0"}});
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, HasSubstr("--set train.batch_size=0"));
}

TEST(ProbeExperiment, NeedsSomeoneToTalkTo) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment());
    const auto probe = probeExperiment((folder.path() / "e.toml").string(), {.set = {"cluster.workers=1"}});
    ASSERT_FALSE(probe);
    EXPECT_THAT(probe.error().message, HasSubstr("set cluster.workers to 2 or more"));
}

}  // namespace
}  // namespace dasgd::experiments
