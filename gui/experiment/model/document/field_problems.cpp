#include "gui/experiment/model/document/field_problems.h"

#include <algorithm>
#include <string>

namespace dasgd::gui {

namespace {

template <class T>
Status checkAs(const Value& value, const FieldInfo& field) {
    T ignored{};
    return detail::readScalar(value, field.spec, field.name, ignored);
}

Status checkScalar(const Value& value, const FieldInfo& field) {
    if (field.type == "bool") return checkAs<bool>(value, field);
    if (field.type == "integer") return checkAs<std::int64_t>(value, field);
    if (field.type == "float") return checkAs<double>(value, field);
    if (field.type == "string") return checkAs<std::string>(value, field);
    if (field.type == "integers") return checkAs<std::vector<std::int64_t>>(value, field);
    if (field.type == "floats") return checkAs<std::vector<double>>(value, field);
    if (field.type == "matrix") return checkAs<std::vector<std::vector<double>>>(value, field);
    return {};
}

class FieldChecks {
public:
    explicit FieldChecks(const ExperimentDocument& document) : varied_(document.varied()) {}

    // `path`: path of the table, "cluster" or "cluster.link".
    void checkTable(const Value& table, const std::vector<const FieldInfo*>& fields, const QString& path) {
        std::vector<std::string> known;
        for (const FieldInfo* field : fields) known.push_back(field->name);
        for (const auto& [name, value] : *table.as<Value::Table>()) {
            const QString key = path + u'.' + QString::fromStdString(name);
            if (varied_.contains(key)) continue;
            const auto field = std::ranges::find(fields, name, [](const FieldInfo* one) { return one->name; });
            if (field != fields.end()) {
                check(value, **field, key);
            } else if (!varied_.contains(path) && !varied_.contains(path + QStringLiteral(".name"))) {
                add(detail::unknownKey(value, name, known), key);
            }
        }
    }
    [[nodiscard]] std::vector<Problem> found() && {
        std::ranges::stable_sort(found_, {}, &Problem::line);
        return std::move(found_);
    }

private:
    void check(const Value& value, const FieldInfo& field, const QString& key) {
        if (field.type != "table") return add(checkScalar(value, field), key);
        if (!value.isTable()) {
            return add(value.error(field.name + " must be a table, found " + std::string(value.typeName())), key);
        }
        std::vector<const FieldInfo*> children;
        for (const FieldInfo& child : field.children) children.push_back(&child);
        checkTable(value, children, key);
    }
    void add(const Status& checked, const QString& key) {
        if (checked) return;
        Problem problem = problemFrom(checked.error().message);
        problem.key = key;
        found_.push_back(std::move(problem));
    }

    QStringList varied_;
    std::vector<Problem> found_;
};

}  // namespace

std::vector<Problem> fieldProblems(const ExperimentDocument& document, const ExperimentSchema& schema) {
    FieldChecks checks(document);
    for (const SchemaSection& section : schema.sections) {
        const QString name = QString::fromStdString(section.name);
        const Value* table = document.value(name);
        if (!table || !table->isTable()) continue;
        const std::string plugin = document.pluginOf(section).toStdString();
        // The fields of an unknown plug-in are not known.
        if (!section.plugins.empty() && !section.plugin(plugin)) continue;
        checks.checkTable(*table, section.fieldsOf(plugin), name);
    }
    return std::move(checks).found();
}

std::vector<Problem> withOthers(const Problem& first, std::vector<Problem> others) {
    std::erase_if(others, [&](const Problem& other) {
        return (!first.key.isEmpty() && other.key == first.key) || (first.line > 0 && other.line == first.line);
    });
    others.push_back(first);
    std::ranges::stable_sort(others, {}, &Problem::line);
    return others;
}

}  // namespace dasgd::gui
