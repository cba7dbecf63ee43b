// Runs on platform files: refusals before any rank starts, and the copy that a run keeps.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/dasgd_program.h"
#include "tests/support/sim/platforms.h"

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

struct WrongCase {
    std::string name, platform, says;
};
std::ostream& operator<<(std::ostream& out, const WrongCase& wrong) { return out << wrong.name; }

class WrongPlatform : public ::testing::TestWithParam<WrongCase> {};

TEST_P(WrongPlatform, IsRefusedWithFileAndReason) {
    const test::DasgdFolder folder;
    folder.write("nets/cluster.xml", GetParam().platform);
    folder.write("nets/e.toml", onPlatform("cluster.xml", 3));
    const test::Ended ended = folder.run({"run", "nets/e.toml", "-w", "w"});
    EXPECT_EQ(ended.exit, 2);
    EXPECT_THAT(ended.err, StartsWith("dasgd: nets/e.toml:18:8: nets/cluster.xml:"));
    EXPECT_THAT(ended.err, HasSubstr(GetParam().says));
    EXPECT_FALSE(std::filesystem::exists(folder.workspace()));
}

INSTANTIATE_TEST_SUITE_P(
    Table, WrongPlatform,
    ::testing::Values(
        WrongCase{"tooFewHosts", test::clusterPlatform(2),
                  "has 2 hosts for 3 workers; add hosts, or use fewer workers"},
        WrongCase{"noRouteInFull", test::threeHosts("Full", "1Gbps"),
                  "no route leads from host 'zeta' to host 'lonely'; connect them"},
        WrongCase{"noRouteInFloyd", test::threeHosts("Floyd", "1Gbps"),
                  "no route leads from host 'zeta' to host 'lonely'"},
        WrongCase{
            "noRouteAndACrash", test::threeHosts("Dijkstra", "1Gbps"),
            "SimGrid cannot use it: its process ended with signal 11 (Segmentation fault) while it looked for a route "
            "from host 'zeta' to host 'lonely'; connect them, or choose other hosts"},
        WrongCase{
            "routeTwice",
            test::threeHosts("Full", "1Gbps", "<route src=\"alpha\" dst=\"zeta\"><link_ctn id=\"wire\"/></route>\n"),
            "already exists"},
        WrongCase{"noSuchLink",
                  test::threeHosts("Full", "1Gbps",
                                   "\n<route src=\"alpha\" dst=\"lonely\"><link_ctn id=\"cable\"/></route>\n"),
                  "SimGrid cannot read it: "},
        WrongCase{"unknownNode", test::threeHosts("Full", "1Gbps", "\n<route src=\"alpha\" dst=\"omega\"/>\n"),
                  "SimGrid cannot read it: Parse error at nets/cluster.xml:11: Route dst='omega'"},
        WrongCase{"noBandwidth", test::threeHosts("Full", "0Gbps"), "<link> has bandwidth=\"0Gbps\"; allowed: "},
        WrongCase{"cutOff", test::clusterPlatform(4).substr(0, 170), "is no XML: "},
        WrongCase{"empty", test::platform(""), "has 0 hosts for 3 workers"},
        WrongCase{"noXml", "four hosts, please\n", "is no platform file of SimGrid"}),
    [](const auto& info) { return info.param.name; });

// Files that were written to do harm. The canary is what such a file would have SimGrid write; a dry run and a run
// refuse each with its place, and before anything is written.
class HostilePlatform : public ::testing::TestWithParam<WrongCase> {};

TEST_P(HostilePlatform, IsRefusedAndWritesNothing) {
    const test::DasgdFolder folder;
    const std::string canary = (folder.path() / "canary").string();
    std::string text = GetParam().platform;
    for (std::size_t at = 0; (at = text.find("CANARY", at)) != std::string::npos;) text.replace(at, 6, canary);
    folder.write("cluster.xml", text);
    folder.write("e.toml", onPlatform("cluster.xml", 3));
    for (const bool dry : {true, false}) {
        std::vector<std::string> arguments{"run", "e.toml", "-w", "w"};
        if (dry) arguments.emplace_back("--dry-run");
        const test::Ended ended = folder.run(arguments);
        EXPECT_EQ(ended.exit, 2) << ended.out;
        EXPECT_THAT(ended.err, StartsWith("dasgd: e.toml:18:8: cluster.xml:"));
        EXPECT_THAT(ended.err, HasSubstr(GetParam().says));
        EXPECT_FALSE(std::filesystem::exists(canary));
        EXPECT_FALSE(std::filesystem::exists(folder.workspace()));
    }
}

const std::string kGoodCluster =
    "<cluster id=\"all\" prefix=\"node-\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1Gbps\" lat=\"50us\"/>\n";

std::string tracingTo(const std::string& file, const std::string& more = "") {
    return test::platform("<config><prop id=\"tracing\" value=\"yes\"/><prop id=\"tracing/filename\" value=\"" + file +
                          "\"/>" + more + "</config>\n" + kGoodCluster);
}

