// Quantities with a unit, as users write them for a link: "200Mbps", "1.5ms".
#pragma once

#include <string>

#include "core/base/result.h"

namespace dasgd {

// Bytes per second of bps, kbps, Mbps, Gbps (bits, powers of ten). Errors: another unit, not above 0.
[[nodiscard]] Result<double> parseBandwidth(const std::string& text);

// Seconds of ns, us, ms, s. Errors: another unit, below 0.
[[nodiscard]] Result<double> parseLatency(const std::string& text);

// Seconds of ns, us, ms, s, min, h. Errors: another unit, not above 0.
[[nodiscard]] Result<double> parseDuration(const std::string& text);

// Bytes of B, kB, MB, GB (powers of ten). Errors: another unit, under one byte.
[[nodiscard]] Result<double> parseBytes(const std::string& text);

// Bytes per second of MB/s, GB/s, TB/s (powers of ten). Errors: another unit, below 0.
[[nodiscard]] Result<double> parseRate(const std::string& text);

}  // namespace dasgd
