// The schema of an experiment file, without torch: for `dasgd describe`, and for commands that change a document before
// it is checked.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/schema/fields.h"
#include "core/base/schema/value.h"
#include "core/cost/communication_pattern.h"

namespace dasgd::experiments {

struct SchemaPlugin {
    std::string name, summary, reference;
    std::vector<FieldInfo> fields;
    CommunicationPattern communication = {};  // pattern of an algorithm
    std::vector<std::string> reads = {};      // sections that only some algorithms read, and this one does

    [[nodiscard]] const FieldInfo* field(std::string_view wanted) const {  // null where there is none
        const auto found = std::ranges::find(fields, wanted, &FieldInfo::name);
        return found == fields.end() ? nullptr : &*found;
    }
};
struct SchemaSection {
    std::string name;
    std::vector<FieldInfo> fields;  // common to all plug-ins, `name` among them
    std::vector<SchemaPlugin> plugins;
    std::vector<std::string> backends = {};  // those that read the section, where others refuse it
};
[[nodiscard]] std::vector<SchemaSection> experimentSchema();
// Sections of the document, such as [graph], that only some algorithms read and its own does not. None where its
// algorithm does not exist.
[[nodiscard]] std::vector<std::string> unreadSections(const Value& document);
// Document of another algorithm: setAlgorithm() of a copy.
[[nodiscard]] Value withAlgorithm(Value document, Value algorithm);
// Replaces the algorithm of a document, and leaves out what the new one does not read of these sections.
void setAlgorithm(Value& document, Value algorithm);

}  // namespace dasgd::experiments
