// Row of one swept field: its key, its values in order, their number, and an error below.
#pragma once

#include "gui/experiment/model/sweep/sweep_text.h"
#include "gui/experiment/sweep/value_row.h"

namespace dasgd::gui {

class SweepRow : public ValueRow {
    Q_OBJECT

public:
    explicit SweepRow(const SweptField& swept);

    [[nodiscard]] const QString& key() const { return swept_.key; }
    [[nodiscard]] const SweptField& swept() const { return swept_; }
    // Shows the field. Text being typed is kept as long as it means the same values.
    void show(const SweptField& swept);

signals:
    // `values`: the new values as TOML. Text that is no list of values is not sent; the row shows the error.
    void edited(const QStringList& values);

protected:
    void take(const QString& written) override;

private:
    SweptField swept_;
    QLabel *name_, *symbol_, *count_;
    QLabel* tables_;  // values that are TOML tables, one per line: "dasgd, delay = 2"
};

}  // namespace dasgd::gui
