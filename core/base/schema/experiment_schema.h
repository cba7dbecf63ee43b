// The schema of an experiment file: its sections, their plug-ins, their fields. The engine fills it from what is
// registered, `dasgd describe --json` prints it, and the window reads that: one struct for both sides.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/schema/fields.h"

namespace dasgd {

struct SchemaPlugin {
    std::string name = {}, summary = {}, reference = {};
    std::vector<FieldInfo> fields = {};
    std::vector<std::string> reads = {};  // of an algorithm: sections that not all algorithms read

    [[nodiscard]] const FieldInfo* field(std::string_view name) const;  // null where there is none
};

struct SchemaSection {
    std::string name = {};                   // "algorithm"
    std::vector<FieldInfo> fields = {};      // common to all plug-ins; `name` chooses one
    std::vector<SchemaPlugin> plugins = {};  // empty where the section has none
    std::vector<std::string> backends = {};  // those that read the section, where others refuse it

    [[nodiscard]] const FieldInfo* field(std::string_view name) const;      // common ones; null where there is none
    [[nodiscard]] const SchemaPlugin* plugin(std::string_view name) const;  // null where there is none
    // Fields of the plug-in and the common ones in the order of a form: name, the plug-in's fields, the other common
    // ones.
    [[nodiscard]] std::vector<const FieldInfo*> fieldsOf(std::string_view plugin) const;
};

struct ExperimentSchema {
    std::vector<SchemaSection> sections = {};  // in the order of a written file

    [[nodiscard]] bool isKnown() const { return !sections.empty(); }
    [[nodiscard]] const SchemaSection* section(std::string_view name) const;  // null where there is none
    [[nodiscard]] std::vector<std::string> sectionNames() const;
    // Sections that only some algorithms read, and this one does not; none where there is no such algorithm.
    [[nodiscard]] std::vector<std::string> sectionsUnreadBy(std::string_view algorithm) const;
    // Sections that this backend refuses.
    [[nodiscard]] std::vector<std::string> sectionsRefusedBy(const std::string& backend) const;
};

// Both as `dasgd describe --json` prints them, without a line's end.
[[nodiscard]] std::string schemaJson(const ExperimentSchema& schema);
[[nodiscard]] std::string fieldsJson(const std::vector<FieldInfo>& fields);
// Fails if the text is no JSON, or JSON without sections.
[[nodiscard]] Result<ExperimentSchema> readSchema(std::string_view json);

// "0 to 1", "at least 1", "one of keep, reset, average"; "" where every value is allowed. Bounds beyond a million only
// guard against overflow and are left out.
[[nodiscard]] std::string rangeInWords(const FieldSpec& spec);

}  // namespace dasgd
