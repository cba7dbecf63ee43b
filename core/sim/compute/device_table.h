// Peak rates of devices as published by their makers, for step times that are estimated instead of measured. Pure data.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dasgd {

// A device that a worker computes on.
struct DeviceSpec {
    std::string_view name;
    double teraflops;           // peak of single-precision multiply-adds (FP32, no tensor cores), 10¹² FLOP/s
    double gigabytesPerSecond;  // bandwidth of its memory
    std::string_view source;    // source of both figures, or how they were derived
};

[[nodiscard]] std::span<const DeviceSpec> deviceTable();
// Null where the table has no device of that name.
[[nodiscard]] const DeviceSpec* deviceNamed(std::string_view name);
[[nodiscard]] std::vector<std::string> deviceNames();

}  // namespace dasgd
