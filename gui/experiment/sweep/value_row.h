// Common base of the rows of a sweep and of a case: a line edit, an error below it, and a button that removes the row.
// Ctrl+Delete removes the row too, and so does Delete where the line holds nothing to delete.
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace dasgd::gui {

// Makes a small button that looks like a word in the accent colour.
[[nodiscard]] QToolButton* makeLink(const QString& text, const QString& help);

class ValueRow : public QWidget {
    Q_OBJECT

public:
    // Shows the engine's error on the written value; "" for none. An error in text being typed takes precedence.
    void setProblem(const QString& message);
    [[nodiscard]] QString problem() const;
    [[nodiscard]] QLineEdit& editor() const { return *editor_; }

signals:
    void removeWanted();
    void focused();

protected:
    // `removeHelp`: tool tip of the remove button. Derived rows lay the widgets out.
    explicit ValueRow(const QString& removeHelp);
    [[nodiscard]] QLabel* problemLabel() const { return problem_; }
    [[nodiscard]] QToolButton* removeButton() const { return remove_; }

    // Called on each edit of the text: reports its error by setTyping(), and emits a valid value.
    virtual void take(const QString& written) = 0;
    void setTyping(const QString& error);
    // True while the text being typed is no valid value.
    [[nodiscard]] bool isUnfinished() const;
    // Shows `text`, unless the user is typing and `sameIsTyped` says that the typed text means the same.
    void showText(const QString& text, bool sameIsTyped);

    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showProblem();

    QString typing_, said_;  // errors: in text being typed, from the engine
    QLabel* problem_;
    QLineEdit* editor_;
    QToolButton* remove_;
};

}  // namespace dasgd::gui
