#include "gui/experiment/form/text_card.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace dasgd::gui {

namespace {

constexpr qsizetype kMostShown = 4;

}  // namespace

TextCard::TextCard(const Look& look)
    : editor_(new TomlEditor(look)),
      file_(makeLabel({}, "head")),
      step_(makeLabel({}, "small")),
      error_(makeLabel({}, "bad")),
      way_(makeLabel({}, "small")),
      strip_(new QFrame) {
    body().setContentsMargins(1, 13, 1, 1);
    auto* head = padded(new QHBoxLayout, {kPadding, 0, kPadding, 4});
    head->addWidget(file_);
    head->addStretch();
    head->addWidget(step_);
    body().addLayout(head);
    body().addWidget(editor_, 1);
    strip_->setObjectName(QStringLiteral("strip"));
    auto* row = padded(new QHBoxLayout(strip_), {kPadding, 8, kPadding, 8});
    row->addWidget(error_, 1);
    error_->setWordWrap(true);
    error_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(way_, 0, Qt::AlignTop);
    body().addWidget(strip_);
    setFocusProxy(editor_);
}

void TextCard::showFile(const QString& name, const QString& step) {
    file_->setText(name);
    step_->setText(step);
    step_->setVisible(!step.isEmpty());
}

void TextCard::showProblems(const std::vector<Problem>& problems) {
    QStringList lines;
    for (const Problem& problem : problems) lines << problem.inWords();
    if (lines.size() > kMostShown + 1) {
        const qsizetype more = lines.size() - kMostShown;
        lines = lines.mid(0, kMostShown) << tr("and %1 more").arg(more);
    }
    strip_->setVisible(!lines.isEmpty());
    error_->setText(lines.join(u'\n'));
    way_->setText(problems.size() > 1 ? tr("go to the next one  F8") : tr("go to it  F8"));
}

}  // namespace dasgd::gui
