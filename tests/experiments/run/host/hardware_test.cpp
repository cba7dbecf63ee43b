// GPUs through the functions of a management library that the test gives, interfaces in a tree as the kernel makes it.
#include "experiments/run/host/hardware.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using storage::HardwarePart;

struct ThreeGpus {
    int started = 0;
    int devices[3]{};

    Nvml nvml() {
        return {.init = [this] { return ++started, 0; },
                .shutdown = [this] { return --started, 0; },
                .count = [](unsigned int* count) { return *count = 3, 0; },
                .handle = [this](unsigned int index, void** device) { return *device = &devices[index], 0; },
                .name =
                    [this](void* device, char* text, unsigned int length) {
                        if (device == &devices[1]) return 15;  // NVML_ERROR_GPU_IS_LOST
                        return std::snprintf(text, length, "NVIDIA H200") > 0 ? 0 : 1;
                    },
                .memory =
                    [this](void* device, Nvml::Memory* memory) {
                        if (device == &devices[2]) return 3;  // NVML_ERROR_NOT_SUPPORTED
                        return memory->total = 150'754'820'096, 0;
                    }};
    }
};

TEST(Hardware, NamesTheGpusThatAnswer) {
    const std::vector<HardwarePart> expected{
        {.kind = storage::kGpu, .name = "NVIDIA H200", .memoryBytes = 150'754'820'096.0},
        {.kind = storage::kGpu, .name = "NVIDIA H200"}};
    ThreeGpus three;
    EXPECT_EQ(gpusOf(three.nvml()), expected);
    EXPECT_EQ(three.started, 0) << "the library was shut down";
    Nvml broken = three.nvml();
    broken.init = [] { return 9; };  // NVML_ERROR_DRIVER_NOT_LOADED
    EXPECT_TRUE(gpusOf(broken).empty());
}

TEST(Hardware, WithoutTheLibraryThereIsNoGpu) {
    EXPECT_TRUE(gpus("libno-such-library.so.1").empty());
    EXPECT_TRUE(gpus("libc.so.6").empty()) << "another library";
}

TEST(Hardware, NamesInterfacesThatAreUpWithTheRateOfTheirLink) {
    const test::TempDir sys;
    const auto write = [&](const std::string& name, const std::string& text) {
        const auto file = sys / ("class/" + name);
        std::filesystem::create_directories(file.parent_path());
        test::writeText(file, text);
    };
    const auto net = [&](const std::string& name, const char* type, const char* state, const char* speed) {
        write("net/" + name + "/type", type);
        write("net/" + name + "/operstate", state);
        write("net/" + name + "/speed", speed);
    };
    net("lo", "772\n", "up\n", "");
    net("eth0", "1\n", "up\n", "25000\n");
    write("net/eth0/device/vendor", "0x15b3\n");
    net("eth1", "1\n", "down\n", "-1\n");
    write("net/eth1/device/vendor", "0x15b3\n");
    net("eth2", "1\n", "up\n", "-1\n");
    write("net/eth2/device/vendor", "0x1af4\n");
    net("veth0", "1\n", "up\n", "10000\n");
    write("net/bonding_masters", "\n");
    write("infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
    write("infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)\n");
    write("infiniband/mlx5_0/ports/2/state", "1: DOWN\n");
    write("infiniband/mlx5_0/ports/2/rate", "10 Gb/sec (4X SDR)\n");
    const std::vector<HardwarePart> expected{{.kind = storage::kNic, .name = "eth0", .bitsPerS = 25e9},
                                             {.kind = storage::kNic, .name = "eth2"},
                                             {.kind = storage::kNic, .name = "veth0"},
                                             {.kind = storage::kNic, .name = "mlx5_0 port 1", .bitsPerS = 400e9}};
    EXPECT_EQ(networkInterfaces(sys.path()), expected);
    EXPECT_TRUE(networkInterfaces(sys / "nothing").empty());
}

}  // namespace
}  // namespace dasgd::experiments
