// What the means of a comparison leave out, with what can be done about it.
#pragma once

#include <QFrame>

#include "gui/theme/theme.h"

class QToolButton;

namespace dasgd::gui {

class WrappedLabel;

class LeftOutBar : public QFrame {
    Q_OBJECT

public:
    explicit LeftOutBar(const Look& look, QWidget* parent = nullptr);
    // `text`: what there is room for; `all`: every line, as the tip and for who hears it.
    void say(const QString& text, const QString& all);
    // Which members the means have; the first run that is in none.
    [[nodiscard]] QToolButton& members() { return *members_; }
    [[nodiscard]] QToolButton& run() { return *run_; }

private:
    void restyle();

    const Look& look_;
    WrappedLabel* words_;
    QToolButton *members_, *run_;
};

}  // namespace dasgd::gui
