// `dasgd diff`.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "storage/read/run_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/git_folder.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Runs of two commits, whose workspace lies in their repository; the newer two differ in a setting.
class DiffCommand : public ::testing::Test {
protected:
    void SetUp() override {
        commits_.push_back(repository_.commit("e.toml", test::quickExperiment("threads", 4)));
        run({});
        commits_.push_back(repository_.commit("e.toml", "# longer\n" + test::quickExperiment("threads", 6)));
        run({});
        run({"--set", "train.gradient_clip=1"});
    }
    void run(const std::vector<std::string>& more) {
        std::vector<std::string> words{"run", "e.toml", "-w", "w", "-q"};
        words.insert(words.end(), more.begin(), more.end());
        const test::Ended ended = folder_.run(words);
        ASSERT_EQ(ended.exit, 0) << ended.err;
        auto reader = storage::RunReader::open(folder_.workspace());
        runs_.push_back(reader->list()->front().runId);
    }
    [[nodiscard]] nlohmann::json json(const std::string& here, const std::string& there) const {
        const test::Ended ended = folder_.run({"diff", here, there, "-w", "w", "--json"});
        EXPECT_EQ(ended.exit, 0) << ended.err;
        return nlohmann::json::parse(ended.out);
    }
    test::DasgdFolder folder_;
    const test::GitFolder repository_{folder_.path()};
    std::vector<std::string> runs_, commits_;  // oldest first
};

TEST_F(DiffCommand, TellsSettingsAndCode) {
    const test::Ended text = folder_.run({"diff", runs_[0], runs_[1], "-w", "w"});
    ASSERT_EQ(text.exit, 0) << text.err;
    EXPECT_THAT(text.out, ::testing::ContainsRegex("train.steps +4  →  6\n"));
    EXPECT_THAT(text.out, AllOf(HasSubstr("\n+# longer\n"), HasSubstr("code: commits " + commits_[0]),
                                Not(HasSubstr("algorithm."))));
    const auto both = json(runs_[0], runs_[1]);
    EXPECT_EQ(both["runs"], nlohmann::json({runs_[0], runs_[1]}));
    EXPECT_EQ(both["settings"], nlohmann::json::parse(R"([{"key": "train.steps", "values": ["4", "6"]}])"));
    EXPECT_EQ(both["code"]["commits"], nlohmann::json(commits_));
    EXPECT_THAT(both["code"]["between"].get<std::string>(), HasSubstr("+# longer"));
    EXPECT_EQ(both["code"]["unknown"], "");
}

TEST_F(DiffCommand, OfOneCommitOnlySettingsDiffer) {
    const auto both = json(runs_[1], runs_[2]);
    ASSERT_EQ(both["settings"].size(), 1u);
    EXPECT_EQ(both["settings"][0]["key"], "train.gradient_clip");
    EXPECT_EQ(both["code"]["between"], "");
    const std::string text = folder_.run({"diff", runs_[1], runs_[2], "-w", "w"}).out;
    EXPECT_THAT(text, AllOf(HasSubstr("commit " + commits_[1] + " of both\n"), Not(HasSubstr("+#"))));
    EXPECT_THAT(folder_.run({"diff", runs_[1], runs_[1], "-w", "w"}).out, HasSubstr("the same settings"));
}

TEST_F(DiffCommand, WhatWasInNoCommitIsTold) {
    folder_.write("e.toml", "# changed\n" + test::quickExperiment("threads", 6));
    run({});
    const std::string text = folder_.run({"diff", runs_[1], runs_[3], "-w", "w"}).out;
    EXPECT_THAT(text, AllOf(HasSubstr("of both, with other uncommitted changes"), HasSubstr("\n+# changed\n"),
                            HasSubstr("uncommitted in " + runs_[3])));
    EXPECT_EQ(json(runs_[1], runs_[3])["code"]["dirty"], nlohmann::json({false, true}));
}

// A workspace that was moved away from the repository.
TEST_F(DiffCommand, AsksForTheRepositoryWhereItIsNotFound) {
    const test::DasgdFolder elsewhere;
    std::filesystem::rename(folder_.workspace(), elsewhere.workspace());
    const test::Ended lost = elsewhere.run({"diff", runs_[0], runs_[1], "-w", "w"});
    ASSERT_EQ(lost.exit, 0) << lost.err;
    EXPECT_THAT(lost.out, AllOf(HasSubstr("train.steps"), HasSubstr("is in no git repository"),
                                HasSubstr("--repository FOLDER"), Not(HasSubstr("+# longer"))));
    const test::Ended found =
        elsewhere.run({"diff", runs_[0], runs_[1], "-w", "w", "--repository", folder_.path().string()});
    EXPECT_THAT(found.out, HasSubstr("\n+# longer\n"));
    const test::Ended unknown = elsewhere.run({"diff", runs_[0], "nosuch", "-w", "w"});
    EXPECT_EQ(unknown.exit, 2);
    EXPECT_THAT(unknown.err, HasSubstr("nosuch"));
}

}  // namespace
}  // namespace dasgd::experiments
