// The declarations are CUDA's own: compared when this is compiled, where CUDA's header is installed. What the wheels
// that LibTorch needs bring of it is not whole.
#include "core/device/device_api.h"

#include <gtest/gtest.h>

#if __has_include(<cuda_runtime_api.h>) && __has_include(<crt/host_defines.h>)
#include <cuda_runtime_api.h>

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace dasgd::test {
namespace {

template <class T>
using Plain = std::conditional_t<std::is_enum_v<T>, int, T>;

template <class R, class... Args, class Real, class... RealArgs>
constexpr bool isDeclaredAs(std::function<R(Args...)> DeviceApi::*, Real (*)(RealArgs...)) {
    return std::is_same_v<std::tuple<R, Args...>, std::tuple<Plain<Real>, Plain<RealArgs>...>>;
}

static_assert(sizeof(cudaError_t) == sizeof(int));
static_assert(isDeclaredAs(&DeviceApi::driverVersion, &cudaDriverGetVersion));
static_assert(isDeclaredAs(&DeviceApi::runtimeVersion, &cudaRuntimeGetVersion));
static_assert(isDeclaredAs(&DeviceApi::deviceCount, &cudaGetDeviceCount));
static_assert(std::is_same_v<decltype(&cudaGetDeviceProperties), cudaError_t (*)(cudaDeviceProp*, int)>);
static_assert(sizeof(cudaDeviceProp) <= sizeof(DeviceProperties));
static_assert(offsetof(cudaDeviceProp, name) == offsetof(DeviceProperties, name));
static_assert(sizeof(cudaDeviceProp::name) == sizeof(DeviceProperties::name));
static_assert(offsetof(cudaDeviceProp, uuid) == offsetof(DeviceProperties, uuid));
static_assert(sizeof(cudaDeviceProp::uuid) == sizeof(DeviceProperties::uuid));
static_assert(isDeclaredAs(&DeviceApi::setDevice, &cudaSetDevice));
static_assert(isDeclaredAs(&DeviceApi::streamPriorities, &cudaDeviceGetStreamPriorityRange));
static_assert(isDeclaredAs(&DeviceApi::streamCreate, &cudaStreamCreateWithPriority));
static_assert(isDeclaredAs(&DeviceApi::streamDestroy, &cudaStreamDestroy));
static_assert(isDeclaredAs(&DeviceApi::streamWaitEvent, &cudaStreamWaitEvent));
static_assert(isDeclaredAs(&DeviceApi::eventCreate, &cudaEventCreateWithFlags));
static_assert(isDeclaredAs(&DeviceApi::eventDestroy, &cudaEventDestroy));
static_assert(isDeclaredAs(&DeviceApi::eventRecord, &cudaEventRecord));
static_assert(isDeclaredAs(&DeviceApi::eventQuery, &cudaEventQuery));
static_assert(isDeclaredAs(&DeviceApi::eventElapsed, &cudaEventElapsedTime));
static_assert(isDeclaredAs(&DeviceApi::errorText, &cudaGetErrorString));
static_assert(isDeclaredAs(&DeviceApi::takeError, &cudaGetLastError));
static_assert(DeviceApi::kSuccess == cudaSuccess);
static_assert(DeviceApi::kInsufficientDriver == cudaErrorInsufficientDriver);
static_assert(DeviceApi::kNoDevice == cudaErrorNoDevice);
static_assert(DeviceApi::kNotReady == cudaErrorNotReady);
static_assert(DeviceApi::kNonBlockingStream == cudaStreamNonBlocking);

}  // namespace
}  // namespace dasgd::test
#endif

namespace dasgd::test {
namespace {

TEST(DeviceApi, ATableIsEmptyUntilItIsFilled) {
    const DeviceApi api;
    EXPECT_FALSE(api.eventQuery);
    EXPECT_FALSE(api.streamWaitEvent);
}

}  // namespace
}  // namespace dasgd::test
