// Profiles of clusters: read with their places, found by name, and ranks placed on their hosts.
#include "experiments/config/cluster_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

TEST(ClusterProfile, ReadsEveryField) {
    const test::TempDir folder;
    const auto file =
        folder.write("lab.toml",
                     "kind = \"ssh\"\nhosts = [\"node1\", \"ada@node2:2222\"]\nranks_per_host = 2\n"
                     "threads = 3\ngpus = 1\ninterface = \"eth1\"\nport = 29500\nworkspace = \"/local/w\"\n"
                     "dasgd = \"~/bin/dasgd\"\n[ssh]\noptions = [\"-J\", \"gate\"]\n"
                     "[environment]\nOMP_PROC_BIND = \"true\"\nN = 3\n");
    const auto profile = readClusterProfile(file);
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile->name, "lab");
    EXPECT_EQ(profile->kind, "ssh");
    EXPECT_EQ(profile->sshHosts()[1].port, 2222);
    EXPECT_EQ(profile->threads, 3);
    EXPECT_EQ(profile->interface, "eth1");
    EXPECT_EQ(profile->workspaceThere(), "/local/w");
    EXPECT_THAT(profile->ssh.options, ElementsAre("-J", "gate"));
    EXPECT_THAT(profile->environment, ElementsAre(Pair("OMP_PROC_BIND", "true"), Pair("N", "3")));

    const auto slurm = readClusterProfile(folder.write(
        "big.toml",
        "kind = \"slurm\"\n[slurm]\npartition = \"long\"\ntime = \"02:00:00\"\nexclusive = true\nmem = 4000\n"));
    ASSERT_TRUE(slurm) << slurm.error().message;
    EXPECT_THAT(slurm->slurm, ElementsAre(Pair("partition", "long"), Pair("time", "02:00:00"), Pair("exclusive", ""),
                                          Pair("mem", "4000")));
}

struct WrongProfile {
    std::string name, text, place, says;
};
std::ostream& operator<<(std::ostream& out, const WrongProfile& wrong) { return out << wrong.name; }

class WrongProfiles : public ::testing::TestWithParam<WrongProfile> {};

