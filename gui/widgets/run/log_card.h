// The log of the run that is looked at.
#pragma once

#include "gui/models/live/session.h"
#include "gui/widgets/parts.h"
#include "gui/widgets/run/log_view.h"

namespace dasgd::gui {

class LogCard : public Card {
    Q_OBJECT

public:
    explicit LogCard(Session& session, QWidget* parent = nullptr);
    // Scrolls the page to it, and gives it the keyboard.
    void bringUp();
    [[nodiscard]] QComboBox& files() { return view_->files(); }
    [[nodiscard]] QString text() const { return view_->text(); }

private:
    LogView* view_;
};

}  // namespace dasgd::gui
