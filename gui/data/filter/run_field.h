// The fields that a filter or a column may name: those common to all runs, and the keys of configurations.
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

#include "gui/data/runs/run_item.h"

namespace dasgd::gui {

enum class FieldKind {
    Text,
    Number,    // without a unit
    Fraction,  // 0 to 1
    Time,      // seconds
    Bytes,
    Instant,  // ISO 8601 in UTC
    Flag,
    Tags,    // the run's tags, each a value
    Setting  // a value of the configuration, of any type
};

struct RunField {
    QString name;  // shown name: "hidden", "algorithm.delay"
    FieldKind kind = FieldKind::Setting;
    QString (*text)(const RunItem& run) = nullptr;  // for Text and Instant
    std::optional<double> (*number)(const RunItem& run) =
        nullptr;                                 // for all other kinds except Flag and Setting; may be NaN
    bool (*flag)(const RunItem& run) = nullptr;  // for Flag
    QStringList values;                          // for Text: all possible values; empty if any text is
    double bareUnit = 1;  // factor for a number without a unit: 0.001 for blocked, given in milliseconds
    std::string key;      // for Setting
    std::string example;  // for Setting: a value with a unit, if numbers without one mean nothing
};

// Fields common to all runs. A field has several names; the first is the shown one.
struct BuiltInField {
    std::vector<const char*> names;
    RunField field;
};
[[nodiscard]] const std::vector<BuiltInField>& builtInFields();

// Help text: the syntax of filters and the fields of every run.
[[nodiscard]] QString filterHelp();

// The names that an expression may use: fields of runs on the Runs page, of spans on the Timeline page.
class FilterFields {
public:
    virtual ~FilterFields() = default;

    struct Answer {
        std::optional<RunField> field;
        QStringList candidates;  // if there is no field: keys that the short name may stand for, or similar names
        bool ambiguous = false;  // the candidates are keys that all end with the name
    };
    [[nodiscard]] virtual Answer find(const QString& name) const = 0;
    // True if a last word may be the beginning of a field's name.
    [[nodiscard]] virtual bool hasNameThatBegins(const QString& begin) const = 0;
    // Error message: "no run has a field “%1”".
    [[nodiscard]] virtual QString unknownField(const QString& name) const = 0;
};

// The fields of the runs seen so far.
class FieldCatalog final : public FilterFields {
public:
    // Returns true if the run has a new key.
    bool add(const RunItem& run);
    // Sorted keys such as "algorithm.delay".
    [[nodiscard]] const std::set<std::string>& keys() const { return keys_; }

    // `name`: a field, a key, the end of a key after a dot ("delay", "background.seed"), or a section, for the name of
    // its plug-in ("optimizer"). The case of fields is ignored.
    [[nodiscard]] Answer find(const QString& name) const override;
    [[nodiscard]] bool hasNameThatBegins(const QString& begin) const override;
    [[nodiscard]] QString unknownField(const QString& name) const override;

private:
    [[nodiscard]] RunField setting(const QString& name, const std::string& key) const;
    [[nodiscard]] QStringList near(const QString& name) const;

    std::set<std::string> keys_;
    std::map<std::string, std::string> examples_;  // for keys whose values have a unit
    std::set<std::shared_ptr<const RunSettings::Keys>> seen_;
};

}  // namespace dasgd::gui
