#include "gui/experiment/model/document/experiment_edits.h"

#include <QObject>
#include <algorithm>

namespace dasgd::gui {

namespace {

const FieldInfo* fieldOf(const ExperimentDocument& document, const ExperimentSchema& schema, const QString& section,
                         const QString& field) {
    const SchemaSection* known = schema.section(section.toStdString());
    const auto fields =
        known ? known->fieldsOf(document.pluginOf(*known).toStdString()) : std::vector<const FieldInfo*>{};
    const auto found = std::ranges::find(fields, field.toStdString(), &FieldInfo::name);
    return found == fields.end() ? nullptr : *found;
}

}  // namespace

QString withField(const ExperimentDocument& document, const ExperimentSchema& schema, const QString& key,
                  const FieldInfo& field, const QString& written) {
    return written.isEmpty() ? document.without(key) : document.with(key, tomlOf(field, written), schema);
}

QString withFields(const ExperimentDocument& document, const ExperimentSchema& schema,
                   const std::vector<std::pair<QString, QString>>& written) {
    ExperimentDocument changed = document;
    for (const auto& [key, value] : written) {
        const QString section = key.section(u'.', 0, 0), name = key.section(u'.', 1);
        const FieldInfo* field = fieldOf(document, schema, section, name);
        if (field && effectiveText(document, schema, section, name) != value)
            changed = ExperimentDocument(changed.with(key, tomlOf(*field, value), schema));
    }
    return changed.text();
}

EditedText withPlugin(const ExperimentDocument& document, const ExperimentSchema& schema, const QString& section,
                      const QString& plugin) {
    const auto change = document.withPlugin(section, plugin, schema);
    EditedText edited{change.text, {}};
    if (!change.dropped.isEmpty()) {
        edited.notes << QObject::tr("%1 does not know %2: taken out of the text. Ctrl+Z in the text brings it back.")
                            .arg(plugin, change.dropped.join(QStringLiteral(", ")));
    }
    return edited;
}

EditedText withSection(const ExperimentDocument& document, const ExperimentSchema& schema, const QString& section,
                       const QString& table) {
    const ExperimentDocument given(QStringLiteral("v = ") + table);
    const Value* value = given.value(QStringLiteral("v"));
    const auto* fields = value ? value->as<Value::Table>() : nullptr;
    if (document.syntaxError() || !fields) return {document.text(), {}};
    const auto change = document.withPlugin(section, given.valueText(QStringLiteral("v.name")), schema);
    ExperimentDocument made(change.text);
    QStringList dropped, overruled;
    const QStringList unread = change.dropped.filter(QStringLiteral("["));
    const Value* present = document.value(section);
    if (const auto* own = present ? present->as<Value::Table>() : nullptr) {
        for (const auto& [name, field] : *own) {
            if (value->find(name) || name == "name") continue;
            dropped << QString::fromStdString(name);
            made = ExperimentDocument(made.without(section + u'.' + dropped.back()));
        }
    }
    for (const auto& [name, field] : *fields) {
        if (name == "name") continue;
        made = ExperimentDocument(
            made.with(section + u'.' + QString::fromStdString(name), QString::fromStdString(field.toToml()), schema));
    }
    for (const QString& key : made.varied()) {
        if (key == section || key.startsWith(section + u'.')) overruled << key;
    }
    EditedText edited{made.text(), {}};
    const auto add = [&edited](const QString& sentence) { edited.notes << sentence; };
    if (!dropped.isEmpty()) {
        add(QObject::tr("Taken out of [%1], as what was set does not have it: %2. Ctrl+Z in the text brings it back.")
                .arg(section, dropped.join(QStringLiteral(", "))));
    }
    if (!unread.isEmpty()) {
        add(QObject::tr("Taken out, as the algorithm does not read it: %1.").arg(unread.join(QStringLiteral(", "))));
    }
    if (!overruled.isEmpty()) {
        add(QObject::tr("[sweep] or [[case]] sets %1, which goes before what was set.")
                .arg(overruled.join(QStringLiteral(", "))));
    }
    return edited;
}

QString effectiveText(const ExperimentDocument& document, const ExperimentSchema& schema, const QString& section,
                      const QString& field) {
    const QString key = section + u'.' + field;
    if (document.value(key)) return document.valueText(key);
    const FieldInfo* known = fieldOf(document, schema, section, field);
    return known ? defaultText(*known) : QString();
}

}  // namespace dasgd::gui
