// Quantities with a unit, as users write them for a link: "200Mbps", "1.5ms".
#pragma once

#include <string>

#include "core/base/result.h"

namespace dasgd {

// Reads bps, kbps, Mbps, Gbps (bits, powers of ten) as bytes per second. Errors: another unit, not above 0.
[[nodiscard]] Result<double> parseBandwidth(const std::string& text);

// Reads ns, us, ms, s as seconds. Errors: another unit, below 0.
[[nodiscard]] Result<double> parseLatency(const std::string& text);

// Reads ns, us, ms, s, min, h as seconds. Errors: another unit, not above 0.
[[nodiscard]] Result<double> parseDuration(const std::string& text);

// Reads B, kB, MB, GB (powers of ten) as bytes. Errors: another unit, under one byte.
[[nodiscard]] Result<double> parseBytes(const std::string& text);

// Reads MB/s, GB/s, TB/s (powers of ten) as bytes per second. Errors: another unit, below 0.
[[nodiscard]] Result<double> parseRate(const std::string& text);

}  // namespace dasgd
