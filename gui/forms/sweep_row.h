// One swept field: its key, the values that it takes in turn, how many they are, what is wrong with them below.
#pragma once

#include <QWidget>

#include "gui/models/sweep/sweep_text.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace dasgd::gui {

// A small button that is a word in the accent colour.
[[nodiscard]] QToolButton* makeLink(const QString& text, const QString& help);

class SweepRow : public QWidget {
    Q_OBJECT

public:
    explicit SweepRow(const SweptField& swept);

    [[nodiscard]] const QString& key() const { return swept_.key; }
    [[nodiscard]] const SweptField& swept() const { return swept_; }
    [[nodiscard]] QLineEdit& editor() const { return *editor_; }
    // What is being typed is left alone as long as it means the same.
    void show(const SweptField& swept);
    // What the engine says of the values; "" where there is nothing. An error of what is typed goes before it.
    void setProblem(const QString& message);
    [[nodiscard]] QString problem() const;

signals:
    // The values as TOML. What makes no values is not sent but said below.
    void edited(const QStringList& values);
    void removeWanted();
    void focused();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void take(const QString& written);
    void showProblem();

    SweptField swept_;
    QString typing_, said_;  // errors: of what is typed, of the engine
    QLabel *name_, *symbol_, *count_, *problem_;
    QLineEdit* editor_;
    QToolButton* remove_;
};

}  // namespace dasgd::gui
