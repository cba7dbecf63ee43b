// Search bar for spans: the expression, buttons for the next and the previous one, and the number found or the error.
#pragma once

#include <QLineEdit>

#include "gui/kit/parts/elided_label.h"
#include "gui/kit/parts/parts.h"
#include "gui/timeline/model/find/span_finder.h"

namespace dasgd::gui {

class FindBar : public QWidget {
    Q_OBJECT

public:
    // The keys Ctrl+F, F3 and Shift+F3 work while `page` is visible.
    FindBar(Session& session, QWidget& page);
    [[nodiscard]] QLineEdit& field() { return *field_; }
    [[nodiscard]] const SpanFinder& finder() const { return finder_; }
    // The result of the search in words, or the error and its position.
    [[nodiscard]] QString words() const { return words_->text(); }

signals:
    // The found span has changed; nullopt: none.
    void shown(const std::optional<dasgd::RankSpan>& span);
    // The user left the bar; the timeline takes the focus.
    void left();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void find(int direction);
    void sayWords();

    SpanFinder finder_;
    QLineEdit* field_;
    QToolButton *previous_, *next_;
    ElidedLabel* words_;
};

}  // namespace dasgd::gui
