// Edits of an experiment's text that a form asks for, each as the text after it. Pure; any thread.
#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "gui/experiment/model/document/experiment_document.h"

namespace dasgd::gui {

struct EditedText {
    QString text;
    QStringList notes;  // sentences for the user: what was removed, and what still overrides the edit
};

// One field from the user's input; "" removes the key.
[[nodiscard]] QString withField(const ExperimentDocument& document, const ExperimentSchema& schema, const QString& key,
                                const FieldInfo& field, const QString& written);
// Several fields by key, without those that the schema does not know or that already have the value.
[[nodiscard]] QString withFields(const ExperimentDocument& document, const ExperimentSchema& schema,
                                 const std::vector<std::pair<QString, QString>>& written);
// Another plug-in for the section, without the fields that it does not know.
[[nodiscard]] EditedText withPlugin(const ExperimentDocument& document, const ExperimentSchema& schema,
                                    const QString& section, const QString& plugin);
// The section replaced by this TOML table, `{ name = "dasgd", period = 4 }`.
[[nodiscard]] EditedText withSection(const ExperimentDocument& document, const ExperimentSchema& schema,
                                     const QString& section, const QString& table);
// The value of the field: from the text, else the default.
[[nodiscard]] QString effectiveText(const ExperimentDocument& document, const ExperimentSchema& schema,
                                    const QString& section, const QString& field);

}  // namespace dasgd::gui