TEST_P(WrongProfiles, AreRefusedAtTheirPlace) {
    const test::TempDir folder;
    const auto file = folder.write("c.toml", GetParam().text);
    const auto profile = readClusterProfile(file);
    ASSERT_FALSE(profile);
    EXPECT_THAT(profile.error().message, StartsWith(file.string() + GetParam().place));
    EXPECT_THAT(profile.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Table, WrongProfiles,
    ::testing::Values(
        WrongProfile{"kind", "kind = \"lsf\"\n", ":1:8: ", "local"},
        WrongProfile{"key", "kind = \"ssh\"\nhost = [\"a\"]\n", ":2:", "did you mean 'hosts'?"},
        WrongProfile{"type", "kind = \"ssh\"\nhosts = \"a\"\n", ":2:9: ", "hosts must be an array"},
        WrongProfile{"noHosts", "kind = \"ssh\"\n", ":1:8: ", "needs hosts"},
        WrongProfile{"hostsOfLocal", "hosts = [\"a\"]\n", ":1:9: ", "hosts are of kind \"ssh\""},
        WrongProfile{"hostThatIsAnOption", "kind = \"ssh\"\nhosts = [\"-oProxyCommand=x\"]\n", ":2:9: ", "is no host"},
        WrongProfile{"twice", "kind = \"ssh\"\nhosts = [\"a\", \"a\"]\n", ":2:9: ", "is there twice"},
        WrongProfile{"ranks", "ranks_per_host = -1\n", ":1:18: ", "ranks_per_host"},
        WrongProfile{"variable", "[environment]\n\"A B\" = \"x\"\n", ":2:1: ", "is no name of an environment variable"},
        WrongProfile{"variableLines", "[environment]\nA = \"x\\ny\"\n", ":2:5: ", "one line"},
        WrongProfile{"slurmKey", "kind = \"slurm\"\n[slurm]\n\"a\\nb\" = \"x\"\n", ":3:1: ", "is no option of sbatch"},
        WrongProfile{"slurmValue", "kind = \"slurm\"\n[slurm]\npartition = \"x\\n#SBATCH --uid=0\"\n",
                     ":3:13: ", "one line"},
        WrongProfile{"slurmOwn", "kind = \"slurm\"\n[slurm]\nntasks = 3\n", ":3:1: ", "leave it out"},
        WrongProfile{"slurmOfSsh", "kind = \"ssh\"\nhosts = [\"a\"]\n[slurm]\n", ":3:", "is of kind \"slurm\""},
        WrongProfile{"program", "kind = \"slurm\"\ndasgd = \"-x\"\n", ":2:9: ", "is no path of a program"},
        WrongProfile{"placesOfLocal", "ranks_per_host = 2\n", ":1:18: ", "leave it out"},
        WrongProfile{"gpusOfLocal", "gpus = 2\n", ":1:8: ", "leave it out"},
        WrongProfile{"interfaceOfLocal", "interface = \"eth1\"\n", ":1:13: ", "leave it out"},
        WrongProfile{"portOfLocal", "port = 4000\n", ":1:8: ", "leave it out"},
        WrongProfile{"programOfLocal", "dasgd = \"/opt/dasgd\"\n", ":1:9: ", "leave it out"},
        WrongProfile{"sshOfLocal", "[ssh]\noptions = [\"-v\"]\n", ":", "leave it out"}),
    [](const auto& info) { return info.param.name; });

TEST(ClusterProfile, IsFoundBesideTheExperimentFirst) {
    const test::TempDir folder;
    const auto beside = folder / "beside", config = folder / "config";
    std::filesystem::create_directories(beside);
    std::filesystem::create_directories(config / "dasgd" / "clusters");
    const auto folders = clusterFolders(beside, [&](const std::string& name) {
        return name == "XDG_CONFIG_HOME" ? std::optional(config.string()) : std::nullopt;
    });
    std::ofstream(config / "dasgd" / "clusters" / "lab.toml") << "threads = 2\n";
    EXPECT_EQ(findClusterProfile("lab", folders)->threads, 2);
    std::ofstream(beside / "lab.toml") << "threads = 1\n";
    EXPECT_EQ(findClusterProfile("lab", folders)->threads, 1);
    std::ofstream(beside / "experiment.toml") << "[algorithm]\nname = \"dasgd\"\n";
    const auto none = findClusterProfile("nowhere", folders);
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, HasSubstr("there are lab ("));
    EXPECT_FALSE(findClusterProfile("../lab", folders));
}

TEST(ClusterProfile, IsLookedForInTheHomeFolderWithoutXdg) {
    const auto folders = clusterFolders(
        "e", [](const std::string& name) { return name == "HOME" ? std::optional<std::string>("/h") : std::nullopt; });
    EXPECT_THAT(folders, ElementsAre("e", "/h/.config/dasgd/clusters"));
}

TEST(ClusterProfile, PlacesRanksOnItsHosts) {
    ClusterProfile profile;
    profile.kind = ClusterProfile::kSsh;
    profile.hosts = {"a", "b", "c"};
    profile.name = "lab";
    auto places = placeRanks(profile, 4);
    ASSERT_TRUE(places);
    EXPECT_EQ(placementText(profile, *places), "ranks 0 to 1 on a, ranks 2 to 3 on b");
    profile.ranksPerHost = 1;
    places = placeRanks(profile, 2);
    ASSERT_TRUE(places);
    EXPECT_EQ(placementText(profile, *places), "rank 0 on a, rank 1 on b");
    const auto full = placeRanks(profile, 4);
    ASSERT_FALSE(full);
    EXPECT_THAT(full.error().message, HasSubstr("has room for 3 ranks"));
    EXPECT_THAT(full.error().message, HasSubstr("--set cluster.workers=3"));
}

}  // namespace
}  // namespace dasgd::experiments
