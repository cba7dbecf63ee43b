// The settings of a run, written for people.
#pragma once

#include <QString>
#include <QStringList>
#include <string>

#include "core/analysis/configuration.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

// The algorithm's settings in the signs of the papers: "τ 4  d 3  ξ 0.25  c 1". "" where it has none worth saying.
[[nodiscard]] QString settingsInWords(const Settings& settings);
// A setting's sign or short name: "algorithm.delay" → "d", "train.batch_size" → "batch".
[[nodiscard]] QString settingName(const std::string& key);
// One setting as it reads in a label: "d 3".
[[nodiscard]] QString settingText(const std::string& key, const std::string& value);
// "delay-sweep / dasgd  τ 4  d 3  ξ 0.25 · seed 2".
[[nodiscard]] QString runTitle(const storage::RunRow& row);

// "200Mbps, 1ms" → "200 Mbps, 1 ms".
[[nodiscard]] QString linkInWords(const std::string& link);

}  // namespace dasgd::gui
