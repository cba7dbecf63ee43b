// The log of the current run.
#pragma once

#include "gui/data/session/session.h"
#include "gui/kit/parts/parts.h"
#include "gui/run/log_view.h"

namespace dasgd::gui {

class LogCard : public Card {
    Q_OBJECT

public:
    explicit LogCard(Session& session, QWidget* parent = nullptr);
    // Scrolls the page to the card and gives it the focus.
    void bringUp();
    [[nodiscard]] QComboBox& files() { return view_->files(); }
    [[nodiscard]] QString text() const { return view_->text(); }

private:
    LogView* view_;
};

}  // namespace dasgd::gui
