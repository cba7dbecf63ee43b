// The growing end of a log of one run, and the choice of the file.
#pragma once

#include <QComboBox>
#include <QPlainTextEdit>

#include "gui/run/model/log_query.h"

namespace dasgd::gui {

class LogView : public QWidget {
    Q_OBJECT

public:
    // Shows what `query` delivers for the run of setRun(). `query` outlives the view.
    explicit LogView(LogQuery& query, QWidget* parent = nullptr);

    // Shows another run; the view is empty until its log arrives.
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
