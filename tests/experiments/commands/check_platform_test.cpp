// Runs on platform files: what is refused before any rank starts, and what a run keeps.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/dasgd_program.h"
#include "tests/support/platforms.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string onPlatform(const std::string& file, int workers, const std::string& more = "") {
    std::ostringstream text;
    text << "[algorithm]\nname = \"local_sgd\"\nperiod = 2\n"
            "[model]\nname = \"quadratic\"\nmatrix = [[2.0, 0.5], [0.5, 1.0]]\nstart = [4.0, -3.0]\ntargets = [";
    for (int w = 0; w < workers; ++w) text << "[" << w << ".0, 1.0], ";
    text << "]\n[train]\nsteps = 20\n[cluster]\nbackend = \"virtual\"\nworkers = " << workers
         << "\n[compute]\nstep_time = \"5ms\"\n[network]\nname = \"platform\"\nfile = \"" << file << "\"\n"
         << more;
    return text.str();
}

struct Wrong {
    std::string name, platform, says;
};
std::ostream& operator<<(std::ostream& out, const Wrong& wrong) { return out << wrong.name; }

class WrongPlatform : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongPlatform, IsRefusedWithFileAndReason) {
    const test::DasgdFolder folder;
    folder.write("nets/cluster.xml", GetParam().platform);
    folder.write("nets/e.toml", onPlatform("cluster.xml", 3));
    const test::Ended ended = folder.run({"run", "nets/e.toml", "-w", "w"});
    EXPECT_EQ(ended.exit, 2);
    EXPECT_THAT(ended.err, StartsWith("dasgd: nets/e.toml:18:8: nets/cluster.xml: "));
    EXPECT_THAT(ended.err, HasSubstr(GetParam().says));
    EXPECT_FALSE(std::filesystem::exists(folder.workspace()));
}

INSTANTIATE_TEST_SUITE_P(
    Table, WrongPlatform,
    ::testing::Values(
        Wrong{"tooFewHosts", test::clusterPlatform(2), "has 2 hosts for 3 workers; add hosts, or use fewer workers"},
        Wrong{"noRouteInFull", test::threeHosts("Full", "1Gbps"),
              "no route leads from host 'zeta' to host 'lonely'; connect them"},
        Wrong{"noRouteInFloyd", test::threeHosts("Floyd", "1Gbps"), "no route leads from host 'zeta' to host 'lonely'"},
        Wrong{"noRouteAndACrash", test::threeHosts("Dijkstra", "1Gbps"),
              "no route leads from host 'zeta' to host 'lonely'"},
        Wrong{"noBandwidth", test::threeHosts("Full", "0Gbps"), "the link 'wire' has a bandwidth of 0.000000 bytes/s"},
        Wrong{"negativeBandwidth", test::threeHosts("Full", "-1Gbps"), "the link 'wire' has a bandwidth of -"},
        Wrong{"noNumber", test::threeHosts("Full", "fast"), "SimGrid cannot read it: Parse error"},
        Wrong{"cutOff", test::clusterPlatform(4).substr(0, 170), "SimGrid cannot read it: Parse error"},
        Wrong{"empty", test::platform(""), "has 0 hosts for 3 workers"},
        Wrong{"noXml", "four hosts, please\n", "is no platform file of SimGrid"}),
    [](const auto& info) { return info.param.name; });

TEST(PlatformRun, RefusesFilesThatAreNotThere) {
    const test::DasgdFolder folder;
    folder.write("e.toml", onPlatform("cluster.xml", 2));
    const test::Ended missing = folder.run({"run", "e.toml", "-w", "w"});
    EXPECT_EQ(missing.exit, 2);
    EXPECT_THAT(missing.err, StartsWith("dasgd: e.toml:18:8: cluster.xml: no such platform file"));
    folder.write("cluster.xml", test::clusterPlatform(4));
    folder.write("named.toml", onPlatform("cluster.xml", 2, "hosts = \"node-3, node-9\"\n"));
    const test::Ended named = folder.run({"run", "named.toml", "-w", "w"});
    EXPECT_EQ(named.exit, 2);
    EXPECT_THAT(named.err, HasSubstr("cluster.xml: has no host 'node-9', which hosts names"));
    EXPECT_FALSE(std::filesystem::exists(folder.workspace()));
}

TEST(PlatformRun, CanBeRepeatedFromItsRecord) {
    const test::DasgdFolder folder;
    folder.write("nets/cluster.xml", test::clusterPlatform(4));
    folder.write("nets/e.toml", onPlatform("cluster.xml", 4));
    const test::Ended first = folder.run({"run", "nets/e.toml", "-w", "w", "--json"});
    ASSERT_EQ(first.exit, 0) << first.err;
    const std::string run = folder.firstRun();
    const auto record = folder.workspace() / "runs" / run;
    EXPECT_EQ(test::contentOf(record / "artefacts/cluster.xml"), test::clusterPlatform(4));
    std::filesystem::remove_all(folder.path() / "nets");
    const test::Ended again = folder.run({"run", (record / "experiment.toml").string(), "-w", "w2", "--json"});
    ASSERT_EQ(again.exit, 0) << again.err;
    const auto one = nlohmann::json::parse(first.out), two = nlohmann::json::parse(again.out);
    EXPECT_EQ(one["step_ms"], two["step_ms"]);
    EXPECT_EQ(one["final_loss"], two["final_loss"]);
    EXPECT_THAT(folder.run({"show", run, "-w", "w"}).out, HasSubstr("file = \"artefacts/cluster.xml\""));

    std::filesystem::copy_file(record / "experiment.toml", folder.path() / "e.toml");
    folder.write("artefacts/cluster.xml", test::clusterPlatform(8));
    const test::Ended changed = folder.run({"run", "e.toml", "-w", "w3"});
    EXPECT_EQ(changed.exit, 2);
    EXPECT_THAT(changed.err, HasSubstr("has changed"));
}

TEST(PlatformRun, KeepsTheCheckOutOfTheHelp) {
    const test::DasgdFolder folder;
    EXPECT_THAT(folder.run({"--help"}).out, ::testing::Not(HasSubstr("check-platform")));
}

}  // namespace
}  // namespace dasgd::experiments
