// Row to edit or remove one key that a [[case]] sets: the key, its value, and an error below.
#pragma once

#include "gui/experiment/model/sweep/sweep_cases.h"
#include "gui/experiment/sweep/value_row.h"

namespace dasgd::gui {

class CaseValueRow : public ValueRow {
    Q_OBJECT

public:
    // `number`: number of the case, from 1.
    CaseValueRow(const CaseValue& value, int number);

    // `field`: null where the schema has no such key. Text being typed is kept as long as it means the same value.
    void show(const CaseValue& value, const FieldInfo* field);
    [[nodiscard]] const CaseValue& value() const { return value_; }

signals:
    // `toml`: the new value. Text that is no value is not sent; the row shows the error.
    void edited(const QString& toml);

protected:
    void take(const QString& written) override;

private:
    CaseValue value_;
    const FieldInfo* field_ = nullptr;
};

}  // namespace dasgd::gui
