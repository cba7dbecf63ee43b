#include "experiments/run/host/infiniband.h"

#include <gtest/gtest.h>

#include "tests/support/dasgd_program.h"
#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

TEST(Infiniband, PortsAreCountedInBytesByTheNamesThatNcclHas) {
    const test::TempDir folder;
    const auto port = [&](const std::string& name, const std::string& sent, const std::string& received) {
        test::writeText(folder.path() / name / "counters/port_xmit_data", sent);
        test::writeText(folder.path() / name / "counters/port_rcv_data", received);
    };
    port("mlx5_1/ports/1", "7\n", "8\n");
    port("mlx5_0/ports/2", "18446744073709551615\n", "1\n");
    test::writeText(folder.path() / "mlx5_2/ports/1/state", "1: DOWN\n");
    const auto uses = useOfInfiniband(folder.path());
    ASSERT_EQ(uses.size(), 2U) << "a port without counters is left out";
    EXPECT_EQ(uses[0].port, "mlx5_0:2");
    EXPECT_GT(uses[0].sentBytes, 7e19);
    EXPECT_EQ(uses[1].port, "mlx5_1:1");
    EXPECT_EQ(uses[1].sentBytes, 28);
    EXPECT_EQ(uses[1].receivedBytes, 32);
}

TEST(Infiniband, OfAHostWithoutThereIsNone) { EXPECT_TRUE(useOfInfiniband("/nowhere").empty()); }

}  // namespace
}  // namespace dasgd::experiments
