// The schema of an experiment file, without torch: for `dasgd describe`, and for commands that change a document before
// it is checked.
#pragma once

#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/value.h"
#include "core/cost/communication_pattern.h"

namespace dasgd::experiments {

struct SchemaPlugin {
    std::string name, summary, reference;
    std::vector<FieldInfo> fields;
    CommunicationPattern communication = {};  // pattern of an algorithm
};
struct SchemaSection {
    std::string name;
    std::vector<FieldInfo> fields;  // common to all plug-ins, `name` among them
    std::vector<SchemaPlugin> plugins;
};
[[nodiscard]] std::vector<SchemaSection> experimentSchema();
// True where the algorithm of this name, if there is one, reads [graph].
[[nodiscard]] bool readsGraph(const std::string& algorithm);
// Replaces the algorithm of a document, and leaves out [graph] where the new one does not read it.
void setAlgorithm(Value& document, Value algorithm);

}  // namespace dasgd::experiments
