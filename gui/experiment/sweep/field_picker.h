// A list of fields that opens over the form, with a search in keys, symbols and help.
#pragma once

#include <QFrame>
#include <vector>

#include "gui/experiment/model/sweep/sweep_text.h"

class QLineEdit;
class QListWidget;

namespace dasgd::gui {

class FieldPicker : public QFrame {
    Q_OBJECT

public:
    // The picker deletes itself when it is closed.
    FieldPicker(const std::vector<SweepableField>& fields, QWidget* parent);

    // Opens below the button, or above it where there is no room.
    void openAt(const QWidget& button);
    [[nodiscard]] QLineEdit& filter() const { return *filter_; }
    [[nodiscard]] QStringList shown() const;

signals:
    void chosen(const QString& key);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void show(const QString& words);
    void take();

    QLineEdit* filter_;
    QListWidget* list_;
};

}  // namespace dasgd::gui
