// Origin of a run in words: code, machine, link, libraries.
#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "storage/read/run_reader.h"

namespace dasgd::gui {

// Pairs of name and value; what was not recorded is left out.
[[nodiscard]] std::vector<std::pair<QString, QString>> originOf(const storage::RunDetail& run);

}  // namespace dasgd::gui
