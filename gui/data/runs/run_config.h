// The settings of a run as text for users.
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <set>
#include <string>

#include "core/analysis/runs/configuration.h"
#include "gui/data/runs/run_schema.h"
#include "storage/runs/run_row.h"

namespace dasgd::gui {

// Settings of the algorithm that have a symbol, without terms that are zero by default, then other settings of it, or
// with a symbol, that differ from their default: "τ 4  d 3  ξ 0.25  c 1  η 0.02". Cluster, network and compute times
// are left out.
[[nodiscard]] QString settingsInWords(const Settings& settings, const RunSchema& schema);
// A setting's symbol, else its name: "algorithm.delay" → "d", "train.batch_size" → "batch", "schedule.name" →
// "schedule".
[[nodiscard]] QString settingName(const std::string& key, const RunSchema& schema);
// "0.250000" and "4.0" in short form: whole numbers in full, others with enough digits to be exact. Different numbers
// never read alike.
[[nodiscard]] QString settingValue(const std::string& value);
// settingValue() for several values; different spellings of one number, "4" and "4.0", stay as recorded.
[[nodiscard]] std::map<std::string, QString> settingValues(const std::set<std::string>& values);
// One setting in a label: "d 3".
[[nodiscard]] QString settingText(const std::string& key, const std::string& value, const RunSchema& schema);
// "delay-sweep / dasgd  τ 4  d 3  ξ 0.25 · seed 2".
[[nodiscard]] QString runTitle(const storage::RunRow& row);

// "200Mbps, 1ms" → "200 Mbps, 1 ms".
[[nodiscard]] QString linkInWords(const std::string& link);

}  // namespace dasgd::gui
