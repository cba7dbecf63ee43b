// Card with the form of an experiment, or with words in its place.
#pragma once

#include <QHBoxLayout>
#include <QLabel>
#include <QStackedLayout>

#include "gui/experiment/form/experiment_form.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

class SettingsCard : public Card {
public:
    explicit SettingsCard(const Look& look) : form_(new ExperimentForm(look)), words_(makeLabel({}, "muted")) {
        body().setContentsMargins(1, 13, 1, 6);
        auto* head = padded(new QHBoxLayout, {kPadding, 0, kPadding, 4});
        head->addWidget(makeLabel(tr("Settings"), "head"));
        head->addStretch();
        head->addWidget(makeLabel(QStringLiteral("•"), "accent"));
        head->addWidget(makeLabel(tr("differs from its default"), "small"));
        body().addLayout(head);
        words_->setWordWrap(true);
        words_->setAlignment(Qt::AlignTop);
        words_->setContentsMargins(kPadding, 20, kPadding, 0);
        words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
        auto* box = new QWidget;
        formOrWords_ = new QStackedLayout(box);
        formOrWords_->addWidget(form_);
        formOrWords_->addWidget(words_);
        body().addWidget(box, 1);
    }

    [[nodiscard]] ExperimentForm& form() const { return *form_; }
    // Shows `words` in place of the form; "" shows the form.
    void showWords(const QString& words) {
        words_->setText(words);
        formOrWords_->setCurrentIndex(words.isEmpty() ? 0 : 1);
    }

private:
    ExperimentForm* form_;
    QLabel* words_;
    QStackedLayout* formOrWords_ = nullptr;
};

}  // namespace dasgd::gui
