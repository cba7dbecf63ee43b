// The kernels of core/gpu/flat_ops.h, as text for the device's compiler: core/gpu/flat_kernels.inc.
#pragma once

namespace dasgd {

[[nodiscard]] const char* flatKernelsSource();

// Bytes that a kernel reads or writes at once: "merge<S, kPackBytes / sizeof(S)>" where all pointers are aligned to as
// many, "merge<S, 1>" elsewhere.
inline constexpr int kPackBytes = 16;

// How many pointers "Addends<S>" has; behind them their number, a long long.
inline constexpr int kMostAddends = 64;

}  // namespace dasgd
