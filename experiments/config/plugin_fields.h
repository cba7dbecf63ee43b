// The fields of an experiment's plug-ins: which of them stay behind in a document when a section's plug-in is changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/schema/value.h"
#include "experiments/config/schema.h"

namespace dasgd::experiments {

// Sections that name a plug-in (algorithm, model, data, optimizer, schedule, network). Reads the schema once.
class PluginFields {
public:
    explicit PluginFields(ExperimentSchema schema = experimentSchema()) : schema_(std::move(schema)) {}

    // Keys of the document's section that its plug-in does not know and one of `others` does; all plug-ins of the
    // section where `others` is empty. None where the section has no plug-ins, or names one that does not exist.
    [[nodiscard]] std::vector<std::string> leftOver(const Value& document, std::string_view section,
                                                    const std::vector<std::string>& others = {}) const;
    // Names of the sections with plug-ins.
    [[nodiscard]] std::vector<std::string> sections() const;
    // The plug-in that the section names or takes by default.
    [[nodiscard]] std::string pluginOf(const Value& document, std::string_view section) const;

private:
    [[nodiscard]] const SchemaSection* find(std::string_view section) const;

    ExperimentSchema schema_;
};

}  // namespace dasgd::experiments
