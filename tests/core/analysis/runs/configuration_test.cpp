// Identity of a configuration: which runs are repetitions of one, and which settings set configurations apart.
#include "core/analysis/runs/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/schema/toml_reader.h"

namespace dasgd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kVirtualRun = R"(name = "x"
[algorithm]
name = "dasgd"
period = 4
delay = 3
local_weight = 0.25
[model]
name = "lenet"
[data]
name = "synthetic"
seed = 1
shape = [1, 28, 28]
[train]
seed = 1
batch_size = 32
[optimizer]
name = "sgd"
learning_rate = 0.05
[cluster]
backend = "virtual"
workers = 8
[network]
name = "star"
[network.background]
load = 0.2
seed = 1
[compute]
step_time = "5ms"
seed = 1
[faults]
mtbf = "1h"
seed = 1
)";

Settings changed(const std::string& key) {
    Settings settings = settingsOf(kVirtualRun);
    settings.at(key) += "7";
    return settings;
}

TEST(Configuration, ReadsSettingsByTheirDottedKeys) {
    const Settings settings = settingsOf(kVirtualRun);
    EXPECT_EQ(settings.at("algorithm.name"), "dasgd");
    EXPECT_EQ(settings.at("algorithm.local_weight"), "0.25");
    EXPECT_EQ(settings.at("network.background.seed"), "1");
    EXPECT_EQ(settings.at("data.shape"), "[1, 28, 28]");
    EXPECT_EQ(settingsOf(*parseToml(kVirtualRun, "f")), settings);
    EXPECT_THAT(settingsOf(std::string("= no TOML")), IsEmpty());
}

// The record of a run is text; reading it back must lead to the same identity.
TEST(Configuration, SurvivesBeingWrittenDown) {
    const Value document = *parseToml(
        "[a]\nx = 1e-7\ny = 0.1\nz = 3.0\nw = 1e300\nv = [[1.5, 2], [0.3, 4]]\ntext = \"a \\\"b\\\"\"\n", "f");
    EXPECT_EQ(settingsOf(toTomlDocument(document)), settingsOf(document));
}

TEST(Configuration, SeedsAndTheNameMakeRepetitions) {
    const Settings one = settingsOf(kVirtualRun);
    for (const char* key : {"name", "train.seed", "compute.seed", "network.background.seed", "faults.seed"}) {
        EXPECT_EQ(configurationKey(changed(key)), configurationKey(one)) << key;
        EXPECT_EQ(seedsOf(changed(key)) == seedsOf(one), std::string(key) == "name") << key;
    }
}

TEST(Configuration, EveryOtherKeyMakesAnotherConfiguration) {
    const Settings one = settingsOf(kVirtualRun);
    for (const auto& [key, value] : one) {
        if (key == "name" || seedKeys().contains(key)) continue;
        EXPECT_NE(configurationKey(changed(key)), configurationKey(one)) << key;
        EXPECT_EQ(seedsOf(changed(key)), seedsOf(one)) << key;
        Settings without = one;
        without.erase(key);
        EXPECT_NE(configurationKey(without), configurationKey(one)) << key;
    }
}

Settings config(const std::string& algorithm, const std::string& more = "", int seed = 1) {
    return settingsOf("name = \"x\"\n[algorithm]\n" + algorithm + "[train]\nseed = " + std::to_string(seed) + "\n" +
                      more);
}

TEST(Configuration, ALabelIsTheAlgorithmWhereThatIsAll) {
    EXPECT_THAT(
        labelConfigurations({config("name = \"sync_sgd\"\n"), config("name = \"dasgd\"\nperiod = 4\ndelay = 3\n"),
                             config("name = \"local_sgd\"\nperiod = 8\n", "", 2)}),
        ElementsAre("sync_sgd", "dasgd", "local_sgd"));
}

TEST(Configuration, ALabelNamesTheKeysThatDiffer) {
    EXPECT_THAT(labelConfigurations({config("name = \"dasgd\"\ndelay = 1\n", "batch_size = 32\n"),
                                     config("name = \"dasgd\"\ndelay = 2\n", "batch_size = 64\n")}),
                ElementsAre("dasgd delay=1 train.batch_size=32", "dasgd delay=2 train.batch_size=64"));
}

TEST(Configuration, ALabelNamesWhatOtherAlgorithmsDoNotShare) {
    EXPECT_THAT(labelConfigurations({config("name = \"sync_sgd\"\n", "batch_size = 32\n"),
                                     config("name = \"dasgd\"\ndelay = 2\n", "batch_size = 64\n")}),
                ElementsAre("sync_sgd train.batch_size=32", "dasgd train.batch_size=64"));
}

TEST(Configuration, AMissingKeySetsApart) {
    EXPECT_THAT(labelConfigurations({config("name = \"a\"\n"), config("name = \"a\"\nx = 1\n")}),
                ElementsAre("a", "a x=1"));
}

TEST(Configuration, FieldsOfAnotherPluginAreNoDifferenceOfTheirOwn) {
    const auto with = [](const char* optimizer) { return config("name = \"a\"\n", optimizer); };
    EXPECT_THAT(differencesOf({with("[optimizer]\nname = \"sgd\"\nmomentum = 0.9\n"),
                               with("[optimizer]\nname = \"adamw\"\nbeta = 0.99\n")}),
                ElementsAre(ElementsAre(Pair("optimizer.name", "sgd")), ElementsAre(Pair("optimizer.name", "adamw"))));
}

TEST(Configuration, TellsOnWhichSetTheBestModelIsChosen) {
    EXPECT_FALSE(choosesOnValidation(config("name = \"a\"\n")));
    EXPECT_FALSE(choosesOnValidation(config("name = \"a\"\n", "[data]\nvalidation = 0.0\n")));
    EXPECT_TRUE(choosesOnValidation(config("name = \"a\"\n", "[data]\nvalidation = 0.05\n")));
}

TEST(Configuration, KeysThatStandApartAreNoDifference) {
    const std::vector<Settings> all{config("name = \"a\"\n", "[cluster]\nworkers = 1\n", 1),
                                    config("name = \"a\"\n", "[cluster]\nworkers = 8\n", 2)};
    EXPECT_THAT(differencesOf(all, {"cluster.workers"}), ElementsAre(IsEmpty(), IsEmpty()));
    EXPECT_THAT(differencesOf(all).front(), ElementsAre(Pair("cluster.workers", "1")));
}

TEST(Configuration, NumbersValuesThatAreTooLongToRead) {
    const auto matrix = [](const std::string& last) {
        return config("name = \"a\"\nx = [[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, " + last + "]]\n");
    };
    EXPECT_THAT(labelConfigurations({matrix("8"), config("name = \"a\"\nx = [[1]]\n"), matrix("9"), matrix("8")}),
                ElementsAre("a x=#1", "a x=[[1]]", "a x=#2", "a x=#1 #2"));
}

}  // namespace
}  // namespace dasgd
