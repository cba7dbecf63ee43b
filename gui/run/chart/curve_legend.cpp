#include "gui/run/chart/curve_legend.h"

#include <QPainter>
#include <algorithm>

#include "gui/kit/parts/parts.h"
#include "gui/kit/plots/plot_view.h"
#include "gui/kit/words/short_names.h"

namespace dasgd::gui {

namespace {

constexpr int kLegendWidth = 210;
constexpr QSize kLegendSample(30, 14);
constexpr double kBesideLegendName = 74;  // width of check box, sample and scroll bar
constexpr int kCurveKey = Qt::UserRole;

QIcon sampleOf(const Curve& curve, const PlotStyle& style, double ratio) {
    QPixmap picture(kLegendSample * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    paintLineSample(painter, QRectF(QPointF(), QSizeF(kLegendSample)), style, curve.style, curve.hollow);
    return QIcon(picture);
}

}  // namespace

CurveLegend::CurveLegend(const Look& look, QWidget* parent) : QListView(parent), look_(look) {
    setModel(&items_);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setFrameShape(QFrame::NoFrame);
    setFixedWidth(kLegendWidth);
    setIconSize(kLegendSample);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    makeClear(*this);
    setAccessibleName(tr("Curves: Space hides, Enter brings to the front"));
    setToolTip(tr("Space hides a curve, Enter brings it to the front"));
    connect(&items_, &QStandardItemModel::itemChanged, this, [this](QStandardItem* item) { takeCheck(*item); });
    connect(this, &QListView::activated, this, [this](const QModelIndex& index) {
        const QString key = index.data(kCurveKey).toString();
        front_ = front_ == key ? QString() : key;
        emit changed();
    });
    connect(&look_, &Look::changed, this, [this] {
        names_.clear();
        emit changed();
    });
}

void CurveLegend::takeCheck(const QStandardItem& item) {
    const QString key = item.data(kCurveKey).toString();
    const bool hide = item.checkState() == Qt::Unchecked;
    if (hide == hidden_.contains(key)) return;
    if (hide) {
        hidden_.insert(key);
    } else {
        hidden_.remove(key);
    }
    emit changed();
}

void CurveLegend::begin(const QString& key) {
    hidden_.remove(key);
    front_.clear();
    keys_.clear();
}

void CurveLegend::list(const std::vector<Curve>& curves) {
    QStringList names, keys;
    for (const Curve& curve : curves) {
        names << curve.name;
        keys << curve.key;
    }
    if (names == names_ && keys == keys_) return;
    names_ = names;
    keys_ = keys;
    const int row = currentIndex().row();
    items_.clear();
    const QFontMetricsF metrics(font());
    const QStringList cut = namesThatFit(names, kLegendWidth - kBesideLegendName,
                                         [&](const QString& text) { return metrics.horizontalAdvance(text); });
    const PlotStyle style = screenPlotStyle(look_.theme());
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const auto at = static_cast<qsizetype>(i);
        auto* item = new QStandardItem(sampleOf(curves[i], style, devicePixelRatioF()), cut[at]);
        item->setData(keys[at], kCurveKey);
        item->setToolTip(names[at]);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setCheckState(hidden_.contains(keys[at]) ? Qt::Unchecked : Qt::Checked);
        items_.appendRow(item);
    }
    setCurrentIndex(items_.index(std::min(row, items_.rowCount() - 1), 0));
}

std::vector<Curve> CurveLegend::apply(std::vector<Curve> curves) {
    list(curves);
    std::erase_if(curves, [this](const Curve& curve) { return hidden_.contains(curve.key); });
    const auto isFront = [this](const Curve& curve) { return curve.key == front_; };
    if (!front_.isEmpty() && std::ranges::any_of(curves, isFront)) {
        for (Curve& curve : curves) curve.primary = isFront(curve);
    }
    return curves;
}

}  // namespace dasgd::gui
