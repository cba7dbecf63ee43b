#include "gui/run/log_view.h"

#include <QHBoxLayout>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "gui/kit/parts/arrow_box.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

LogView::LogView(LogQuery& query, QWidget* parent) : QWidget(parent), files_(new ArrowBox), text_(new QPlainTextEdit) {
    auto* head = new QHBoxLayout;
    head->addWidget(makeLabel(tr("Log"), "head"));
    head->addStretch();
    files_->setAccessibleName(tr("Log file"));
    files_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    files_->hide();
    head->addWidget(files_);
    text_->setObjectName(QStringLiteral("log"));
    text_->setReadOnly(true);
    text_->setFrameShape(QFrame::NoFrame);
    text_->setLineWrapMode(QPlainTextEdit::NoWrap);
    text_->setTabChangesFocus(true);
    text_->setAccessibleName(tr("Log"));
    text_->setStyleSheet(QStringLiteral("background: transparent; font-family: \"JetBrains Mono\"; font-size: 12px;"));
    text_->setMinimumHeight(130);
    auto* column = padded(new QVBoxLayout(this), {0, 0, 0, 0});
    column->addLayout(head);
    column->addWidget(text_, 1);
    setFocusProxy(text_);
    connect(&query, &LogQuery::arrived, this, &LogView::take);
    connect(files_, &QComboBox::textActivated, &query, &LogQuery::want);
}

void LogView::setRun(const QString& run) {
    if (run == run_) return;
    run_ = run;
    files_->clear();
    files_->hide();
    text_->clear();
}

void LogView::take(const LogTail& tail) {
    if (run_.isEmpty() || tail.runId != run_) return;
    {
        const QSignalBlocker quiet(files_);
        QStringList known;
        for (int i = 0; i < files_->count(); ++i) known << files_->itemText(i);
        if (known != tail.files) {
            files_->clear();
            files_->addItems(tail.files);
        }
        files_->setCurrentText(tail.file);
        files_->setEnabled(tail.files.size() > 1);
        files_->setVisible(!tail.files.isEmpty());
    }
    QScrollBar& bar = *text_->verticalScrollBar();
    const int place = bar.value();
    const bool atEnd = place >= bar.maximum() - 2;
    const QString none =
        tail.file.isEmpty() ? tr("No log: the ranks of this run are one process, or it has not begun.") : QString();
    text_->setLineWrapMode(none.isEmpty() ? QPlainTextEdit::NoWrap : QPlainTextEdit::WidgetWidth);
    text_->setPlainText(none + (tail.cut ? tr("… the last %1 kB\n").arg(LogQuery::kMostBytes / 1024) : QString()) +
                        tail.text);
    bar.setValue(atEnd ? bar.maximum() : place);
}

}  // namespace dasgd::gui
