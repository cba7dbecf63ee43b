// Configurations: the settings of an experiment as text, which settings make repetitions of one configuration, its
// identity, and the differences between several. Command line, window and figures take all of this from here. Pure
// functions, callable from any thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/schema/value.h"

namespace dasgd {

// Every value of a configuration by its dotted key, as text: "train.batch_size" → "32". Arrays are one value, strings
// are without quotes.
using Settings = std::map<std::string, std::string>;
[[nodiscard]] Settings settingsOf(const Value& table);
// Settings in a TOML document, as a run's record keeps it. Empty where the text is no TOML.
[[nodiscard]] Settings settingsOf(const std::string& toml);

// The seeds of training, jitter, failures and background traffic. Runs that differ in nothing else but the
// experiment's name are repetitions of one configuration. The seed of a synthetic data set is none of these: other data
// are another configuration.
[[nodiscard]] const std::set<std::string>& seedKeys();

// The settings without the seeds and the experiment's name.
[[nodiscard]] Settings configurationOf(Settings settings);
// The identity of a configuration: equal for repetitions, different for everything else.
[[nodiscard]] std::string configurationKey(const Settings& settings);
// The values of the seeds. Two runs of one configuration with equal seeds are the same run, made twice.
[[nodiscard]] std::string seedsOf(const Settings& settings);

// True where the best model of a run is chosen on a validation set; otherwise it is chosen on the test set on which its
// accuracy is measured, which makes that optimistic.
[[nodiscard]] bool choosesOnValidation(const Settings& settings);

// For each configuration the settings that distinguish it from the others: those whose key has more than one value
// among the configurations of the same plug-in of its section (algorithm.delay is compared among equal algorithms),
// where a missing key counts as a value. Seeds, the experiment's name, the algorithm's name and the keys in `apart` do
// not count. Long values, such as matrices, are replaced by a number: "#2" is the second that appears.
[[nodiscard]] std::vector<Settings> differencesOf(const std::vector<Settings>& all,
                                                  const std::set<std::string>& apart = {});

// One label for each configuration: the algorithm, then the settings that distinguish it, as "dasgd delay=2
// train.batch_size=64". Equal labels are numbered.
[[nodiscard]] std::vector<std::string> labelConfigurations(const std::vector<Settings>& all);

}  // namespace dasgd
