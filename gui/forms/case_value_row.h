// A key that a [[case]] sets and the value that it sets it to, to be changed or taken out; what is wrong with it below.
#pragma once

#include "gui/forms/value_row.h"
#include "gui/models/sweep/sweep_cases.h"

namespace dasgd::gui {

class CaseValueRow : public ValueRow {
    Q_OBJECT

public:
    // `number`: of the case, from 1.
    CaseValueRow(const CaseValue& value, int number);

    // `field`: null where the schema has no such key. What is being typed is left alone as long as it means the same.
    void show(const CaseValue& value, const FieldInfo* field);
    [[nodiscard]] const CaseValue& value() const { return value_; }

signals:
    // As TOML. What makes no value is not sent but said below.
    void edited(const QString& toml);

protected:
    void take(const QString& written) override;

private:
    CaseValue value_;
    const FieldInfo* field_ = nullptr;
};

}  // namespace dasgd::gui
