// One [[case]]: its name, what it sets, and the ways to set more, to copy it and to take it out.
#pragma once

#include <QWidget>

#include "gui/models/sweep/sweep_cases.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace dasgd::gui {

class CaseRow : public QWidget {
    Q_OBJECT

public:
    // `index`: its place among the cases, from 0.
    explicit CaseRow(std::size_t index);

    void show(const SweepCase& one);
    // What is wrong in it; "" where nothing is.
    void setProblem(const QString& message);
    [[nodiscard]] QString problem() const;
    [[nodiscard]] int line() const { return line_; }
    [[nodiscard]] QLineEdit& name() const { return *name_; }
    [[nodiscard]] QToolButton& setButton() const { return *set_; }

signals:
    void renamed(const QString& name);
    void setWanted();
    void copyWanted();
    void removeWanted();
    void focused();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int line_ = 0;
    QLineEdit* name_;
    QToolButton *set_, *copy_, *remove_;
    QLabel *sets_, *problem_;
};

}  // namespace dasgd::gui
