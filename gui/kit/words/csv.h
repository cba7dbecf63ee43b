// Fields of CSV files.
#pragma once

#include <QString>
#include <optional>

namespace dasgd::gui {

// A text, quoted; a name that begins like a formula stays a text in spreadsheets.
[[nodiscard]] QString csvField(QString text);
// The shortest text that reads back as the same number; "" if it is absent, "nan" where it is none.
[[nodiscard]] QString csvNumber(const std::optional<double>& value);

}  // namespace dasgd::gui
