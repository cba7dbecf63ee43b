#include "gui/widgets/timeline/kind_legend.h"

#include <QHBoxLayout>
#include <QPainter>
#include <array>

#include "gui/models/timeline/span_colors.h"
#include "gui/timeline/timeline_boxes.h"

namespace dasgd::gui {

namespace {

// The kinds of the legend; the rarer ones say what they are under the pointer, and go with those of their colour.
constexpr std::array<SpanKind, 11> kLegend{SpanKind::Forward, SpanKind::Backward, SpanKind::Update, SpanKind::Merge,
                                           SpanKind::Skew,    SpanKind::Transfer, SpanKind::Wait,   SpanKind::Eval,
                                           SpanKind::Data,    SpanKind::Compute,  SpanKind::Other};
bool isOfImports(SpanKind kind) { return kind == SpanKind::Compute || kind == SpanKind::Other; }
constexpr int kSwatch = 12;

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
}

QSize KindToggle::sizeHint() const { return {kSwatch + 6 + fontMetrics().horizontalAdvance(text()) + 6, 20}; }

void KindToggle::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF swatch(2, (height() - kSwatch) / 2.0, kSwatch, kSwatch);
    const QColor color = QColor::fromRgb(rgbOf(kind_));
    const Theme& theme = look_.theme();
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

KindLegend::KindLegend(TimelineRows& rows, const Look& look, QWidget* parent) : QWidget(parent), rows_(rows) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    for (const SpanKind kind : kLegend) {
        auto* toggle = new KindToggle(kind, look);
        toggles_.push_back(toggle);
        row->addWidget(toggle);
        toggle->setVisible(!isOfImports(kind));
        connect(toggle, &KindToggle::toggled, this, [this, kind](bool shown) { rows_.setShown(kind, shown); });
    }
    connect(&rows_, &TimelineRows::kindsChanged, this, &KindLegend::takeKinds);
    connect(&look, &Look::changed, this, qOverload<>(&QWidget::update));
    takeKinds();
}

void KindLegend::setImported(bool imported) {
    for (KindToggle* toggle : toggles_) toggle->setVisible(imported || !isOfImports(toggle->kind()));
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
