// Findings of `dasgd doctor --on`.
#include "experiments/cluster/cluster_doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "experiments/base/errors.h"
#include "tests/support/standin_ssh.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

constexpr Ns kSecond = 1'000'000'000;

TEST(ClusterClocks, AreComparedByTheShortestExchange) {
    const ClockOffset offset = clockOffsetOf({{0, 5 * kSecond, 4 * kSecond}, {10, 30, 20}, {100, 150, 140}});
    EXPECT_EQ(offset.offset, 15);
    EXPECT_EQ(offset.bound, 5);
}

TEST(ClusterClocks, CountAgainstAHostOnlyWhereTheySurelyDiffer) {
    const ClockOffset first{0, kSecond / 1000};
    EXPECT_EQ(clockFinding("a", first, first).text, "the first host's");
    EXPECT_EQ(clockFinding("a", {kSecond / 2, 0}, first).verdict, "ok");
    EXPECT_EQ(clockFinding("a", {-3 * kSecond, 0}, first).verdict, "note");
    EXPECT_EQ(clockFinding("a", {-3 * kSecond, 4 * kSecond}, first).verdict, "ok") << "within the bound";
    const ClusterFinding far = clockFinding("a", {100 * kSecond, 0}, first);
    EXPECT_EQ(far.verdict, "broken");
    EXPECT_THAT(far.text, HasSubstr("+100.000 s"));
    EXPECT_THAT(far.text, HasSubstr("chrony"));
}

class ClusterDoctor : public ::testing::Test {
protected:
    ClusterDoctor() : hosts_(folder_.path() / "hosts", {"node1", "node2"}) {}
    nlohmann::json examine(int exit) {
        const test::Ended ended = folder_.run({"doctor", "--on", "lab", "--json"}, hosts_.environment());
        EXPECT_EQ(ended.exit, exit) << ended.err << ended.out;
        return nlohmann::json::parse(ended.out, nullptr, false);
    }
    // The texts of one check of one host, with the verdict in front.
    static std::string found(const nlohmann::json& all, const std::string& host, const std::string& check) {
        std::string text;
        for (const auto& one : all["checks"]) {
            if (one["host"] != host || one["check"] != check) continue;
            text += one["verdict"].get<std::string>() + ": " + one["text"].get<std::string>() + "\n";
        }
        return text;
    }
    test::DasgdFolder folder_;
    test::StandInHosts hosts_;
};

TEST_F(ClusterDoctor, FindsHostsThatLackNothing) {
    folder_.write("lab.toml", test::standInProfile("[\"node1\", \"node2\"]"));
    const auto all = examine(kFinished);
    for (const char* const host : {"node1", "node2"}) {
        EXPECT_THAT(found(all, host, "reachable"), HasSubstr("ok: by ssh"));
        EXPECT_THAT(found(all, host, "version"), HasSubstr("ok: " DASGD_VERSION));
        EXPECT_THAT(found(all, host, "interface"), HasSubstr("ok: 127.0.0.1"));
        EXPECT_THAT(found(all, host, "clock"), HasSubstr("ok: "));
        EXPECT_THAT(found(all, host, "disk"), HasSubstr("free for the workspace"));
        EXPECT_THAT(found(all, host, "versions"), HasSubstr("LibTorch"));
    }
    EXPECT_THAT(found(all, "node2", "network"), HasSubstr("ok: reaches node1 at 127.0.0.1"));
    EXPECT_THAT(found(all, "node1", "network"), HasSubstr("ok: reaches node2"));
    const test::Ended table = folder_.run({"doctor", "--on", "lab"}, hosts_.environment());
    EXPECT_THAT(table.out, ::testing::StartsWith("host   verdict  check"));
}

TEST_F(ClusterDoctor, NamesWhatEachHostLacks) {
    std::string profile = test::standInProfile("[\"node1\", \"node9\"]");
    profile.replace(profile.find("\"lo\""), 4, "\"nowhere0\"");
    folder_.write("lab.toml", profile);
    const auto all = examine(kRunFailed);
    EXPECT_EQ(all["ok"], false);
    EXPECT_THAT(found(all, "node1", "lacks"), HasSubstr("broken: "));
    EXPECT_THAT(found(all, "node1", "lacks"), HasSubstr("nowhere0"));
    EXPECT_THAT(found(all, "node9", "reachable"), HasSubstr("broken: cannot be reached (ssh: Could not resolve"));
}

TEST_F(ClusterDoctor, SaysThatSlurmIsNotThere) {
    folder_.write("lab.toml", "kind = \"slurm\"\n");
    const test::Ended ended = folder_.run({"doctor", "--on", "lab", "--json"}, {{"PATH", folder_.path().string()}});
    EXPECT_EQ(ended.exit, kRunFailed);
    EXPECT_THAT(ended.out, HasSubstr("SLURM's commands have to be installed"));
    EXPECT_EQ(folder_.run({"doctor", "--on", "nowhere"}).exit, kWrongInput);
}

}  // namespace
}  // namespace dasgd::experiments
