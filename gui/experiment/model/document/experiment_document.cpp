#include "gui/experiment/model/document/experiment_document.h"

#include <QRegularExpression>
#include <algorithm>
#include <functional>

#include "core/base/schema/toml_reader.h"

namespace dasgd::gui {

namespace {

std::string utf8(const QString& text) { return text.toStdString(); }

// Numbers are compared by value, so that 1 equals 1.0.
bool sameValue(const Value& left, const Value& right) {
    const auto numberOf = [](const Value& value) -> std::optional<double> {
        if (const auto* integer = value.as<std::int64_t>()) return static_cast<double>(*integer);
        if (const auto* real = value.as<double>()) return *real;
        return std::nullopt;
    };
    if (numberOf(left) && numberOf(right)) return *numberOf(left) == *numberOf(right);
    const auto* lefts = left.as<Value::Array>();
    const auto* rights = right.as<Value::Array>();
    if (lefts && rights) return std::ranges::equal(*lefts, *rights, sameValue);
    return left.data().index() == right.data().index() && left.toToml() == right.toToml();
}

// Calls `visit` for every leaf field of the section with its dotted key.
void eachField(const std::vector<const FieldInfo*>& fields, const QString& prefix,
               const std::function<void(const QString&, const FieldInfo&)>& visit) {
    for (const FieldInfo* field : fields) {
        const QString key = prefix + u'.' + QString::fromStdString(field->name);
        if (field->type != "table") {
            visit(key, *field);
            continue;
        }
        std::vector<const FieldInfo*> children;
        for (const FieldInfo& child : field->children) children.push_back(&child);
        eachField(children, key, visit);
    }
}

// Removes headers that have nothing under them, not even a comment.
QString withoutEmptyTables(QString text) {
    const std::vector<TomlEntry> entries = scanToml(text);
    for (std::size_t i = entries.size(); i-- > 0;) {
        if (entries[i].kind != TomlEntry::Kind::Header) continue;
        const qsizetype end = i + 1 < entries.size() ? entries[i + 1].lineBegin : text.size();
        const bool last = i + 1 == entries.size() || entries[i + 1].kind != TomlEntry::Kind::Key;
        const qsizetype from = entries[i].lineEnd;
        if (last && text.mid(from, end - from).trimmed().isEmpty())
            text.remove(entries[i].lineBegin, end - entries[i].lineBegin);
    }
    return text;
}

void addLeaves(const Value& value, const QString& path, QStringList& keys) {
    const auto* fields = value.as<Value::Table>();
    if (!fields) keys << path;
    if (!fields) return;
    for (const auto& [name, field] : *fields) {
        const QString own = QString::fromStdString(name);
        addLeaves(field, path.isEmpty() ? own : path + u'.' + own, keys);
    }
}

void addVaried(const Value& table, QStringList& keys) {
    if (const Value* sweep = table.find("sweep")) addLeaves(*sweep, {}, keys);
    const Value* found = table.find("case");
    const auto* cases = found ? found->as<Value::Array>() : nullptr;
    if (!cases) return;
    for (const Value& one : *cases) {
        const auto* fields = one.as<Value::Table>();
        if (!fields) continue;
        for (const auto& [name, field] : *fields) {
            const bool isSetting = name != "name" && name != "sweep" && name != "case";
            if (isSetting) addLeaves(field, QString::fromStdString(name), keys);
        }
        addVaried(one, keys);
    }
}

}  // namespace

QString Problem::inWords() const {
    return line > 0 ? QStringLiteral("%1:%2  %3").arg(line).arg(column).arg(message) : message;
}

Problem problemFrom(const std::string& message) {
    static const QRegularExpression place(QStringLiteral("^text:(\\d+):(\\d+): (.*)$"),
                                          QRegularExpression::DotMatchesEverythingOption);
    const QString text = QString::fromStdString(message);
    const auto match = place.match(text);
    if (!match.hasMatch()) return {.message = text};
    return {.line = match.captured(1).toInt(), .column = match.captured(2).toInt(), .message = match.captured(3)};
}

QStringList keyParts(const QString& key) { return key.split(u'.'); }

ExperimentDocument::ExperimentDocument(QString text) : text_(std::move(text)), entries_(scanToml(text_)) {
    auto parsed = parseToml(utf8(text_), "text");
    if (parsed) {
        values_ = std::move(*parsed);
    } else {
        syntaxError_ = problemFrom(parsed.error().message);
        syntaxError_->key = keyAt(syntaxError_->line);
    }
}

const Value* ExperimentDocument::value(const QString& key) const {
    const Value* at = &values_;
    for (const QString& part : keyParts(key)) {
        at = at->isTable() ? at->find(utf8(part)) : nullptr;
        if (!at) return nullptr;
    }
    return at;
}

QString ExperimentDocument::valueText(const QString& key) const {
    const Value* found = value(key);
    if (!found) return {};
    if (const auto* text = found->as<std::string>()) return QString::fromStdString(*text);
    const TomlEntry* entry = findKey(entries_, keyParts(key));
    if (!entry) return QString::fromStdString(found->toToml());
    return text_.mid(entry->valueBegin, entry->valueEnd - entry->valueBegin).simplified();
}

int ExperimentDocument::lineOf(const QString& key) const {
    const TomlEntry* entry = findKey(entries_, keyParts(key));
    return entry ? entry->line : 0;
}

QString ExperimentDocument::keyAt(int line) const {
    QString key;
    for (const TomlEntry& entry : entries_) {
        if (entry.kind != TomlEntry::Kind::Key) continue;
        const auto lines = text_.mid(entry.begin, entry.valueEnd - entry.begin).count(u'\n');
        if (line >= entry.line && line <= entry.line + lines) key = entry.path.join(u'.');
    }
    return key;
}

QStringList ExperimentDocument::swept() const {
    QStringList keys;
    const Value* sweep = value(QStringLiteral("sweep"));
    if (!sweep || !sweep->isTable()) return keys;
    for (const auto& [key, values] : *sweep->as<Value::Table>()) keys << QString::fromStdString(key);
    return keys;
}

QStringList ExperimentDocument::varied() const {
    QStringList keys;
    if (!syntaxError_) addVaried(values_, keys);
    keys.removeDuplicates();
    return keys;
}

QString ExperimentDocument::pluginOf(const SchemaSection& section) const {
    const QString named = valueText(QString::fromStdString(section.name) + QStringLiteral(".name"));
    if (!named.isEmpty() || section.fields.empty()) return named;
    const auto byDefault = parseArgument(section.fields.front().defaultToml, "default");
    const auto* text = byDefault ? byDefault->as<std::string>() : nullptr;
    return text ? QString::fromStdString(*text) : QString();
}

QString ExperimentDocument::with(const QString& key, const QString& toml, const ExperimentSchema& schema) const {
    return withKey(text_, keyParts(key), toml, qStrings(schema.sectionNames()));
}

QString ExperimentDocument::without(const QString& key) const { return withoutKey(text_, keyParts(key)); }

ExperimentDocument::PluginChange ExperimentDocument::withPlugin(const QString& section, const QString& plugin,
                                                                const ExperimentSchema& schema) const {
    PluginChange change{.text = text_};
    const SchemaSection* known = schema.section(utf8(section));
    if (!known) return change;
    const auto kept = known->fieldsOf(utf8(plugin));
    const SchemaPlugin* old = known->plugin(utf8(pluginOf(*known)));
    for (const FieldInfo& field : old ? old->fields : std::vector<FieldInfo>{}) {
        const bool stays = std::ranges::any_of(kept, [&](const FieldInfo* one) { return one->name == field.name; });
        const QString key = section + u'.' + QString::fromStdString(field.name);
        if (stays || !value(key)) continue;
        change.text = withoutKey(change.text, keyParts(key));
        change.dropped << QString::fromStdString(field.name);
    }
    if (section == QStringLiteral("algorithm")) {
        for (const QString& unread : qStrings(schema.sectionsUnreadBy(utf8(plugin)))) {
            if (!hasSection(unread)) continue;
            change.text = withoutTable(change.text, unread);
            change.dropped << u'[' + unread + u']';
        }
    }
    change.text =
        withKey(change.text, {section, QStringLiteral("name")}, u'"' + plugin + u'"', qStrings(schema.sectionNames()));
    return change;
}

QString tomlOf(const FieldInfo& field, const QString& written) {
    const QString text = written.trimmed();
    if (field.type != "string") {
        // Only a single value is taken as TOML: no comment, no second line behind it.
        const QString line = QStringLiteral("value = ") + text;
        const auto entries = scanToml(line);
        if (parseToml(utf8(line), "text") && entries.front().valueEnd == line.size()) return text;
    }
    return QString::fromStdString(Value(utf8(field.type == "string" ? written : text)).toToml());
}

QString defaultText(const FieldInfo& field) {
    const QString toml = QString::fromStdString(field.defaultToml);
    const ExperimentDocument document(QStringLiteral("v = ") + toml);
    return document.syntaxError() ? toml : document.valueText(QStringLiteral("v"));
}

bool isDefault(const FieldInfo& field, const Value* value) {
    if (!value) return true;
    if (field.defaultToml.empty()) return false;
    const auto byDefault = parseArgument(field.defaultToml, "default");
    return byDefault && sameValue(*byDefault, *value);
}

QStringList qStrings(const std::vector<std::string>& names) {
    QStringList strings;
    for (const std::string& name : names) strings << QString::fromStdString(name);
    return strings;
}

QString withoutDefaults(const QString& text, const ExperimentSchema& schema) {
    const ExperimentDocument document(text);
    QString shorter = text;
    for (const SchemaSection& section : schema.sections) {
        const QString name = QString::fromStdString(section.name);
        eachField(section.fieldsOf(utf8(document.pluginOf(section))), name,
                  [&](const QString& key, const FieldInfo& field) {
                      const bool chooses = !section.plugins.empty() && key == name + QStringLiteral(".name");
                      const bool nested = keyParts(key).size() > 2;
                      const Value* value = document.value(key);
                      if (value && !chooses && !nested && isDefault(field, value))
                          shorter = withoutKey(shorter, keyParts(key));
                  });
    }
    return withoutEmptyTables(shorter);
}

QStringList namedFiles(const QString& text) {
    static const QRegularExpression quoted(QStringLiteral("[\"']([^\"'/\\n][^\"'\\n]*)[\"']"));
    QStringList names;
    for (auto match = quoted.globalMatch(text); match.hasNext();) {
        const QString name = match.next().captured(1).section(u'/', 0, 0);
        if (!name.startsWith(u'.') && !names.contains(name)) names << name;
    }
    return names;
}

}  // namespace dasgd::gui
