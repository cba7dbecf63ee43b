#include "gui/timeline/kind_legend.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <utility>

#include "gui/data/spans/span_colors.h"
#include "gui/kit/parts/parts.h"
#include "gui/timeline/view/timeline_boxes.h"
#include "gui/timeline/view/timeline_style.h"

namespace dasgd::gui {

namespace {

// The kinds of the legend. Rarer kinds have only a tool tip on the timeline, and are hidden with the kind of their
// colour.
constexpr std::array<SpanKind, 11> kLegend{SpanKind::Forward, SpanKind::Backward, SpanKind::Update, SpanKind::Merge,
                                           SpanKind::Skew,    SpanKind::Transfer, SpanKind::Wait,   SpanKind::Eval,
                                           SpanKind::Data,    SpanKind::Compute,  SpanKind::Other};
bool isOfImports(SpanKind kind) { return kind == SpanKind::Compute || kind == SpanKind::Other; }
constexpr int kSwatch = 12;
constexpr int kBetween = 6;  // gap between toggles, in pixels

QString nameOfKind(SpanKind kind) { return QString::fromLatin1(nameOf(kind).data()); }

}  // namespace

KindToggle::KindToggle(SpanKind kind, const Look& look, QWidget* parent)
    : QAbstractButton(parent), kind_(kind), look_(look) {
    setCheckable(true);
    setChecked(true);
    setFocusPolicy(Qt::TabFocus);
    setText(nameOfKind(kind));
    setAccessibleName(tr("Show %1 in the timeline").arg(text()));
    setToolTip(tr("Hides %1 in the timeline, or shows it again; every number still counts it").arg(text()));
    setFont(interFont(12));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    size_ = {kSwatch + 6 + fontMetrics().horizontalAdvance(text()) + 6, 20};
}

void KindToggle::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF swatch(2, (height() - kSwatch) / 2.0, kSwatch, kSwatch);
    const Theme& theme = look_.theme();
    const QColor color = colorOn(theme.panel, kind_, rgbOf(kind_));
    if (isChecked()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawRoundedRect(swatch, 2, 2);
        if (kind_ == SpanKind::Wait || kind_ == SpanKind::Skew) {
            painter.setBrush(kind_ == SpanKind::Wait ? waitHatch() : skewHatch());
            painter.drawRoundedRect(swatch, 2, 2);
        }
    } else {
        painter.setPen(QPen(theme.muted, 1));
        painter.drawRoundedRect(swatch.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    }
    QFont font = this->font();
    font.setStrikeOut(!isChecked());
    painter.setFont(font);
    painter.setPen(isChecked() && !underMouse() ? theme.muted : isChecked() ? theme.text : theme.faint);
    painter.drawText(QRectF(kSwatch + 7, 0, width() - kSwatch - 7, height()), Qt::AlignLeft | Qt::AlignVCenter, text());
    if (!hasFocus()) return;
    painter.setPen(QPen(theme.accent, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

UntimedSample::UntimedSample(const Look& look, QWidget* parent) : QWidget(parent), look_(look) {
    setFont(interFont(12));
    setAccessibleName(tr("not timed"));
    setToolTip(
        tr("Grey ground: start-up, evaluations, checkpoints, and the steps that they touched. What lies there "
           "counts for no number."));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    size_ = {kSwatch + 6 + fontMetrics().horizontalAdvance(accessibleName()) + 6, 20};
}

void UntimedSample::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = look_.theme();
    // The sample has an outline, since so small a piece of the tint is hard to see.
    painter.setPen(QPen(theme.faint, 1));
    painter.setBrush(untimedTint(screenStyle(theme)));
    painter.drawRoundedRect(QRectF(2.5, (height() - kSwatch) / 2.0 + 0.5, kSwatch - 1, kSwatch - 1), 2, 2);
    painter.setFont(font());
    painter.setPen(theme.muted);
    painter.drawText(QRectF(kSwatch + 7, 0, width() - kSwatch - 7, height()), Qt::AlignLeft | Qt::AlignVCenter,
                     accessibleName());
}

KindLegend::KindLegend(TimelineRows& rows, const Look& look, QWidget* parent)
    : QWidget(parent), rows_(rows), untimed_(new UntimedSample(look, this)) {
    auto* column = padded(spaced(new QVBoxLayout(this), 0), {0, 0, 0, 0});
    for (QHBoxLayout*& line : lines_) {
        line = new QHBoxLayout;
        line->setSpacing(kBetween);
        column->addLayout(line);
        column->setAlignment(line, Qt::AlignLeft);
    }
    for (const SpanKind kind : kLegend) {
        auto* toggle = new KindToggle(kind, look, this);
        toggles_.push_back(toggle);
        toggle->setVisible(!isOfImports(kind));
        connect(toggle, &KindToggle::toggled, this, [this, kind](bool shown) { rows_.setShown(kind, shown); });
    }
    connect(&rows_, &TimelineRows::kindsChanged, this, &KindLegend::takeKinds);
    connect(&look, &Look::changed, this, qOverload<>(&QWidget::update));
    takeKinds();
    setRows(1);
}

void KindLegend::setImported(bool imported) {
    if (std::exchange(imported_, imported) == imported) return;
    for (KindToggle* toggle : toggles_) toggle->setVisible(imported || !isOfImports(toggle->kind()));
    untimed_->setVisible(!imported);
    placeToggles();
}

int KindLegend::widthOfOneRow() const {
    int width = 0;
    for (const KindToggle* toggle : toggles_) {
        if (imported_ || !isOfImports(toggle->kind())) width += toggle->sizeHint().width() + kBetween;
    }
    if (!imported_) width += untimed_->sizeHint().width() + kBetween;
    return std::max(0, width - kBetween);
}

void KindLegend::setRows(int rows) {
    if (std::exchange(shownLines_, rows) != rows) placeToggles();
}

// Distributes the toggles over one line, or over two of about half the width each.
void KindLegend::placeToggles() {
    int before = 0;
    for (KindToggle* toggle : toggles_) {
        const bool first = shownLines_ < 2 || before < widthOfOneRow() / 2;
        if (imported_ || !isOfImports(toggle->kind())) before += toggle->sizeHint().width() + kBetween;
        lines_[first ? 0 : 1]->addWidget(toggle);
    }
    lines_[shownLines_ < 2 ? 0 : 1]->addWidget(untimed_);
    // Invalidated explicitly: layouts notice moved and newly shown toggles only when events are handled.
    for (QHBoxLayout* line : lines_) line->invalidate();
    layout()->invalidate();
    updateGeometry();
}

void KindLegend::takeKinds() {
    for (KindToggle* toggle : toggles_) toggle->setChecked(!contains(rows_.hiddenKinds(), toggle->kind()));
}

QString hiddenKindsInWords(const KindSet& hidden) {
    QStringList names;
    for (const SpanKind kind : kLegend) {
        if (contains(hidden, kind)) names << nameOfKind(kind);
    }
    return names.join(QStringLiteral(", "));
}

}  // namespace dasgd::gui
