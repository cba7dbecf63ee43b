#include "gui/experiment/model/document/schema.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <cmath>

namespace dasgd::gui {

namespace {

std::string textOf(const QJsonObject& json, const char* key) {
    return json[QLatin1String(key)].toString().toStdString();
}

FieldInfo fieldOf(const QJsonObject& json) {
    FieldInfo field{.name = textOf(json, "name"),
                    .type = textOf(json, "type"),
                    .defaultToml = textOf(json, "default"),
                    .optional = json[QLatin1String("optional")].toBool()};
    FieldSpec& spec = field.spec;
    spec.minOpen = json.contains(QLatin1String("above"));
    spec.maxOpen = json.contains(QLatin1String("below"));
    spec.min = json[QLatin1String(spec.minOpen ? "above" : "min")].toDouble(spec.min);
    spec.max = json[QLatin1String(spec.maxOpen ? "below" : "max")].toDouble(spec.max);
    spec.unit = textOf(json, "unit");
    spec.symbol = textOf(json, "symbol");
    spec.help = textOf(json, "help");
    for (const QJsonValue& choice : json[QLatin1String("choices")].toArray()) {
        spec.choices.push_back(choice.toString().toStdString());
    }
    for (const QJsonValue& child : json[QLatin1String("fields")].toArray()) {
        field.children.push_back(fieldOf(child.toObject()));
    }
    return field;
}

std::vector<FieldInfo> schemaFieldsOf(const QJsonObject& json) {
    std::vector<FieldInfo> fields;
    for (const QJsonValue& field : json[QLatin1String("fields")].toArray()) fields.push_back(fieldOf(field.toObject()));
    return fields;
}

}  // namespace

const FieldInfo* SchemaPlugin::field(std::string_view wanted) const {
    const auto found = std::ranges::find(fields, wanted, &FieldInfo::name);
    return found == fields.end() ? nullptr : &*found;
}

const SchemaPlugin* SchemaSection::plugin(std::string_view wanted) const {
    const auto found = std::ranges::find(plugins, wanted, &SchemaPlugin::name);
    return found == plugins.end() ? nullptr : &*found;
}

std::vector<const FieldInfo*> SchemaSection::fieldsOf(std::string_view wanted) const {
    std::vector<const FieldInfo*> all;
    const bool named = !fields.empty() && fields.front().name == "name" && !plugins.empty();
    if (named) all.push_back(&fields.front());
    if (const SchemaPlugin* chosen = plugin(wanted)) {
        for (const FieldInfo& field : chosen->fields) all.push_back(&field);
    }
    for (std::size_t i = named ? 1 : 0; i < fields.size(); ++i) all.push_back(&fields[i]);
    return all;
}

const SchemaSection* ExperimentSchema::section(std::string_view name) const {
    const auto found = std::ranges::find(sections, name, &SchemaSection::name);
    return found == sections.end() ? nullptr : &*found;
}

QStringList ExperimentSchema::sectionNames() const {
    QStringList names;
    for (const SchemaSection& section : sections) names << QString::fromStdString(section.name);
    return names;
}

QStringList ExperimentSchema::sectionsUnreadBy(std::string_view algorithm) const {
    QStringList names;
    const SchemaSection* algorithms = section("algorithm");
    const SchemaPlugin* own = algorithms ? algorithms->plugin(algorithm) : nullptr;
    if (!own) return names;
    for (const SchemaPlugin& other : algorithms->plugins) {
        for (const QString& read : other.reads) {
            if (!own->reads.contains(read) && !names.contains(read)) names << read;
        }
    }
    return names;
}

QStringList ExperimentSchema::sectionsRefusedBy(const QString& backend) const {
    QStringList names;
    for (const SchemaSection& section : sections) {
        if (!section.backends.isEmpty() && !section.backends.contains(backend))
            names << QString::fromStdString(section.name);
    }
    return names;
}

Result<ExperimentSchema> readSchema(const QByteArray& json) {
    const QJsonArray sections = QJsonDocument::fromJson(json).object()[QLatin1String("sections")].toArray();
    if (sections.isEmpty()) {
        return fail("`dasgd describe --json` named no sections: the program and this window are of different versions");
    }
    ExperimentSchema schema;
    for (const QJsonValue& value : sections) {
        const QJsonObject object = value.toObject();
        SchemaSection section{.name = textOf(object, "name"),
                              .fields = schemaFieldsOf(object),
                              .plugins = {},
                              .backends = object[QLatin1String("backends")].toVariant().toStringList()};
        for (const QJsonValue& entry : object[QLatin1String("plugins")].toArray()) {
            const QJsonObject plugin = entry.toObject();
            section.plugins.push_back({textOf(plugin, "name"), textOf(plugin, "summary"), textOf(plugin, "reference"),
                                       schemaFieldsOf(plugin),
                                       plugin[QLatin1String("reads")].toVariant().toStringList()});
        }
        schema.sections.push_back(std::move(section));
    }
    return schema;
}

QString rangeInWords(const FieldInfo& field) {
    const FieldSpec& spec = field.spec;
    if (!spec.choices.empty()) {
        QStringList choices;
        for (const std::string& choice : spec.choices) choices << QString::fromStdString(choice);
        return QStringLiteral("one of ") + choices.join(QStringLiteral(", "));
    }
    // Bounds this far out only guard against overflow.
    constexpr double kFar = 1e6;
    const bool low = std::isfinite(spec.min), high = std::isfinite(spec.max) && spec.max < kFar;
    const QString lowest = QString::number(spec.min), highest = QString::number(spec.max);
    if (low && high && !spec.minOpen && !spec.maxOpen) return QStringLiteral("%1 to %2").arg(lowest, highest);
    QStringList parts;
    if (low) parts << (spec.minOpen ? QStringLiteral("above %1") : QStringLiteral("at least %1")).arg(lowest);
    if (high) parts << (spec.maxOpen ? QStringLiteral("below %1") : QStringLiteral("at most %1")).arg(highest);
    return parts.join(QStringLiteral(", "));
}

}  // namespace dasgd::gui
