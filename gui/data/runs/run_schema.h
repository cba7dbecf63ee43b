// Names of a run's settings from its record: symbols as in the papers, units, defaults.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "storage/runs/run_row.h"

namespace dasgd::gui {

struct Setting {
    std::string key;  // "algorithm.delay"
    QString symbol;   // "d"; "" if it has none
    QString unit;     // "steps"
    QString defaultText;
};

// Ordered as in the recorded schema.
using RunSchema = std::vector<Setting>;

// Empty for runs recorded without a schema.
[[nodiscard]] RunSchema schemaOf(const storage::RunRow& row);
// Null if the schema does not list the key.
[[nodiscard]] const Setting* findSetting(const RunSchema& schema, const std::string& key);

}  // namespace dasgd::gui
