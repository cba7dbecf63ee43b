// Row of one [[case]]: its name, the keys that it sets with their values, and buttons to set more keys, copy the case
// and remove it.
#pragma once

#include <QWidget>

#include "gui/experiment/model/sweep/sweep_cases.h"

class QLabel;
class QLineEdit;
class QToolButton;
class QVBoxLayout;

namespace dasgd::gui {

class CaseValueRow;

class CaseRow : public QWidget {
    Q_OBJECT

public:
    // `index`: index of the case, from 0.
    explicit CaseRow(std::size_t index);

    // `fields`: the schema's field of each value; null where the schema has none.
    void show(const SweepCase& one, const std::vector<const FieldInfo*>& fields);
    // Shows the problem of the case; "" for none. `line`: line of the text; the message stands under the value of that
    // line.
    void setProblem(const QString& message, int line = 0);
    [[nodiscard]] QString problem() const;
    [[nodiscard]] int line() const { return line_; }
    [[nodiscard]] QLineEdit& name() const { return *name_; }
    [[nodiscard]] QToolButton& setButton() const { return *set_; }
    [[nodiscard]] const std::vector<CaseValueRow*>& values() const { return values_; }

signals:
    void renamed(const QString& name);
    void setWanted();
    // `toml`: the new value; `path`: CaseValue::path.
    void valueEdited(const QStringList& path, const QString& toml);
    void valueRemoved(const QStringList& path);
    // The user moved the focus to the value that stands in this line of the text.
    void lineFocused(int line);
    void copyWanted();
    void removeWanted();
    void focused();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showValues(const std::vector<CaseValue>& values, const std::vector<const FieldInfo*>& fields);
    [[nodiscard]] CaseValueRow* addValueRow(const CaseValue& value);

    const int number_;
    int line_ = 0;
    QVBoxLayout* valueColumn_;
    std::vector<CaseValueRow*> values_;
    QLineEdit* name_;
    QToolButton *set_, *copy_, *remove_;
    QLabel *sets_, *problem_;
};

}  // namespace dasgd::gui
