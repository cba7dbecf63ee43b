// The NCCL of this machine, as far as one rank can go; skipped where there is no GPU.
#include <gtest/gtest.h>

#include "core/comm/nccl/nccl_group.h"
#include "core/comm/nccl/nccl_library.h"
#include "core/device/device.h"
#include "core/device/device_library.h"

namespace dasgd::test {
namespace {

using std::chrono::milliseconds;

TEST(NcclOnGpu, ACommunicatorIsMadeWithoutBlockingAndClosed) {
    const auto cuda = loadDeviceApi();
    if (!cuda) GTEST_SKIP() << cuda.error().message;
    if (const auto devices = usableDevices(*cuda); !devices) GTEST_SKIP() << devices.error().message;
    const auto api = loadNccl();
    if (!api) GTEST_SKIP() << api.error().message;
    ASSERT_TRUE(checkNccl(*api, 1)) << checkNccl(*api, 1).error().message;
    const Device device(*cuda, 0);
    for (const int channels : {0, 2}) {
        NcclId id{};
        ASSERT_EQ(api->makeId(&id), NcclApi::kSuccess);
        const auto group =
            NcclGroup::connect(*api, id, {.rank = 0, .size = 1, .timeout = milliseconds(30'000), .channels = channels});
        ASSERT_TRUE(group) << group.error().message;
        EXPECT_EQ((*group)->asyncError(), std::nullopt);
        if (channels == 2) (*group)->abort();
    }
}

}  // namespace
}  // namespace dasgd::test
