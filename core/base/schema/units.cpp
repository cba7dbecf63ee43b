#include "core/base/schema/units.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

namespace dasgd {

namespace {

struct Unit {
    std::string_view name;
    double factor;
};
constexpr Unit kBandwidths[] = {{"bps", 1.0 / 8}, {"kbps", 1e3 / 8}, {"Mbps", 1e6 / 8}, {"Gbps", 1e9 / 8}};
constexpr Unit kRates[] = {{"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
constexpr Unit kTimes[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
constexpr Unit kDurations[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}};
constexpr Unit kSizes[] = {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}};

// Number × unit; nullopt where either cannot be read.
std::optional<double> quantity(std::string_view text, std::span<const Unit> units) {
    double number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc() || !std::isfinite(number)) return std::nullopt;
    std::string_view name(parsed.ptr, static_cast<std::size_t>(text.data() + text.size() - parsed.ptr));
    while (name.starts_with(' ')) name.remove_prefix(1);
    for (const Unit& unit : units) {
        if (unit.name == name) return number * unit.factor;
    }
    return std::nullopt;
}

}  // namespace

Result<double> parseBandwidth(const std::string& text) {
    const auto value = quantity(text, kBandwidths);
    if (value && *value > 0) return *value;
    return fail("bandwidth is \"" + text + "\"; write a number above 0 with bps, kbps, Mbps or Gbps, as 200Mbps");
}

Result<double> parseLatency(const std::string& text) {
    const auto value = quantity(text, kTimes);
    if (value && *value >= 0) return *value;
    return fail("latency is \"" + text + "\"; write a number with ns, us, ms or s, as 1ms");
}

Result<double> parseDuration(const std::string& text) {
    const auto value = quantity(text, kDurations);
    if (value && *value > 0) return *value;
    return fail("the time is \"" + text + "\"; write a number above 0 with ns, us, ms, s, min or h, as 60ms");
}

Result<double> parseBytes(const std::string& text) {
    const auto value = quantity(text, kSizes);
    if (value && *value >= 1) return *value;
    return fail("the size is \"" + text + "\"; write a number with B, kB, MB or GB, as 1MB");
}

Result<double> parseRate(const std::string& text) {
    const auto value = quantity(text, kRates);
    if (value && *value >= 0) return *value;
    return fail("the rate is \"" + text + "\"; write a number with MB/s, GB/s or TB/s, as 10GB/s");
}

}  // namespace dasgd
