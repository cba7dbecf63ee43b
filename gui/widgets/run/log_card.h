// The end of a rank's log, growing.
#pragma once

#include <QComboBox>
#include <QPlainTextEdit>

#include "gui/models/live/session.h"
#include "gui/models/ranks/log_query.h"
#include "gui/widgets/parts.h"

namespace dasgd::gui {

class LogCard : public Card {
    Q_OBJECT

public:
    explicit LogCard(Session& session, QWidget* parent = nullptr);
    [[nodiscard]] QComboBox& files() { return *files_; }
    [[nodiscard]] QString text() const { return text_->toPlainText(); }

private:
    void take(const LogTail& tail);

    Session& session_;
    LogQuery& query_;
    QComboBox* files_;
    QPlainTextEdit* text_;
};

}  // namespace dasgd::gui
