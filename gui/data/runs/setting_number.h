// The number in a setting's text, with any unit: "8", "200Mbps", "1.5ms", "64MB".
#pragma once

#include <optional>
#include <string>

namespace dasgd::gui {

enum class Dimension { Plain, Time, Bytes, Rate };

struct SettingNumber {
    double value = 0;  // seconds, bytes, bytes per second
    Dimension dimension = Dimension::Plain;
};

// nullopt if the text is no number.
[[nodiscard]] std::optional<SettingNumber> settingNumber(const std::string& text);

}  // namespace dasgd::gui
