// Experiments that a document with a sweep stands for.
#include "experiments/config/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/schema/toml_reader.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> labels(const std::string& text, const Overrides& overrides = {}) {
    const auto document = parseToml(text, "f.toml");
    const auto expanded = expandExperiments(*document, overrides);
    if (!expanded) return {"error: " + expanded.error().message};
    std::vector<std::string> all;
    for (const auto& experiment : *expanded) all.push_back(experiment.label);
    return all;
}

Value only(const std::string& text, const Overrides& overrides) {
    return expandExperiments(*parseToml(text, "f.toml"), overrides)->at(0).document;
}

TEST(Sweep, WithoutOneIsTheDocument) { EXPECT_THAT(labels("a = 1"), ElementsAre("")); }

TEST(Sweep, TurnsTheLastAxisFastest) {
    EXPECT_THAT(labels("[t]\nx=0\n[sweep]\n\"t.x\" = [1, 2]\n\"t.seed\" = [7, 8]\n"),
                ElementsAre("t.x=1, t.seed=7", "t.x=1, t.seed=8", "t.x=2, t.seed=7", "t.x=2, t.seed=8"));
}

TEST(Sweep, ReplacesWholeTables) {
    const auto document = parseToml(
        "[algorithm]\nname = \"dasgd\"\ndelay = 3\n[sweep]\nalgorithm = [{name = \"sync_sgd\"}, {name = \"local_sgd\", "
        "period = 4}]\n",
        "f.toml");
    const auto expanded = expandExperiments(*document, {});
    ASSERT_TRUE(expanded) << expanded.error().message;
    ASSERT_EQ(expanded->size(), 2u);
    EXPECT_EQ(expanded->at(0).document.find("algorithm")->find("delay"), nullptr);
    EXPECT_EQ(expanded->at(1).label, "algorithm=local_sgd period=4");
    EXPECT_EQ(expanded->at(1).document.find("sweep"), nullptr);
}

TEST(Sweep, KeepsThePlacesOfItsValues) {
    const auto document = parseToml("[t]\nx = 0\n[sweep]\n\"t.x\" = [1,\n  -2]\n", "f.toml");
    const auto expanded = expandExperiments(*document, {});
    EXPECT_EQ(expanded->at(1).document.find("t")->find("x")->position().prefix(), "f.toml:5:3: ");
    EXPECT_EQ(expanded->at(1).document.find("t")->find("x")->keyPosition().prefix(), "f.toml:4:1: ");
}

TEST(Sweep, TakesSetsAndSweepsOfTheCommandLine) {
    EXPECT_EQ(only("a = 1", {{"b.c=8"}, {}}).find("b")->find("c")->position().prefix(), "--set b.c=8: ");
    EXPECT_EQ(*only("[a]\nb = 1", {{"a.b=2", "a.b=3"}, {}}).find("a")->find("b")->as<std::int64_t>(), 3);
    EXPECT_THAT(labels("a = 1", {{}, {"a=1..3"}}), ElementsAre("a=1", "a=2", "a=3"));
    EXPECT_THAT(labels("a = 1", {{}, {"a=1,5..6,x,[1, 2]"}}), ElementsAre("a=1", "a=5", "a=6", "a=x", "a=[1, 2]"));
    EXPECT_THAT(labels("[sweep]\na = [1, 2]\nb = [3]", {{}, {"a=9"}}), ElementsAre("a=9, b=3"));
    EXPECT_THAT(labels("[sweep]\na = [1, 2]", {{"a=9"}, {}}), ElementsAre(""));
}

TEST(Sweep, RefusesWhatMakesNoSense) {
    const auto error = [](const std::string& text, const Overrides& overrides = {}) {
        return labels(text, overrides).front();
    };
    EXPECT_THAT(error("sweep = 3"), StartsWith("error: f.toml:1:9: sweep must be a table"));
    EXPECT_THAT(error("[sweep]\na = 3"), StartsWith("error: f.toml:2:5: a sweep of a must be an array"));
    EXPECT_THAT(error("[sweep]\na = []"), HasSubstr("at least one"));
    EXPECT_THAT(error("[sweep]\nalgorithm.delay = [1]"), StartsWith("error: f.toml:2:1: write the key"));
    EXPECT_THAT(error("[sweep]\n\"a b\" = [1]"), StartsWith("error: f.toml:2:1: 'a b' is not a key"));
    EXPECT_THAT(error("a = 1\n[sweep]\n\"a.b\" = [1]"),
                StartsWith("error: f.toml:3:1: a.b does not exist: a is an integer"));
    EXPECT_THAT(error("[sweep]\n\"t.x\" = [1]\nt = [{}]"), StartsWith("error: f.toml:3:1: replaces what"));
    EXPECT_THAT(error("[sweep]\nt = [{}]", {{"t.x=1"}, {}}), StartsWith("error: --set t.x=1: has no effect"));
    EXPECT_THAT(error("", {{"t.x"}, {}}), StartsWith("error: --set t.x: needs the form key=value"));
    EXPECT_THAT(error("", {{"t.x=a b"}, {}}), StartsWith("error: --set t.x=a b: 'a b' is not a TOML value"));
    EXPECT_THAT(error("", {{}, {"a=5..1"}}), HasSubstr("must rise"));
    EXPECT_THAT(error("", {{}, {"a=1..900000000000"}}), HasSubstr("at most"));
    EXPECT_THAT(error("", {{}, {"a=1..1000", "b=1..1000"}}), HasSubstr("more than 100000 experiments"));
}

