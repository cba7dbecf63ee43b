// Bar that names the runs left out of a comparison's means, with buttons to change that.
#pragma once

#include <QFrame>

#include "gui/kit/theme/theme.h"

class QToolButton;

namespace dasgd::gui {

class WrappedLabel;

class LeftOutBar : public QFrame {
    Q_OBJECT

public:
    explicit LeftOutBar(const Look& look, QWidget* parent = nullptr);
    // `text`: the visible words; `all`: every line, for the tool tip and for screen readers.
    void say(const QString& text, const QString& all);
    // Buttons that change the members of the means, and that show the first run left out.
    [[nodiscard]] QToolButton& members() { return *members_; }
    [[nodiscard]] QToolButton& run() { return *run_; }

private:
    void restyle();

    const Look& look_;
    WrappedLabel* words_;
    QToolButton *members_, *run_;
};

}  // namespace dasgd::gui
