// What rows of the sweep and of a case have in common: a line to write in, what is wrong with it below, a button that
// takes the row out. Delete takes it out, too, where there is nothing to delete in the line, and Ctrl+Delete always.
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace dasgd::gui {

// A small button that is a word in the accent colour.
[[nodiscard]] QToolButton* makeLink(const QString& text, const QString& help);

class ValueRow : public QWidget {
    Q_OBJECT

public:
    // What the engine says of what is written; "" where there is nothing. An error of what is typed goes before it.
    void setProblem(const QString& message);
    [[nodiscard]] QString problem() const;
    [[nodiscard]] QLineEdit& editor() const { return *editor_; }

signals:
    void removeWanted();
    void focused();

protected:
    // `removeHelp`: of the button. Its widgets are laid out by the row.
    explicit ValueRow(const QString& removeHelp);
    [[nodiscard]] QLabel* problemLabel() const { return problem_; }
    [[nodiscard]] QToolButton* removeButton() const { return remove_; }

    // Of each key: says its error by setTyping(), then sends what can be written.
    virtual void take(const QString& written) = 0;
    void setTyping(const QString& error);
    // What is typed now makes nothing that can be written.
    [[nodiscard]] bool isUnfinished() const;
    // Takes over `text`, but where the same is being typed in other words.
    void showText(const QString& text, bool sameIsTyped);

    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showProblem();

    QString typing_, said_;  // errors: of what is typed, of the engine
    QLabel* problem_;
    QLineEdit* editor_;
    QToolButton* remove_;
};

}  // namespace dasgd::gui
