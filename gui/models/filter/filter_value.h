// One comparison of a filter: "delay >= 3", "hidden > 90 %", "started < 2026-11-20".
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "gui/models/filter/run_field.h"
#include "gui/models/runs/setting_number.h"

namespace dasgd::gui {

enum class FilterOperator { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, Contains };

[[nodiscard]] QString operatorText(FilterOperator op);

// Whether `word` may follow a number as its unit: "%", "ms", "GB", "Mbps".
[[nodiscard]] bool isUnit(const QString& word);

// Compiled once a filter, asked once a run. A run that lacks the field fails every comparison, and one that has NaN
// there every one but that with NaN. Of a field with several values "=" and "~" ask for one that holds, "!=" for none
// that is equal.
class FilterComparison {
public:
    // `value`: as written, with its unit where it has one; `quoted`: it is text, whatever it looks like. A number
    // without a unit is in the unit of the field's column, for a fraction that of 0 to 1; above 1 it is a percentage.
    // Errors: what is wrong with operator or value, for this field.
    [[nodiscard]] static tl::expected<FilterComparison, QString> make(const RunField& field, FilterOperator op,
                                                                      const QString& value, bool quoted);
    [[nodiscard]] bool holds(const RunItem& run) const;
    // The same of a value that is no run's: of a field that is a number, in the unit of its kind; of one that is text.
    [[nodiscard]] bool holdsNumber(double value) const;
    [[nodiscard]] bool holdsText(const QString& value) const;
    [[nodiscard]] const RunField& field() const { return field_; }
    [[nodiscard]] FilterOperator op() const { return op_; }
    // As written, in lower case.
    [[nodiscard]] const QString& value() const { return text_; }

private:
    FilterComparison(RunField field, FilterOperator op) : field_(std::move(field)), op_(op) {}
    [[nodiscard]] std::optional<QString> takeNumber(const QString& value);
    [[nodiscard]] std::optional<QString> takeInstant(const QString& value);
    [[nodiscard]] std::optional<QString> takeSetting(const QString& value, bool quoted);
    [[nodiscard]] std::optional<QString> takeFlag(const QString& value);
    [[nodiscard]] bool holdsInstant(const std::string& at) const;
    [[nodiscard]] bool holdsSetting(const RunItem& run) const;
    [[nodiscard]] bool holdsTags(const RunItem& run) const;

    RunField field_;
    FilterOperator op_;
    QString text_;
    std::optional<double> number_;
    Dimension dimension_ = Dimension::Plain;  // of a setting's number
    bool flag_ = true;
    std::string from_, until_;  // of an instant: the first that it names, and the first after it
    // Where the key stood in the last list of keys.
    mutable std::shared_ptr<const RunSettings::Keys> keys_;
    mutable std::optional<std::size_t> place_;
};

}  // namespace dasgd::gui
