#include "gui/data/runs/setting_number.h"

#include <cctype>
#include <charconv>

#include "core/base/schema/units.h"

namespace dasgd::gui {

namespace {

std::optional<double> either(const Result<double>& first, const Result<double>& second) {
    if (first) return *first;
    if (second) return *second;
    return std::nullopt;
}

}  // namespace

std::optional<SettingNumber> settingNumber(const std::string& text) {
    double number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc()) return std::nullopt;
    if (parsed.ptr == text.data() + text.size()) return SettingNumber{number, Dimension::Plain};
    // A word such as "info" parses as inf with a unit, but is no number.
    if (std::isalpha(static_cast<unsigned char>(text.front())) != 0) return std::nullopt;
    if (const auto time = either(parseLatency(text), parseDuration(text))) {
        return SettingNumber{*time, Dimension::Time};
    }
    if (const auto bytes = parseBytes(text)) return SettingNumber{*bytes, Dimension::Bytes};
    if (const auto rate = either(parseBandwidth(text), parseRate(text))) return SettingNumber{*rate, Dimension::Rate};
    return std::nullopt;
}

}  // namespace dasgd::gui