constexpr const char* kDasgd = "[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 3\nlocal_weight = 0.25\n";

TEST(Sweep, OverAlgorithmsKeepsTheFieldsThatEachKnows) {
    const auto document = parseToml(
        std::string(kDasgd) + "[sweep]\n\"algorithm.name\" = [\"dasgd\", \"local_sgd\", \"sync_sgd\"]\n", "f.toml");
    const auto expanded = expandExperiments(*document, {});
    ASSERT_TRUE(expanded) << expanded.error().message;
    ASSERT_EQ(expanded->size(), 3U);
    const auto keys = [&](std::size_t i) {
        std::vector<std::string> all;
        for (const auto& [key, value] : *expanded->at(i).document.find("algorithm")->as<Value::Table>())
            all.push_back(key);
        return all;
    };
    EXPECT_THAT(keys(0), ElementsAre("name", "period", "delay", "local_weight"));
    EXPECT_THAT(keys(1), ElementsAre("name", "period"));
    EXPECT_THAT(keys(2), ElementsAre("name"));
    EXPECT_EQ(expanded->at(2).label, "algorithm.name=sync_sgd");
    EXPECT_THAT(expanded->at(2).dropped, ElementsAre());
}

TEST(Sweep, OverAlgorithmsLeavesAKeyThatNoneKnowsToBeRefused) {
    const auto expanded = expandExperiments(
        *parseToml(std::string(kDasgd) + "bucket_mb = 5.0\nperoid = 3\n[sweep]\n\"algorithm.name\" = [\"dasgd\", "
                                         "\"local_sgd\"]\n",
                   "f.toml"),
        {});
    for (const auto& one : *expanded) {
        EXPECT_NE(one.document.find("algorithm")->find("peroid"), nullptr);
        EXPECT_NE(one.document.find("algorithm")->find("bucket_mb"), nullptr) << "of sync_sgd, which is not swept";
    }
}

// delay means nothing to sync_sgd, so that it is one experiment and not one for each delay.
TEST(Sweep, AnAxisCountsForTheAlgorithmsThatKnowIt) {
    EXPECT_THAT(
        labels(std::string(kDasgd) +
               "[sweep]\n\"algorithm.name\" = [\"dasgd\", \"sync_sgd\"]\n\"algorithm.delay\" = [1, 2]\n"
               "\"train.seed\" = [1, 2]\n"),
        ElementsAre("algorithm.name=dasgd, algorithm.delay=1, train.seed=1",
                    "algorithm.name=dasgd, algorithm.delay=2, train.seed=1", "algorithm.name=sync_sgd, train.seed=1",
                    "algorithm.name=dasgd, algorithm.delay=1, train.seed=2",
                    "algorithm.name=dasgd, algorithm.delay=2, train.seed=2", "algorithm.name=sync_sgd, train.seed=2"));
}

// A machine that slows down over a night slows down every configuration alike.
// [graph] is left out where the algorithm mixes over none, and counts for the others.
TEST(Sweep, OverAlgorithmsKeepsTheGraphOfThoseThatMix) {
    const std::string graph = "[graph]\nname = \"ring\"\n[algorithm]\nname = \"dpsgd\"\n";
    const auto document = parseToml(graph + "[sweep]\n\"algorithm.name\" = [\"dpsgd\", \"sync_sgd\"]\n", "f.toml");
    const auto expanded = expandExperiments(*document, {});
    ASSERT_TRUE(expanded);
    ASSERT_EQ(expanded->size(), 2U);
    EXPECT_TRUE(expanded->at(0).document.find("graph"));
    EXPECT_FALSE(expanded->at(1).document.find("graph"));
    EXPECT_THAT(labels(graph + "[sweep]\nalgorithm = [{ name = \"sync_sgd\" }, { name = \"gossip_sgd\" }]\n"
                               "\"graph.name\" = [\"ring\", \"line\"]\n"),
                ElementsAre("algorithm=sync_sgd", "algorithm=gossip_sgd, graph.name=ring",
                            "algorithm=gossip_sgd, graph.name=line"));
    EXPECT_THAT(
        labels(graph + "[sweep]\n\"algorithm.name\" = [\"sync_sgd\", \"dpsgd\"]\n"
                       "graph = [{ name = \"ring\" }, { name = \"line\" }]\n"),
        ElementsAre("algorithm.name=sync_sgd", "algorithm.name=dpsgd, graph=ring", "algorithm.name=dpsgd, graph=line"));
    // Without a sweep it stays, so that it is refused.
    EXPECT_TRUE(only("[graph]\nname = \"ring\"\n[algorithm]\nname = \"sync_sgd\"\n", {}).find("graph"));
}

