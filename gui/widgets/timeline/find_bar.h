// Where spans are searched for: the expression, the next and the previous one, how many were found, what is wrong.
#pragma once

#include <QLineEdit>

#include "gui/models/find/span_finder.h"
#include "gui/widgets/elided_label.h"
#include "gui/widgets/parts.h"

namespace dasgd::gui {

class FindBar : public QWidget {
    Q_OBJECT

public:
    // The keys Ctrl+F, F3 and Shift+F3 count while `page` is visible.
    FindBar(Session& session, QWidget& page);
    [[nodiscard]] QLineEdit& field() { return *field_; }
    [[nodiscard]] const SpanFinder& finder() const { return finder_; }
    // What was found, or what is wrong and where.
    [[nodiscard]] QString words() const { return words_->text(); }

signals:
    // The one that is shown; none any more.
    void shown(const std::optional<dasgd::RankSpan>& span);
    // The keyboard goes back to the timeline.
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
