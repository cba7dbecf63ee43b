// The fields that a filter or a column may name: those of every run, and the keys of the configurations.
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

enum class FieldKind {
    Text,
    Number,    // without a unit
    Fraction,  // 0 to 1
    Time,      // seconds
    Bytes,
    Instant,  // ISO 8601 in UTC
    Flag,
    Tags,    // those of the run, each a value
    Setting  // a value of the configuration, whatever it is
};

struct RunField {
    QString name;  // as it is shown: "hidden", "algorithm.delay"
    FieldKind kind = FieldKind::Setting;
    QString (*text)(const RunItem& run) = nullptr;                  // of Text and Instant
    std::optional<double> (*number)(const RunItem& run) = nullptr;  // of the others but Setting; may be NaN
    bool (*flag)(const RunItem& run) = nullptr;                     // of Flag
    QStringList values;   // of Text: all that there are; empty where it may be any
    double bareUnit = 1;  // what a number without a unit is a multiple of: blocked is given in milliseconds
    std::string key;      // of Setting
    std::string example;  // of Setting: a value with a unit, where a number without one says nothing
};

// The fields of every run, whatever its configuration. A field has several names; the first is the shown one.
struct BuiltInField {
    std::vector<const char*> names;
    RunField field;
};
[[nodiscard]] const std::vector<BuiltInField>& builtInFields();

// How a filter is written, and every field of every run.
[[nodiscard]] QString filterHelp();

// The names that an expression may use: of runs on the Runs page, of spans on the Timeline page.
class FilterFields {
public:
    virtual ~FilterFields() = default;

    struct Answer {
        std::optional<RunField> field;
        QStringList candidates;  // without a field: the keys that a short name stands for, or names that are near it
        bool ambiguous = false;  // the candidates are keys that all end with the name
    };
    [[nodiscard]] virtual Answer find(const QString& name) const = 0;
    // Whether a word at the very end may be a name that is not finished.
    [[nodiscard]] virtual bool hasNameThatBegins(const QString& begin) const = 0;
    // "no run has a field “%1”".
    [[nodiscard]] virtual QString unknownField(const QString& name) const = 0;
};

// The fields of the runs seen so far.
class FieldCatalog final : public FilterFields {
public:
    // True where a key was new.
    bool add(const RunItem& run);
    // Sorted, as "algorithm.delay".
    [[nodiscard]] const std::set<std::string>& keys() const { return keys_; }

    // `name`: of a field, a key, the end of a key after a dot ("delay", "background.seed"), or a section for the name
    // of its plug-in ("optimizer"). Ignores the case of fields.
    [[nodiscard]] Answer find(const QString& name) const override;
    [[nodiscard]] bool hasNameThatBegins(const QString& begin) const override;
    [[nodiscard]] QString unknownField(const QString& name) const override;

private:
    [[nodiscard]] RunField setting(const QString& name, const std::string& key) const;
    [[nodiscard]] QStringList near(const QString& name) const;

    std::set<std::string> keys_;
    std::map<std::string, std::string> examples_;  // of the keys whose values have a unit
    std::set<std::shared_ptr<const RunSettings::Keys>> seen_;
};

}  // namespace dasgd::gui
