// Commit, uncommitted changes, machine, versions.
#include "experiments/run/record/provenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "experiments/run/host/hardware.h"
#include "tests/support/git_folder.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ProvenanceTest : public ::testing::Test {
protected:
    void git(const std::string& command) const { folder_.git(command); }
    // A commit in which `e` holds "1".
    void commitFile() const { EXPECT_EQ(folder_.commit("e", "1\n").size(), 40u); }
    [[nodiscard]] std::string trap() const { return "sh -c 'touch " + (folder_ / "ran").string() + "'"; }
    test::GitFolder folder_;
};

TEST_F(ProvenanceTest, KnowsTheCommitAndWhatIsNotInIt) {
    const std::string commit = folder_.commit("e.toml", "a = 1\n");
    const Provenance clean = collectProvenance(folder_.path());
    EXPECT_EQ(clean.gitCommit, commit);
    EXPECT_FALSE(clean.gitDirty);
    test::writeText(folder_ / "untracked", "x");
    EXPECT_FALSE(collectProvenance(folder_.path()).gitDirty);
    test::writeText(folder_ / "e.toml", "a = 2\n");
    const Provenance dirty = collectProvenance(folder_.path());
    EXPECT_TRUE(dirty.gitDirty);
    EXPECT_THAT(dirty.gitDirtyDiff, HasSubstr("-a = 1\n+a = 2\n"));
}

TEST_F(ProvenanceTest, RunsNothingThatTheRepositoryNames) {
    commitFile();
    git("config diff.external \"" + trap() + "\"");
    git("config core.fsmonitor \"" + trap() + "\"");
    git("config core.hooksPath \"" + folder_.path().string() + "\"");
    git("config diff.trap.textconv \"" + trap() + "\"");
    git("config filter.trap.clean \"" + trap() + "\"");
    git("config filter.trap.process \"" + trap() + "\"");
    git("config filter.trap.required true");
    test::writeText(folder_ / ".gitattributes", "* filter=trap diff=trap\n");
    test::writeText(folder_ / "e", "2\n");
    const Provenance dirty = collectProvenance(folder_.path());
    EXPECT_TRUE(dirty.gitDirty);
    EXPECT_THAT(dirty.gitDirtyDiff, HasSubstr("-1\n+2\n"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
}

TEST_F(ProvenanceTest, RunsNoFilterWhateverItIsCalled) {
    commitFile();
    test::writeText(folder_ / ".git/config", test::contentOf(folder_ / ".git/config") +
                                                 "[filter \"x=y\"]\nclean = " + trap() + "\nrequired = true\n");
    test::writeText(folder_ / ".gitattributes", "* filter=x=y\n");
    test::writeText(folder_ / "e", "2\n");
    EXPECT_TRUE(collectProvenance(folder_.path()).gitDirty);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
}

TEST_F(ProvenanceTest, FetchesNothingThatIsMissing) {
    commitFile();
    const std::string blob = "$(git -C '" + folder_.path().string() + "' rev-parse HEAD:e)";
    git("config extensions.partialClone origin");
    git("config remote.origin.promisor true");
    git("config protocol.ext.allow always");
    git("config remote.origin.url \"ext::sh -c touch% " + (folder_ / "ran").string() + "\"");
    const std::string remove = "b=" + blob + "; rm -f '" + folder_.path().string() +
                               "'/.git/objects/$(echo $b | cut -c1-2)/$(echo $b | cut -c3-)";
    ASSERT_EQ(std::system(remove.c_str()), 0);
    test::writeText(folder_ / "e", "2\n");
    EXPECT_TRUE(collectProvenance(folder_.path()).gitDirty);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
}

TEST(Provenance, SaysWhatOfTheHostsCoresIsForUs) {
    EXPECT_EQ(coresInWords(16, 16, std::nullopt), "16 cores to use");
    EXPECT_EQ(coresInWords(16, 16, 16), "16 cores to use");
    EXPECT_EQ(coresInWords(8, 16, std::nullopt), "8 of 16 cores to use");
    EXPECT_EQ(coresInWords(16, 16, 1.5), "16 cores to use for the time of 1.5");
    EXPECT_EQ(coresInWords(8, 16, 1.0 / 3), "8 of 16 cores to use for the time of 0.33");
}

TEST(Provenance, NamesLibrariesAndMachine) {
    const auto versions = nlohmann::json::parse(versionsJson());
    for (const char* name : {"dasgd", "LibTorch", "SQLite", "Gloo headers", "compiler", "kernel"}) {
        EXPECT_FALSE(versions.value(name, "").empty()) << name;
    }
    EXPECT_THAT(versions.value("dasgd", ""), ::testing::MatchesRegex("[0-9.]+, build [0-9a-f]{12}"));
    EXPECT_THAT(collectProvenance("/").cpu,
                ::testing::MatchesRegex(
                    ".+, [0-9]+( of [0-9]+)? cores to use( for the time of [0-9.]+)?, [0-9.]+ [MGT]B memory"));
    EXPECT_FALSE(collectProvenance("/").host.empty());
    EXPECT_EQ(collectProvenance("/").hardware, hardware());
}

}  // namespace
}  // namespace dasgd::experiments
