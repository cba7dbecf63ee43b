// The schema of an experiment file, without torch: for `dasgd describe`, and for commands that change a document before
// it is checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/schema/experiment_schema.h"
#include "core/base/schema/value.h"
#include "core/cost/communication_pattern.h"

namespace dasgd::experiments {

// An algorithm, and how it communicates.
struct AlgorithmInfo : SchemaPlugin {
    CommunicationPattern communication = {};
};

[[nodiscard]] ExperimentSchema experimentSchema();
// Default of a common field of a section as TOML, which a file may leave out; "" where there is none.
[[nodiscard]] std::string defaultOf(const std::string& section, const std::string& key);
// All that are registered, by name.
[[nodiscard]] std::vector<AlgorithmInfo> registeredAlgorithms();
// What the runs of a document can be judged by on a validation set; nullopt where it cannot be read.
enum class JudgedBy : std::uint8_t { Accuracy, LossAlone, Nothing };
[[nodiscard]] std::optional<JudgedBy> judgedBy(const Value& document);
// Sections of the document, such as [graph], that only some algorithms read and its own does not. None where its
// algorithm does not exist.
[[nodiscard]] std::vector<std::string> unreadSections(const Value& document);
// Document of another algorithm: setAlgorithm() of a copy.
[[nodiscard]] Value withAlgorithm(Value document, Value algorithm);
// Replaces the algorithm of a document, and leaves out what the new one does not read of these sections.
void setAlgorithm(Value& document, Value algorithm);

}  // namespace dasgd::experiments
