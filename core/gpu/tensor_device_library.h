// Opens a GPU. LibTorch's side of one is a module of its own, dasgd_cuda.so, which is loaded when a GPU is asked for:
// the same program runs where there is neither GPU, driver nor LibTorch's CUDA libraries.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/gpu/tensor_device.h"

namespace dasgd {

inline constexpr const char* kTensorDeviceModule = "dasgd_cuda.so";

// The module of this program: beside it, in ../lib (a bundle) or a folder above (tests). Errors: it is nowhere there.
[[nodiscard]] Result<std::filesystem::path> tensorDeviceModule();

// Loads `module`, after which LibTorch has CUDA: kernels (those of core/gpu/flat_ops.h too), random generators, pinned
// memory. LibTorch looks once for what there is, so this comes before the process's first backward pass and its first
// question after CUDA. Needs no device; takes seconds the first time, nothing again. Errors: LibTorch's CUDA libraries
// are not complete (which one is missing).
[[nodiscard]] Status loadTensorDeviceModule(const std::filesystem::path& module);

// Opens device `index` (cuda:index) for the calling thread, which has entered it then. Loads this program's module
// where that was not done. It outlives every tensor that bring() made and every graph that was captured. Errors, each
// with what to do: no module, LibTorch's CUDA libraries missing, no driver or one that is too old, no such device, one
// that does not answer.
[[nodiscard]] Result<std::unique_ptr<TensorDevice>> openTensorDevice(int index);

// How many devices openTensorDevice can open, at least one: for checks before ranks start, and for doctor. Loads no
// module, which takes seconds: whether LibTorch's CUDA libraries are complete, loadTensorDeviceModule() tells.
// Errors: as openTensorDevice().
[[nodiscard]] Result<int> usableTensorDevices();

}  // namespace dasgd
