#include "gui/compare/left_out_bar.h"

#include <QHBoxLayout>

#include "gui/kit/parts/parts.h"
#include "gui/kit/parts/wrapped_label.h"

namespace dasgd::gui {

LeftOutBar::LeftOutBar(const Look& look, QWidget* parent)
    : QFrame(parent),
      look_(look),
      words_(new WrappedLabel("")),
      members_(makeQuietButton({}, {})),
      run_(makeQuietButton({}, {})) {
    setObjectName(QStringLiteral("leftout"));
    auto* row = padded(spaced(new QHBoxLayout(this), 6), {14, 7, 10, 7});
    row->addWidget(words_, 1);
    row->addWidget(members_);
    row->addWidget(run_);
    connect(&look_, &Look::changed, this, &LeftOutBar::restyle);
    restyle();
    hide();
}

void LeftOutBar::say(const QString& text, const QString& all) {
    words_->say(QStringLiteral("⚠  ") + text);
    words_->setToolTip(asTip(all));
    setAccessibleName(all);
}

void LeftOutBar::restyle() {
    const Theme& theme = look_.theme();
    setStyleSheet(barSheet(objectName(), theme.warnTint, theme.line, theme));
}

}  // namespace dasgd::gui
