// Two widgets beside each other; if they do not fit, the second stands below the first. The minimum width is that of
// the wider one.
#pragma once

#include <QBoxLayout>
#include <QEvent>
#include <QWidget>
#include <algorithm>

namespace dasgd::gui {

class FoldingRow : public QWidget {
public:
    FoldingRow(QWidget* first, QWidget* second)
        : first_(first), second_(second), layout_(new QBoxLayout(QBoxLayout::LeftToRight, this)) {
        layout_->setContentsMargins(0, 0, 0, 0);
        layout_->setSpacing(2);
        layout_->addWidget(first_, 0, Qt::AlignLeft);
        layout_->addWidget(second_, 0, Qt::AlignRight);
    }
    [[nodiscard]] bool isFolded() const { return layout_->direction() == QBoxLayout::TopToBottom; }
    QSize minimumSizeHint() const override {
        const QSize first = first_->minimumSizeHint(), second = second_->minimumSizeHint();
        return {std::max(first.width(), second.width()), layout_->minimumSize().height()};
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QWidget::resizeEvent(event);
        arrange();
    }
    bool event(QEvent* event) override {
        const bool done = QWidget::event(event);
        if (event->type() == QEvent::LayoutRequest) arrange();
        return done;
    }

private:
    void arrange() {
        const int needed = first_->sizeHint().width() + second_->sizeHint().width() + layout_->spacing();
        const auto wanted = needed <= width() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom;
        if (wanted == layout_->direction()) return;
        layout_->setDirection(wanted);
        updateGeometry();
    }

    QWidget *first_, *second_;
    QBoxLayout* layout_;
};

}  // namespace dasgd::gui
