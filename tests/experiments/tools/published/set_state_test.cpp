#include "experiments/tools/published/set_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "experiments/config/checked_experiment.h"
#include "tests/support/paths.h"
#include "tests/support/runs.h"
#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kSuite =
    "name = \"s\"\n[algorithm]\nname = \"sync_sgd\"\n[model]\nname = \"layer_table\"\ndense = [[4, 1]]\n[train]\nsteps "
    "= 5\n"
    "[cluster]\nbackend = \"virtual\"\n[compute]\nmode = \"time-only\"\nstep_time = \"1ms\"\n";

PublishedSet setOf(const std::string& suite, const std::string& command = "") {
    PublishedSet set;
    set.name = "a";
    set.suite = suite;
    set.command = command;
    return set;
}

PublishedNumber pointed(const std::string& pointer, double published) {
    PublishedNumber number;
    number.what = pointer;
    number.published = {published};
    number.pointer = pointer;
    return number;
}

TEST(SetState, NumbersOfACommandAreAtTheirPlacesAndItRunsOnce) {
    PublishedSet set = setOf("s.toml", "count {suite} --json");
    set.numbers = {pointed("/rows/0", 3), pointed("/rows/1", 3)};
    int calls = 0;
    const auto output = [&](const std::vector<std::string>& arguments) -> Result<std::string> {
        ++calls;
        EXPECT_THAT(arguments, ElementsAre("count", "folder/s.toml", "--json"));
        return std::string("{\"rows\": [3, 6]}");
    };
    const auto state = stateOf(set, "folder", nullptr, output);
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(state->numbers[0].verdict, Verdict::Agrees);
    EXPECT_EQ(state->numbers[1].verdict, Verdict::Differs);
    EXPECT_EQ(state->count(Verdict::Differs), 1U);
    set.numbers = {pointed("/rows/2", 3)};
    EXPECT_THAT(stateOf(set, "folder", nullptr, output).error().message, HasSubstr("no number at /rows/2"));
    const auto words = [](const std::vector<std::string>&) -> Result<std::string> { return std::string("words"); };
    EXPECT_THAT(stateOf(set, "folder", nullptr, words).error().message, HasSubstr("printed no JSON"));
    const auto broken = [](const std::vector<std::string>&) -> Result<std::string> { return fail("it broke"); };
    EXPECT_EQ(stateOf(set, "folder", nullptr, broken).error().message, "it broke");
}

TEST(SetState, AQueryWaitsForTheRunsOfItsSuite) {
    const test::TempDir folder;
    folder.write("s.toml", kSuite);
    PublishedSet set = setOf("s.toml");
    PublishedNumber number;
    number.what = "x";
    number.published = {1};
    number.query = "SELECT 1";
    set.numbers = {number};
    const auto none = [](const std::vector<std::string>&) -> Result<std::string> { return fail("nothing to start"); };
    const auto state = stateOf(set, folder.path(), nullptr, none);
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(state->numbers[0].verdict, Verdict::NotRun);
    EXPECT_EQ(state->missing, 1U);
    set.suite = "other.toml";
    EXPECT_THAT(stateOf(set, folder.path(), nullptr, none).error().message, HasSubstr("other.toml"));
}

// True where the text matches a pattern of SQL's LIKE.
bool isLike(const std::string& text, const std::string& pattern) {
    std::string form;
    for (const char c : pattern) {
        form += c == '%'                                      ? std::string(".*")
                : std::isalnum(static_cast<unsigned char>(c)) ? std::string(1, c)
                                                              : std::string("\\") + c;
    }
    return std::regex_match(text, std::regex(form));
}

// Each query of the shipped list is SQL over the views, and each label that it names is one of its suite's.
TEST(SetState, TheShippedQueriesReadWhatTheirSuitesRecord) {
    test::OneRun run;
    run.finish();
    storage::WorkspaceReader reader = run.reader();
    const std::filesystem::path folder = std::filesystem::path(test::kSourceDir) / "experiments";
    int queries = 0;
    for (const PublishedSet& set : test::orDie(readPublished(folder / "published.toml"))) {
        std::vector<CheckedExperiment> experiments;
        for (const PublishedNumber& number : set.numbers) {
            if (number.query.empty()) continue;
            ++queries;
            if (experiments.empty()) experiments = test::orDie(loadExperiments((folder / set.suite).string(), {}));
            const auto row = reader.firstRow(storage::overRuns({}, number.query));
            EXPECT_TRUE(row) << number.what << ": " << row.error().message;
            static const std::regex kLabel("label (?:LIKE|=) '([^']*)'");
            for (std::sregex_iterator found(number.query.begin(), number.query.end(), kLabel), end; found != end;
                 ++found) {
                const std::string pattern = (*found)[1];
                EXPECT_TRUE(
                    std::ranges::any_of(experiments, [&](const auto& one) { return isLike(one.label, pattern); }))
                    << number.what << ": no run of " << set.suite << " is labelled " << pattern;
            }
        }
    }
    EXPECT_GT(queries, 15);
}

}  // namespace
}  // namespace dasgd::experiments
