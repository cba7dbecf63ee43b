// The resolved TOML of a run, read for display: which settings it has, and which runs differ only in the seed.
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <string>

#include "storage/run_reader.h"

namespace dasgd::gui {

// "algorithm.delay" → "3". Arrays and inline tables as one value. Empty where the text is no TOML.
using FlatConfig = std::map<std::string, std::string>;
[[nodiscard]] FlatConfig flattenToml(const std::string& toml);

// The algorithm's settings in the signs of the papers: "τ 4  d 3  ξ 0.25  c 1". "" where it has none worth saying.
[[nodiscard]] QString settingsInWords(const FlatConfig& config);
// A setting's sign or short name: "algorithm.delay" → "d", "train.batch_size" → "batch".
[[nodiscard]] QString settingName(const std::string& key);
// One setting as it reads in a label: "d 3".
[[nodiscard]] QString settingText(const std::string& key, const std::string& value);
// Equal for runs that differ only in the seed.
[[nodiscard]] std::string groupKey(const storage::RunRow& row);
// "delay-sweep / dasgd  τ 4  d 3  ξ 0.25 · seed 2".
[[nodiscard]] QString runTitle(const storage::RunRow& row);

// "200Mbps, 1ms" → "200 Mbps, 1 ms".
[[nodiscard]] QString linkInWords(const std::string& link);

}  // namespace dasgd::gui
