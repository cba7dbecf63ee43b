// One field of the form: a dot if it differs from its default, key and symbol, editor, unit, and an error below.
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QStringList>
#include <QWheelEvent>
#include <QWidget>

#include "core/base/schema/fields.h"
#include "gui/kit/theme/theme.h"

class QLabel;

namespace dasgd::gui {

class WrappedLabel;

// A combo box of given texts. The wheel scrolls the form and does not change the choice.
class FieldChoice : public QComboBox {
    Q_OBJECT

public:
    FieldChoice(const Look& look, const QStringList& choices);

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override { event->ignore(); }

private:
    const Look& look_;
};

class FieldRow : public QWidget {
    Q_OBJECT

public:
    // `label`: the key within its section: "link bandwidth". `choices`: empty for a field that is typed.
    FieldRow(const FieldInfo& field, const QString& key, const QString& label, const QStringList& choices,
             const Look& look);

    [[nodiscard]] const QString& key() const { return key_; }
    [[nodiscard]] const FieldInfo& field() const { return field_; }
    [[nodiscard]] QWidget* editor() const { return line_ ? static_cast<QWidget*>(line_) : choice_; }
    // `text`: "" where the key is not in the file; the default is then shown, dimmed. Text being typed is kept as long
    // as it means the same value.
    void show(const QString& text, bool atDefault);
    void setProblem(const QString& message);                 // "" where there is none
    void setHint(const QString& words, const QString& tip);  // a sentence below the editor
    void setSwept(bool swept);
    [[nodiscard]] bool hasProblem() const;

signals:
    void edited(const QString& written);  // "" removes the key from the file
    void focused();
    void sweepWanted();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    // Opens the context menu: the editor's own entries, if any, then those of the row.
    void openMenu(const QPoint& global);
    void makeEditor(const QStringList& choices, const Look& look);
    [[nodiscard]] QString tip() const;

    FieldInfo field_;
    QString key_, unset_;
    bool isSwept_ = false;
    QLineEdit* line_ = nullptr;
    FieldChoice* choice_ = nullptr;
    QLabel *dot_, *name_, *swept_, *problem_;
    WrappedLabel* hint_;
};

}  // namespace dasgd::gui
