// The declarations are NCCL's own: compared when this is compiled, where its header and CUDA's are installed.
#include "core/comm/nccl/nccl_api.h"

#include <gtest/gtest.h>

#if __has_include(<nccl.h>) && __has_include(<cuda_runtime_api.h>) && __has_include(<crt/host_defines.h>)
#include <nccl.h>

#include <tuple>
#include <type_traits>

namespace dasgd::test {
namespace {

// Enumerations are passed as int, an id and a configuration as what has their size and layout.
template <class T>
using Plain = std::conditional_t<
    std::is_enum_v<T>, int,
    std::conditional_t<
        std::is_same_v<T, ncclUniqueId>, NcclId,
        std::conditional_t<std::is_same_v<T, ncclUniqueId*>, NcclId*,
                           std::conditional_t<std::is_same_v<T, ncclConfig_t*>, NcclConfig*,
                                              std::conditional_t<std::is_same_v<T, ncclResult_t*>, int*, T>>>>>;

template <class R, class... Args, class Real, class... RealArgs>
constexpr bool isDeclaredAs(std::function<R(Args...)> NcclApi::*, Real (*)(RealArgs...)) {
    return std::is_same_v<std::tuple<R, Args...>, std::tuple<Plain<Real>, Plain<RealArgs>...>>;
}

static_assert(sizeof(ncclResult_t) == sizeof(int) && sizeof(ncclDataType_t) == sizeof(int));
static_assert(isDeclaredAs(&NcclApi::version, &ncclGetVersion));
static_assert(isDeclaredAs(&NcclApi::errorText, &ncclGetErrorString));
static_assert(isDeclaredAs(&NcclApi::lastError, &ncclGetLastError));
static_assert(isDeclaredAs(&NcclApi::makeId, &ncclGetUniqueId));
static_assert(isDeclaredAs(&NcclApi::commInit, &ncclCommInitRankConfig));
static_assert(isDeclaredAs(&NcclApi::commAsyncError, &ncclCommGetAsyncError));
static_assert(isDeclaredAs(&NcclApi::commFinalize, &ncclCommFinalize));
static_assert(isDeclaredAs(&NcclApi::commDestroy, &ncclCommDestroy));
static_assert(isDeclaredAs(&NcclApi::commAbort, &ncclCommAbort));
static_assert(isDeclaredAs(&NcclApi::groupStart, &ncclGroupStart));
static_assert(isDeclaredAs(&NcclApi::groupEnd, &ncclGroupEnd));
static_assert(isDeclaredAs(&NcclApi::allReduce, &ncclAllReduce));
static_assert(isDeclaredAs(&NcclApi::reduceScatter, &ncclReduceScatter));
static_assert(isDeclaredAs(&NcclApi::allGather, &ncclAllGather));
static_assert(isDeclaredAs(&NcclApi::broadcast, &ncclBroadcast));
static_assert(isDeclaredAs(&NcclApi::send, &ncclSend));
static_assert(isDeclaredAs(&NcclApi::receive, &ncclRecv));

static_assert(NcclApi::kSuccess == ncclSuccess && NcclApi::kSystemError == ncclSystemError);
static_assert(NcclApi::kInvalidArgument == ncclInvalidArgument && NcclApi::kRemoteError == ncclRemoteError);
static_assert(NcclApi::kInProgress == ncclInProgress);
static_assert(int{NcclApi::kSum} == ncclSum && int{NcclApi::kMax} == ncclMax && int{NcclApi::kMean} == ncclAvg);
static_assert(int{NcclApi::kInt8} == ncclInt8 && int{NcclApi::kUint8} == ncclUint8);
static_assert(int{NcclApi::kInt32} == ncclInt32 && int{NcclApi::kInt64} == ncclInt64);
static_assert(int{NcclApi::kHalf} == ncclFloat16 && int{NcclApi::kFloat} == ncclFloat32);
static_assert(int{NcclApi::kDouble} == ncclFloat64 && int{NcclApi::kBfloat16} == ncclBfloat16);

static_assert(sizeof(NcclId) == sizeof(ncclUniqueId));
static_assert(sizeof(NcclConfig) <= sizeof(ncclConfig_t));
static_assert(offsetof(NcclConfig, size) == offsetof(ncclConfig_t, size));
static_assert(offsetof(NcclConfig, magic) == offsetof(ncclConfig_t, magic));
static_assert(offsetof(NcclConfig, version) == offsetof(ncclConfig_t, version));
static_assert(offsetof(NcclConfig, blocking) == offsetof(ncclConfig_t, blocking));
static_assert(offsetof(NcclConfig, cgaClusterSize) == offsetof(ncclConfig_t, cgaClusterSize));
static_assert(offsetof(NcclConfig, minCtas) == offsetof(ncclConfig_t, minCTAs));
static_assert(offsetof(NcclConfig, maxCtas) == offsetof(ncclConfig_t, maxCTAs));
static_assert(offsetof(NcclConfig, netName) == offsetof(ncclConfig_t, netName));
static_assert(offsetof(NcclConfig, splitShare) == offsetof(ncclConfig_t, splitShare));
static_assert(NcclConfig::kUndefined == NCCL_CONFIG_UNDEF_INT);

TEST(NcclApi, TheConfigurationBeginsAsNcclsOwn) {
    const ncclConfig_t theirs = NCCL_CONFIG_INITIALIZER;
    const NcclConfig ours;
    EXPECT_EQ(ours.magic, theirs.magic);
    EXPECT_EQ(ours.blocking, theirs.blocking);
    EXPECT_EQ(ours.splitShare, theirs.splitShare);
    EXPECT_LE(ours.version, theirs.version);
}

}  // namespace
}  // namespace dasgd::test
#endif

namespace dasgd::test {
namespace {

TEST(NcclApi, TheConfigurationSaysHowMuchOfItThereIs) {
    const NcclConfig config;
    EXPECT_EQ(config.size, sizeof(NcclConfig));
    EXPECT_EQ(config.blocking, NcclConfig::kUndefined);
}

}  // namespace
}  // namespace dasgd::test
