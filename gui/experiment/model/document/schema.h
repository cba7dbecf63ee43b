// The fields of an experiment as `dasgd describe --json` lists them; no field is hard-coded in the window.
#pragma once

#include <QByteArray>
#include <QStringList>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/schema/fields.h"

namespace dasgd::gui {

struct SchemaPlugin {
    std::string name, summary, reference;
    std::vector<FieldInfo> fields;
    QStringList reads = {};  // of algorithms only: sections that not all of them read

    [[nodiscard]] const FieldInfo* field(std::string_view name) const;  // null where there is none
};

struct SchemaSection {
    std::string name;                   // "algorithm"
    std::vector<FieldInfo> fields;      // common to all plug-ins; `name` chooses one
    std::vector<SchemaPlugin> plugins;  // empty where the section has none
    QStringList backends = {};          // those that read the section, where others refuse it

    [[nodiscard]] const SchemaPlugin* plugin(std::string_view name) const;  // null where there is none
    // Fields of the plug-in and the common ones in the order of a form: name, the plug-in's fields, the other common
    // ones.
    [[nodiscard]] std::vector<const FieldInfo*> fieldsOf(std::string_view plugin) const;
};

struct ExperimentSchema {
    std::vector<SchemaSection> sections;  // in the order of a written file

    [[nodiscard]] const SchemaSection* section(std::string_view name) const;  // null where there is none
    [[nodiscard]] QStringList sectionNames() const;
    // Sections that only some algorithms read, and this one does not; none where there is no such algorithm.
    [[nodiscard]] QStringList sectionsUnreadBy(std::string_view algorithm) const;
    // Sections that this backend refuses.
    [[nodiscard]] QStringList sectionsRefusedBy(const QString& backend) const;
};

// Fails if the text is no JSON, or JSON without sections.
[[nodiscard]] Result<ExperimentSchema> readSchema(const QByteArray& json);

// "0 to 1", "one of keep, reset, average"; "" where every value is allowed.
[[nodiscard]] QString rangeInWords(const FieldInfo& field);

}  // namespace dasgd::gui