TEST(Sweep, SeedsTurnSlowestAndTakeCasesWithThem) {
    EXPECT_THAT(labels("[train]\nx = 0\n[sweep]\n\"train.seed\" = [7, 3]\n\"train.x\" = [1, 2]\n"
                       "[[case]]\nname = \"a\"\n[[case]]\nname = \"b\"\nsweep.\"train.seed\" = [3, 5]\n"),
                ElementsAre("case=a, train.seed=7, train.x=1", "case=a, train.seed=7, train.x=2",
                            "case=b, train.seed=3, train.x=1", "case=b, train.seed=3, train.x=2",
                            "case=a, train.seed=3, train.x=1", "case=a, train.seed=3, train.x=2",
                            "case=b, train.seed=5, train.x=1", "case=b, train.seed=5, train.x=2"));
}

TEST(Sweep, ACaseWithASeedMoreTakesItsTurnsTheSame) {
    EXPECT_THAT(labels("[sweep]\n\"train.seed\" = [1, 2]\n[[case]]\nname = \"calm\"\n"
                       "[[case]]\nname = \"jitter\"\n[case.compute]\njitter = \"normal(0.1)\"\nseed = 7\n"),
                ElementsAre("case=calm, train.seed=1", "case=jitter, train.seed=1", "case=calm, train.seed=2",
                            "case=jitter, train.seed=2"));
}

TEST(Sweep, SettingAnotherAlgorithmNamesTheKeysToDrop) {
    EXPECT_THAT(labels(kDasgd, {{"algorithm.name=local_sgd"}, {}}).front(),
                AllOf(StartsWith("error: f.toml:4:1: local_sgd (--set algorithm.name=local_sgd) does not know delay, "
                                 "local_weight"),
                      HasSubstr("--drop-unknown")));
    EXPECT_THAT(labels("[optimizer]\nmomentum = 0.9\n", {{"optimizer.name=adamw"}, {}}).front(),
                StartsWith("error: f.toml:2:1: adamw (--set optimizer.name=adamw) does not know momentum"));
}

TEST(Sweep, DropsWhatOnlyAnotherPluginKnows) {
    const Overrides overrides{.set = {"algorithm.name=local_sgd", "optimizer.name=adamw"}, .dropUnknown = true};
    const auto expanded = expandExperiments(
        *parseToml(std::string(kDasgd) + "peroid = 1\n[optimizer]\nmomentum = 0.9\nlearning_rate = 0.1\n", "f.toml"),
        overrides);
    ASSERT_TRUE(expanded) << expanded.error().message;
    EXPECT_THAT(expanded->at(0).dropped,
                ElementsAre("algorithm.delay", "algorithm.local_weight", "optimizer.momentum"));
    const Value& algorithm = *expanded->at(0).document.find("algorithm");
    EXPECT_EQ(algorithm.find("delay"), nullptr);
    EXPECT_NE(algorithm.find("period"), nullptr);
    EXPECT_NE(algorithm.find("peroid"), nullptr) << "a slip of the pen is no other algorithm's field";
    EXPECT_NE(expanded->at(0).document.find("optimizer")->find("learning_rate"), nullptr);
}

TEST(Sweep, ASectionThatAnotherAlgorithmDoesNotReadIsDroppedOrNamed) {
    const std::string gossip = "[algorithm]\nname = \"dpsgd\"\n[graph]\nname = \"ring\"\n";
    EXPECT_THAT(
        labels(gossip, {{"algorithm.name=local_sgd"}, {}}).front(),
        StartsWith("error: f.toml:3:2: local_sgd (--set algorithm.name=local_sgd) does not read [graph]: remove "
                   "it, or leave it out with --drop-unknown"));
    const auto dropping = [&](std::vector<std::string> set) {
        set.insert(set.begin(), "algorithm.name=local_sgd");
        return expandExperiments(*parseToml(gossip, "f.toml"), {.set = set, .dropUnknown = true}).value().at(0);
    };
    EXPECT_THAT(dropping({}).dropped, ElementsAre("[graph]"));
    EXPECT_EQ(dropping({}).document.find("graph"), nullptr);
    EXPECT_THAT(dropping({"graph.name=line"}).dropped, ElementsAre()) << "what the command line sets is refused later";
    const auto kept =
        expandExperiments(*parseToml(gossip, "f.toml"), {.set = {"algorithm.name=oldsgd"}, .dropUnknown = true});
    EXPECT_NE(kept.value().at(0).document.find("graph"), nullptr);
}

TEST(Sweep, NeverDropsWhatTheCommandLineSets) {
    const Overrides overrides{.set = {"algorithm.name=local_sgd", "algorithm.delay=2"}, .dropUnknown = true};
    const auto expanded = expandExperiments(*parseToml(kDasgd, "f.toml"), overrides);
    ASSERT_TRUE(expanded) << expanded.error().message;
    EXPECT_NE(expanded->at(0).document.find("algorithm")->find("delay"), nullptr);
    EXPECT_THAT(expanded->at(0).dropped, ElementsAre("algorithm.local_weight"));
}

}  // namespace
}  // namespace dasgd::experiments
