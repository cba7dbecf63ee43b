// What the settings of a run are called, as its record says: symbols of the papers, units, defaults.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "storage/run_reader.h"

namespace dasgd::gui {

struct Setting {
    std::string key;  // "algorithm.delay"
    QString symbol;   // "d"; "" where it has none
    QString unit;     // "steps"
    QString defaultText;
};

// In the order of the schema.
using RunSchema = std::vector<Setting>;

// Empty of runs that were recorded without.
[[nodiscard]] RunSchema schemaOf(const storage::RunRow& row);
// Null where the schema says nothing of the key.
[[nodiscard]] const Setting* findSetting(const RunSchema& schema, const std::string& key);

}  // namespace dasgd::gui
