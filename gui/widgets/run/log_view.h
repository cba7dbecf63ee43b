// The end of a log of one run, growing, and the choice of the file.
#pragma once

#include <QComboBox>
#include <QPlainTextEdit>

#include "gui/models/ranks/log_query.h"

namespace dasgd::gui {

class LogView : public QWidget {
    Q_OBJECT

public:
    // Shows what `query` delivers of the run that it is set to; `query` outlives it.
    explicit LogView(LogQuery& query, QWidget* parent = nullptr);

    // Empty until the log of this run arrives.
    void setRun(const QString& run);
    [[nodiscard]] QComboBox& files() { return *files_; }
    [[nodiscard]] QString text() const { return text_->toPlainText(); }

private:
    void take(const LogTail& tail);

    QString run_;
    QComboBox* files_;
    QPlainTextEdit* text_;
};

}  // namespace dasgd::gui
