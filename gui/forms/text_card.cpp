#include "gui/forms/text_card.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace dasgd::gui {

TextCard::TextCard(const Look& look)
    : editor_(new TomlEditor(look)),
      file_(makeLabel({}, "head")),
      step_(makeLabel({}, "small")),
      error_(makeLabel({}, "bad")),
      strip_(new QFrame) {
    body().setContentsMargins(1, 13, 1, 1);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(kPadding, 0, kPadding, 4);
    head->addWidget(file_);
    head->addStretch();
    head->addWidget(step_);
    body().addLayout(head);
    body().addWidget(editor_, 1);
    strip_->setObjectName(QStringLiteral("strip"));
    auto* row = new QHBoxLayout(strip_);
    row->setContentsMargins(kPadding, 8, kPadding, 8);
    row->addWidget(error_, 1);
    error_->setWordWrap(true);
    error_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(makeLabel(tr("go to it  F8"), "small"), 0, Qt::AlignTop);
    body().addWidget(strip_);
    setFocusProxy(editor_);
}

void TextCard::showFile(const QString& name, const QString& step) {
    file_->setText(name);
    step_->setText(step);
    step_->setVisible(!step.isEmpty());
}

void TextCard::showProblem(const QString& words) {
    strip_->setVisible(!words.isEmpty());
    error_->setText(words);
}

}  // namespace dasgd::gui
