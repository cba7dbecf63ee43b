// A comparison in a filter: "delay >= 3", "hidden > 90 %", "started < 2026-11-20".
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "gui/data/filter/run_field.h"
#include "gui/data/runs/setting_number.h"

namespace dasgd::gui {

enum class FilterOperator { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, Contains };

[[nodiscard]] QString operatorText(FilterOperator op);

// True if `word` may follow a number as its unit: "%", "ms", "GB", "Mbps".
[[nodiscard]] bool isUnit(const QString& word);

// Compiled once per filter, evaluated once per run. A run that lacks the field fails every comparison; one with NaN
// there fails all but those with NaN. For a field with several values, "=" and "~" need one that matches, "!=" needs
// none that is equal.
class FilterComparison {
public:
    // `value`: the text as typed, with its unit if it has one. `quoted`: it is text even if it looks like a number. A
    // number without a unit is in the unit of the field's column; for a fraction it is from 0 to 1, or a percentage
    // above 1. Errors: an operator or value that does not suit the field.
    [[nodiscard]] static tl::expected<FilterComparison, QString> make(const RunField& field, FilterOperator op,
                                                                      const QString& value, bool quoted);
    [[nodiscard]] bool holds(const RunItem& run) const;
    // Like holds(), for a value from elsewhere: of a number field, in the unit of its kind, and of a text field.
    [[nodiscard]] bool holdsNumber(double value) const;
    [[nodiscard]] bool holdsText(const QString& value) const;
    [[nodiscard]] const RunField& field() const { return field_; }
    [[nodiscard]] FilterOperator op() const { return op_; }
    // The value as typed, in lower case.
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
    Dimension dimension_ = Dimension::Plain;  // of the number in a setting
    bool flag_ = true;
    std::string from_, until_;  // bounds of an instant: its first moment, and the first after it
    // Cache: the index of the key in the list of keys used last.
    mutable std::shared_ptr<const RunSettings::Keys> keys_;
    mutable std::optional<std::size_t> place_;
};

}  // namespace dasgd::gui
