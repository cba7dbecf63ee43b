// `dasgd bandwidth`.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr const char* kLayers =
    "name = \"layers\"\n[algorithm]\nname = \"local_sgd\"\nperiod = 4\n[model]\nname = \"layer_table\"\n"
    "dense = [[1000, 1000], [1000, 1000]]\n[train]\nsteps = 20\n[cluster]\nbackend = \"virtual\"\nworkers = 2\n"
    "[network]\nlatency = \"0us\"\n[compute]\nmode = \"time-only\"\nstep_time = \"10ms\"\n"
    "[sweep]\n\"algorithm.name\" = [\"local_sgd\", \"ssp\", \"independent\"]\n";

TEST(BandwidthCommand, HasARowOfEachConfiguration) {
    const test::DasgdFolder folder;
    folder.write("layers.toml", kLayers);
    const test::Ended ended = folder.run({"bandwidth", "layers.toml"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    // 8 MB in the time of 4 steps: 1.6 Gbit/s.
    EXPECT_THAT(ended.out, AllOf(HasSubstr("nothing was run"), ContainsRegex("local_sgd.* 1\\.6"),
                                 ContainsRegex("ssp.*–"), ContainsRegex("independent.* 0 ")));
    const test::Ended json = folder.run({"bandwidth", "layers.toml", "--utilization", "0.5,0.75", "--json", "--set",
                                         "algorithm.period=8", "--drop-unknown"});
    ASSERT_EQ(json.exit, 0) << json.err;
    const auto found = nlohmann::json::parse(json.out);
    EXPECT_EQ(found["utilization"], (std::vector<double>{0.5, 0.75}));
    const auto& row = found["configurations"][0];
    EXPECT_EQ(row["algorithm"], "local_sgd");
    EXPECT_NEAR(row["gbit_per_s"][0], 0.8, 1e-6);
    EXPECT_NEAR(row["gbit_per_s"][1], 2.4, 1e-6);
    EXPECT_NE(found["configurations"][1]["why_not"], "");
}

TEST(BandwidthCommand, RefusesWhatIsNoShare) {
    const test::DasgdFolder folder;
    folder.write("layers.toml", kLayers);
    EXPECT_NE(folder.run({"bandwidth", "layers.toml", "--utilization", "1"}).exit, 0);
    const test::Ended missing = folder.run({"bandwidth", "no.toml"});
    EXPECT_NE(missing.exit, 0);
    EXPECT_THAT(missing.err, HasSubstr("no.toml"));
}

}  // namespace
}  // namespace dasgd::experiments
