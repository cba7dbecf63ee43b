// Diffs of commits of repositories that may be anyone's.
#include "experiments/run/record/repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/dasgd_program.h"
#include "tests/support/git_folder.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Repository, TellsWhatLiesBetweenTwoCommits) {
    const test::GitFolder folder;
    const std::string first = folder.commit("e", "1\n"), second = folder.commit("e", "2\n");
    std::filesystem::create_directories(folder / "workspace");
    for (const std::filesystem::path& place : {folder.path(), folder / "workspace"}) {
        const auto diff = diffOfCommits(place, first, second);
        ASSERT_TRUE(diff) << diff.error().message;
        EXPECT_THAT(*diff, HasSubstr("-1\n+2\n"));
    }
    EXPECT_EQ(diffOfCommits(folder.path(), first, first).value(), "");
    EXPECT_THAT(diffOfCommits(folder.path(), second, first).value(), HasSubstr("-2\n+1\n"));
    EXPECT_EQ(commitIn(folder.path()), second);
}

TEST(Repository, SaysWhyThereIsNoDiff) {
    const test::GitFolder folder;
    const std::string known = folder.commit("e", "1\n"), unknown(40, 'a');
    const auto why = [&](const std::filesystem::path& place, const std::string& from, const std::string& to) {
        const auto diff = diffOfCommits(place, from, to);
        return diff ? "a diff" : diff.error().message;
    };
    EXPECT_THAT(why(folder.path(), known, unknown), AllOf(HasSubstr("has no commit " + unknown)));
    EXPECT_THAT(why("/", known, known), HasSubstr("/ is in no git repository"));
    EXPECT_THAT(why(folder / "none", known, known), HasSubstr("in no git repository"));
    // A record may name anything.
    for (const char* name : {"", "HEAD", "--output=x", "HEAD~1", "abcdef0;x"}) {
        EXPECT_THAT(why(folder.path(), known, name), HasSubstr("is no hash")) << name;
    }
    EXPECT_EQ(commitIn("/"), std::nullopt);
}

TEST(Repository, ADiffRunsNothingThatTheRepositoryNames) {
    const test::GitFolder folder;
    const std::string trap = "sh -c 'touch " + (folder / "ran").string() + "'";
    folder.git("config diff.external \"" + trap + "\"");
    folder.git("config core.pager \"" + trap + "\"");
    folder.git("config diff.trap.textconv \"" + trap + "\"");
    folder.git("config diff.trap.command \"" + trap + "\"");
    folder.git("config filter.trap.smudge \"" + trap + "\"");
    const std::string first = folder.commit(".gitattributes", "* filter=trap diff=trap\n");
    const std::string second = folder.commit("e", "2\n");
    std::filesystem::remove(folder / "ran");
    const auto diff = diffOfCommits(folder.path(), first, second);
    ASSERT_TRUE(diff) << diff.error().message;
    EXPECT_THAT(*diff, HasSubstr("+2\n"));
    EXPECT_FALSE(std::filesystem::exists(folder / "ran"));
}

// With diff.submodule = diff git would show the submodule's own diff, by its own configuration.
TEST(Repository, ADiffRunsNothingThatASubmoduleNames) {
    const test::GitFolder folder, inner;
    const std::string trap = "sh -c 'touch " + (folder / "ran").string() + "'";
    const std::string then = inner.commit("e", "1\n"), now = inner.commit("e", "2\n");
    folder.git("-c protocol.file.allow=always submodule add '" + inner.path().string() + "' sub");
    const test::GitFolder sub(folder / "sub");
    sub.git("config diff.external \"" + trap + "\"");
    sub.git("checkout -q " + then);
    folder.git("config diff.submodule diff");
    folder.git("add sub");
    const std::string first = folder.commit("e", "1\n");
    sub.git("checkout -q " + now);
    folder.git("add sub");
    const std::string second = folder.commit("e", "2\n");
    const auto diff = diffOfCommits(folder.path(), first, second);
    ASSERT_TRUE(diff) << diff.error().message;
    EXPECT_THAT(*diff, AllOf(HasSubstr("+Subproject commit " + now), HasSubstr("+2\n")));
    sub.git("checkout -q " + then);
    EXPECT_THAT(uncommittedIn(folder.path()).diff, HasSubstr("+Subproject commit " + then));
    EXPECT_FALSE(std::filesystem::exists(folder / "ran"));
}

// The user's configuration would have git show something else.
TEST(Repository, ADiffIsOfAllFilesAndPlain) {
    const test::GitFolder folder;
    folder.git("config diff.relative true");
    folder.git("config color.diff always");
    std::filesystem::create_directories(folder / "workspace");
    const std::string first = folder.commit("e", "1\n"), second = folder.commit("e", "2\n");
    EXPECT_THAT(diffOfCommits(folder / "workspace", first, second).value(), HasSubstr("\n-1\n+2\n"));
    test::writeText(folder / "e", "3\n");
    EXPECT_THAT(uncommittedIn(folder / "workspace").diff, HasSubstr("\n-2\n+3\n"));
}

TEST(Repository, ALongDiffIsCutOffAndSaysSo) {
    const test::GitFolder folder;
    std::string text;
    for (int line = 0; text.size() < (3 << 20) / 2; ++line) text += "line " + std::to_string(line) + "\n";
    const std::string first = folder.commit("e", "1\n"), second = folder.commit("e", text);
    const std::string diff = diffOfCommits(folder.path(), first, second).value();
    EXPECT_LT(diff.size(), (1u << 20) + 100);
    EXPECT_TRUE(diff.ends_with("[cut off after 1 MiB]\n"));
    test::writeText(folder / "e", "1\n");
    const UncommittedChanges changes = uncommittedIn(folder.path());
    EXPECT_TRUE(changes.any);
    EXPECT_TRUE(changes.diff.ends_with("[cut off after 1 MiB]\n"));
}

}  // namespace
}  // namespace dasgd::experiments
