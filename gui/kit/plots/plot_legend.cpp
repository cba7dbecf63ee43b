// Functions of PlotCanvas that fit the legend above the plot and the name of the y axis.
#include <QRegularExpression>
#include <algorithm>

#include "gui/kit/plots/plot_canvas.h"
#include "gui/kit/plots/plot_marks.h"
#include "gui/kit/words/short_names.h"

namespace dasgd::gui {

namespace {

constexpr int kMostLegendRows = 3, kMostNumberedRows = 5;
constexpr int kLegendMargin = 24;  // left and right margin together, in pixels

}  // namespace

void PlotCanvas::fitLegend(int width) {
    QCPLegend& legend = *plot_->legend;
    if (names_.isEmpty()) return;
    const QFontMetricsF metrics(style_.legendFont);
    const auto widthOf = [&metrics](const QString& text) { return metrics.horizontalAdvance(text); };
    const double besideName = legend.iconSize().width() + legend.iconTextPadding() + legend.columnSpacing();
    double longest = 1;
    for (const QString& name : names_) longest = std::max(longest, widthOf(name));
    const int count = static_cast<int>(names_.size());
    const int room = width - kLegendMargin;
    const int least = std::min(count, (count + kMostLegendRows - 1) / kMostLegendRows);
    int columns = std::clamp(static_cast<int>(room / (longest + besideName)), least, count);
    const auto cutTo = [&](int n) { return namesThatFit(names_, static_cast<double>(room) / n - besideName, widthOf); };
    QStringList cut = cutTo(columns);
    // More rows are better than names cut to numbers such as " #2".
    static const QRegularExpression kNumbered(QStringLiteral(" #\\d+$"));
    while (columns > 1 && count <= (columns - 1) * kMostNumberedRows && !cut.filter(kNumbered).isEmpty()) {
        cut = cutTo(--columns);
    }
    for (int i = 0; i < count; ++i) {
        if (auto* item = qobject_cast<QCPPlottableLegendItem*>(legend.item(i))) item->plottable()->setName(cut[i]);
        if (auto* band = dynamic_cast<BandItem*>(legend.item(i))) band->setName(cut[i]);
    }
    legend.setWrap(columns);
    legend.setFillOrder(legend.fillOrder(), true);
}

void PlotCanvas::fitYLabel(int height) {
    const QFontMetricsF metrics(style_.font);
    const auto widest = [&](qsizetype at) {
        return std::max(metrics.horizontalAdvance(axes_.y.left(at)), metrics.horizontalAdvance(axes_.y.mid(at + 1)));
    };
    QString label = axes_.y;
    if (metrics.horizontalAdvance(label) > height) {
        qsizetype best = -1;
        for (qsizetype at = label.indexOf(u' '); at >= 0; at = label.indexOf(u' ', at + 1)) {
            if (best < 0 || widest(at) < widest(best)) best = at;
        }
        if (best >= 0) label[best] = u'\n';
    }
    if (plot_->yAxis->label() != label) plot_->yAxis->setLabel(label);
}

QStringList PlotCanvas::legendNames() const {
    QStringList names;
    for (int i = 0; i < plot_->legend->itemCount(); ++i) {
        if (auto* item = qobject_cast<QCPPlottableLegendItem*>(plot_->legend->item(i)))
            names << item->plottable()->name();
        if (auto* band = dynamic_cast<BandItem*>(plot_->legend->item(i))) names << band->name();
    }
    return names;
}

}  // namespace dasgd::gui
