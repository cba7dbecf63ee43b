// One swept field: its key, the values that it takes in turn, how many they are, what is wrong with them below.
#pragma once

#include "gui/forms/value_row.h"
#include "gui/models/sweep/sweep_text.h"

namespace dasgd::gui {

class SweepRow : public ValueRow {
    Q_OBJECT

public:
    explicit SweepRow(const SweptField& swept);

    [[nodiscard]] const QString& key() const { return swept_.key; }
    [[nodiscard]] const SweptField& swept() const { return swept_; }
    // What is being typed is left alone as long as it means the same.
    void show(const SweptField& swept);

signals:
    // The values as TOML. What makes no values is not sent but said below.
    void edited(const QStringList& values);

protected:
    void take(const QString& written) override;

private:
    SweptField swept_;
    QLabel *name_, *symbol_, *count_;
    QLabel* tables_;  // the values that are tables, a line each: "dasgd, delay = 2"
};

}  // namespace dasgd::gui
