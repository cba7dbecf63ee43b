#include "experiments/tools/advise/candidates.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "experiments/tools/report/run_summary.h"

namespace dasgd::experiments {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

const std::vector<AlgorithmInfo>& algorithms() {
    static const std::vector<AlgorithmInfo> kAll = registeredAlgorithms();
    return kAll;
}

std::vector<Candidate> candidates(const Advice& advice, bool byMessages) {
    return candidatesOf(advice, byMessages, algorithms());
}

std::vector<std::string> settingsOfCandidates(const std::vector<Candidate>& made) {
    std::vector<std::string> all;
    for (const Candidate& one : made) all.push_back(one.settings.toToml());
    return all;
}

TEST(Candidates, AreTheAdviceAndWhatIsAskedAboutBesideIt) {
    const auto all =
        settingsOfCandidates(candidates({.period = 8, .delay = 3, .localWeight = 0, .correction = 1}, true));
    const auto merge = [](const char* values) { return "{ name = \"dasgd\", " + std::string(values) + " }"; };
    EXPECT_THAT(all, Contains(merge("period = 8, delay = 3, local_weight = 0.0, correction = 1.0")));
    EXPECT_THAT(all, Contains(merge("period = 8, delay = 2, local_weight = 0.0, correction = 1.0")));
    EXPECT_THAT(all, Contains(merge("period = 8, delay = 3, local_weight = 0.25, correction = 0.0")));
    EXPECT_THAT(all, Contains(merge("period = 4, delay = 1, local_weight = 0.25, correction = 0.0")));
    EXPECT_THAT(all, Contains("{ name = \"local_sgd\", period = 8 }"));
    EXPECT_THAT(all, Contains("{ name = \"local_sgd\", period = 4 }"));
    EXPECT_THAT(all, Contains("{ name = \"independent\" }"));
}

TEST(Candidates, HybridSgdWantsMessagesAndIsNeverTrained) {
    const Advice advice{.period = 8, .delay = 3, .localWeight = 0, .correction = 1};
    EXPECT_THAT(settingsOfCandidates(candidates(advice, false)), Not(Contains("{ name = \"hybrid_sgd\" }")));
    for (const Candidate& one : candidates(advice, true)) {
        const std::string name = *one.settings.find("name")->as<std::string>();
        EXPECT_EQ(one.trainable, name != "hybrid_sgd" && name != "independent") << name;
    }
    EXPECT_THAT(settingsOfCandidates(candidates(advice, true)), Contains("{ name = \"hybrid_sgd\" }"));
}

TEST(Candidates, OneIsTheAdviceAndOneOnlyComputes) {
    const Advice advice{.period = 4, .delay = 1, .localWeight = 0.25, .correction = 0};
    const auto all = candidates(advice, true);
    const auto ofRole = [&](CandidateRole role) { return std::ranges::count(all, role, &Candidate::role); };
    EXPECT_EQ(ofRole(CandidateRole::Advised), 1) << "where the published setting is what is advised, too";
    EXPECT_EQ(ofRole(CandidateRole::Alone), 1);
    EXPECT_EQ(all.back().role, CandidateRole::Alone);
    EXPECT_GT(ofRole(CandidateRole::Buckets), 1) << "sizes to choose the best of";
}

// Candidates follow from the algorithms' declarations: another algorithm joins by its own.
TEST(Candidates, FollowFromWhatTheAlgorithmsDeclare) {
    const auto declared = [](const char* name, CommunicationPattern pattern) {
        return AlgorithmInfo{{.name = name}, pattern};
    };
    const std::vector<AlgorithmInfo> some{
        declared("alone", {.kind = CommunicationPattern::Kind::None}),
        declared("rounds", withForecast(ForecastRole::Blocking, averagesEvery(ofField("every")))),
        declared("silent", averagesEvery(ofField("period"))),
        declared("messages", withForecast(ForecastRole::Messages, noFormula("they share links"))),
        declared("buckets", withForecast(ForecastRole::Buckets, {.kind = CommunicationPattern::Kind::Gradients}))};
    const Advice advice{.period = 6, .delay = 2, .localWeight = 0, .correction = 1};
    EXPECT_THAT(settingsOfCandidates(candidatesOf(advice, true, some)),
                ElementsAre("{ name = \"buckets\", bucket_mb = 1.0 }", "{ name = \"buckets\", bucket_mb = 5.0 }",
                            "{ name = \"buckets\", bucket_mb = 25.0 }", "{ name = \"buckets\", bucket_mb = 100.0 }",
                            "{ name = \"messages\" }", "{ name = \"rounds\", every = 4 }",
                            "{ name = \"rounds\", every = 6 }", "{ name = \"alone\" }"));
    const auto withRole = [](ForecastRole role) {
        return std::ranges::count_if(algorithms(),
                                     [&](const AlgorithmInfo& each) { return each.communication.forecast == role; });
    };
    EXPECT_EQ(withRole(ForecastRole::Advised), 1) << "the one that the advice is for";
    EXPECT_GE(withRole(ForecastRole::Buckets), 1);
}

TEST(Candidates, SayTheirSettingsInOneLine) {
    EXPECT_EQ(inWords(candidates({.period = 8, .delay = 3}, false).front().settings), "sync_sgd bucket_mb=1.0");
}

TEST(Candidates, AskNothingTwice) {
    auto all = settingsOfCandidates(candidates({.period = 4, .delay = 1, .localWeight = 0, .correction = 1}, true));
    std::ranges::sort(all);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
    EXPECT_THAT(all,
                Not(Contains("{ name = \"dasgd\", period = 4, delay = 0, local_weight = 0.0, correction = 1.0 }")));
}

TEST(Candidates, AreTimedFromTheStartOnAndCountWhatTheMergeKeeps) {
    for (const Candidate& one : candidates({.period = 8, .delay = 2, .localWeight = 0, .correction = 1}, true)) {
        EXPECT_EQ(one.settings.find("snapshot_at_zero"), nullptr) << one.settings.toToml();
        const bool merges = *one.settings.find("name")->as<std::string>() == "dasgd";
        EXPECT_EQ(one.timed.find("snapshot_at_zero") != nullptr, merges) << one.timed.toToml();
        if (one.settings.toToml().find("period = 8, delay = 2, local_weight = 0.25") == std::string::npos) continue;
        EXPECT_DOUBLE_EQ(one.effective, 1 - 0.75 * 2 / 8);
    }
}

TEST(Candidates, AreTimedForWholeRounds) {
    for (const std::int64_t period : {1, 3, 5, 15, 16, 256}) {
        const std::int64_t counted = timedSteps(period) - kWarmUpSteps;
        EXPECT_GE(counted, 60);
        EXPECT_EQ(counted % period, 0) << period;
        EXPECT_EQ(counted % 4, 0) << period;
    }
}

}  // namespace
}  // namespace dasgd::experiments