// SimGrid never learns of options that change no times.
TEST(PlatformOptions, AreReadOverAndWriteNothing) {
    const test::DasgdFolder folder;
    const std::string canary = (folder.path() / "canary").string();
    folder.write("cluster.xml", tracingTo(canary));
    folder.write("e.toml", onPlatform("cluster.xml", 3));
    const test::Ended ended = folder.run({"run", "e.toml", "-w", "w"});
    EXPECT_EQ(ended.exit, 0) << ended.err;
    EXPECT_FALSE(std::filesystem::exists(canary));
}

// Each entity is ten of the one before it: 10^10 characters from a few hundred.
std::string billionLaughs() {
    std::string entities = "<!ENTITY e0 \"ha\">\n";
    for (int i = 1; i <= 10; ++i) {
        entities += "<!ENTITY e" + std::to_string(i) + " \"";
        for (int k = 0; k < 10; ++k) entities += "&e" + std::to_string(i - 1) + ";";
        entities += "\">\n";
    }
    return "<?xml version=\"1.0\"?>\n<!DOCTYPE platform [\n" + entities +
           "]>\n<platform version=\"4.1\">&e10;</platform>\n";
}

std::string deeplyNested(int depth) {
    std::string zones;
    for (int i = 0; i < depth; ++i) zones += "<zone id=\"z" + std::to_string(i) + "\" routing=\"Full\">";
    for (int i = 0; i < depth; ++i) zones += "</zone>";
    return test::platform(zones);
}

INSTANTIATE_TEST_SUITE_P(
    Table, HostilePlatform,
    ::testing::Values(
        WrongCase{"optionsOfSimGrid", tracingTo("CANARY", "<prop id=\"network/model\" value=\"SMPI\"/>"),
                  "<prop> has id=\"network/model\"; allowed: options that change no times of messages"},
        WrongCase{"entityExpansion", billionLaughs(), ":2:11: the DOCTYPE declares entities"},
        WrongCase{"externalEntity",
                  "<!DOCTYPE platform [<!ENTITY x SYSTEM \"/etc/passwd\">]>\n<platform version=\"4.1\">&x;</platform>",
                  ":1:11: the DOCTYPE declares entities"},
        WrongCase{"include", test::platform("<include file=\"/etc/passwd\"/>" + kGoodCluster),
                  ":4:2: <include> is not allowed in <platform>: it names another file"},
        WrongCase{"stateFile",
                  test::platform(
                      "<zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\" state_file=\"/dev/zero\"/></zone>"),
                  "the attribute state_file is not allowed in <host>"},
        WrongCase{"huge", test::platform(kGoodCluster + std::string(17 << 20, ' ')), " larger than 16 MiB"},
        WrongCase{"deepNesting", deeplyNested(100'000), "zones are nested more than 32 deep"},
        WrongCase{"nulByte", test::platform(std::string("<zone id=\"a\0b\"", 13)), ":4:12: a NUL byte"},
        WrongCase{"manyHosts", test::clusterPlatform(100'000'000), ":4:2: more than 65536 hosts"},
        WrongCase{"hugeTorus",
                  test::platform(
                      "<cluster id=\"all\" prefix=\"node-\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1Gbps\" "
                      "lat=\"50us\" topology=\"TORUS\" topo_parameters=\"60000,60000\"/>\n"),
                  "SimGrid cannot "}),
    [](const auto& info) { return info.param.name; });

// SimGrid computes these routes itself: a platform that the dry run accepts can be used by the run.
class RoutedPlatform : public ::testing::TestWithParam<const char*> {};

TEST_P(RoutedPlatform, RunsWhatTheDryRunAccepts) {
    const test::DasgdFolder folder;
    folder.write("cluster.xml", test::switchedPlatform(GetParam(), 4));
    folder.write("e.toml", onPlatform("cluster.xml", 4, "[network.background]\nload = 0.1\n"));
    const test::Ended dry = folder.run({"run", "e.toml", "-w", "w", "--dry-run"});
    EXPECT_EQ(dry.exit, 0) << dry.err;
    const test::Ended ended = folder.run({"run", "e.toml", "-w", "w"});
    EXPECT_EQ(ended.exit, 0) << ended.out << ended.err;
}

INSTANTIATE_TEST_SUITE_P(Kinds, RoutedPlatform, ::testing::Values("Floyd", "Dijkstra", "DijkstraCache"),
                         [](const auto& info) { return std::string(info.param); });

// The process that builds the platform has given up its rights before SimGrid reads a byte of it.
TEST(CheckPlatform, RunsConfined) {
    const test::DasgdFolder folder;
    folder.write("slow.xml", test::slowPlatform(900));
    const test::StartedProgram check = folder.start({"check-platform", "slow.xml", "--workers", "900"});
    const std::filesystem::path process = "/proc/" + std::to_string(check.id());
    std::string limits;
    // Waits until the process has prepared itself; its check takes minutes. ctest ends a test that waits in vain.
    while (limits.find("Max file size             0 ") == std::string::npos) {
        ASSERT_FALSE(test::contentOf(process / "status").empty()) << "it ended";
        limits = test::contentOf(process / "limits");
        ::usleep(10'000);
    }
    const std::string status = test::contentOf(process / "status");
    EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1"));
    EXPECT_THAT(status, HasSubstr("Seccomp:\t2"));
    EXPECT_THAT(limits, HasSubstr("Max core file size        0 "));
}

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
