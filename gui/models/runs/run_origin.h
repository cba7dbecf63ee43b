// Where a run comes from, in words: code, machine, link, libraries.
#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "storage/run_reader.h"

namespace dasgd::gui {

// Names and values; what was not recorded is left out.
[[nodiscard]] std::vector<std::pair<QString, QString>> originOf(const storage::RunDetail& run);

}  // namespace dasgd::gui
