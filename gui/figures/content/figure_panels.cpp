#include "gui/figures/content/figure_panels.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <memory>

#include "gui/kit/theme/paper.h"

namespace dasgd::gui {

namespace {

constexpr double kLeastPanelIn = 2;
// Lengths in points.
constexpr double kPanelGap = 8;
constexpr double kPanelMargin = 2;
constexpr double kSampleWidth = 22, kSampleGap = 5, kEntryGap = 14, kSharedRow = 13;

double panelWidthIn(const FigureSpec& spec) {
    const int across = panelsAcross(spec);
    return spec.inchesWide() / across - kPanelGap * (across - 1) / across / kPointsPerInch;
}

bool looksLike(const Curve& a, const Curve& b) {
    return a.style == b.style && a.hollow == b.hollow && a.kind == b.kind;
}

bool isNamed(const Curve& curve) { return !curve.line.x.empty() && curve.kind != Curve::Kind::Guide; }

struct LegendCell {
    Curve curve;
    QPointF at;  // left end, at the middle of the row's height
};

std::vector<LegendCell> sharedCells(const std::vector<Curve>& curves, double width, const QFont& font) {
    const QFontMetricsF metrics(font);
    std::vector<LegendCell> cells;
    QPointF at(kPanelMargin, kSharedRow / 2);
    for (const Curve& curve : curves) {
        const double wide = kSampleWidth + kSampleGap + metrics.horizontalAdvance(curve.name);
        if (at.x() > kPanelMargin && at.x() + wide > width) at = {kPanelMargin, at.y() + kSharedRow};
        cells.push_back({curve, at});
        at.rx() += wide + kEntryGap;
    }
    return cells;
}

struct PanelCell {
    RecordedPage page;
    QString label;
    QPointF at;  // top left of the label
};

}  // namespace

int panelsAcross(const FigureSpec& spec) {
    const int fit = std::max(1, static_cast<int>(spec.inchesWide() / kLeastPanelIn));
    return std::clamp(spec.across, 1, std::min(fit, std::max(1, static_cast<int>(spec.panels.size()))));
}

FigureSpec panelSpec(const FigureSpec& spec, std::size_t panel) {
    FigureSpec own = spec.panels[panel];
    own.venue = spec.venue;
    own.width = spec.width;
    own.labelPt = spec.labelPt;
    own.tickPt = spec.tickPt;
    own.widthIn = panelWidthIn(spec);
    return own;
}

Result<FigureContent> readPanels(storage::WorkspaceReader& reader, const FigureSpec& spec,
                                 std::span<const RunItemPtr> all) {
    FigureContent content{.kind = FigureKind::Panels};
    for (std::size_t i = 0; i < spec.panels.size(); ++i) {
        DASGD_ASSIGN(FigureContent panel, readFigure(reader, panelSpec(spec, i), all));
        const QString label = panelLabel(i);
        if (!panel.nothing.isEmpty() && content.nothing.isEmpty()) content.nothing = label + u' ' + panel.nothing;
        content.missing += panel.missing;
        content.unusedNames += panel.unusedNames;
        content.sources.insert(content.sources.end(), panel.sources.begin(), panel.sources.end());
        content.panels.push_back(std::move(panel));
    }
    content.missing.removeDuplicates();
    content.unusedNames.removeDuplicates();
    if (!sharedLegendOf(content, spec).empty()) {
        for (FigureContent& panel : content.panels) panel.axes.legend = false;
    }
    return content;
}

const FigureSpec& lookOfLegend(const FigureContent& content, const FigureSpec& spec) {
    for (std::size_t i = 0; i < content.panels.size(); ++i) {
        if (content.panels[i].hasCurves() && !content.panels[i].curves.empty()) return spec.panels[i];
    }
    return spec;
}

std::vector<Curve> sharedLegendOf(const FigureContent& content, const FigureSpec& spec) {
    std::vector<Curve> curves;
    int panels = 0;
    const FigureSpec& look = lookOfLegend(content, spec);
    for (std::size_t i = 0; i < content.panels.size(); ++i) {
        const FigureContent& panel = content.panels[i];
        if (!panel.hasCurves() || panel.curves.empty()) continue;
        ++panels;
        const FigureSpec& own = spec.panels[i];
        if (own.palette != look.palette || own.dashes != look.dashes || own.markers != look.markers) return {};
        for (const Curve& curve : panel.curves) {
            if (!isNamed(curve)) continue;
            // A name with two looks, or a look with two names, would mislead: then there is no shared legend.
            const bool differs = std::ranges::any_of(
                curves, [&](const Curve& known) { return (known.name == curve.name) != looksLike(known, curve); });
            if (differs) return {};
            if (std::ranges::find(curves, curve.name, &Curve::name) != curves.end()) continue;
            Curve named{.name = curve.name, .style = curve.style};
            named.hollow = curve.hollow;
            named.kind = curve.kind;
            curves.push_back(std::move(named));
        }
    }
    return panels > 1 ? curves : std::vector<Curve>();
}

PaperPage layOutPanels(const FigureContent& content, const FigureSpec& spec, std::size_t buckets) {
    const double width = spec.inchesWide() * kPointsPerInch;
    const QFont font = interFont(spec.labelSize()), strong = interFont(spec.labelSize(), Weight::SemiBold);
    const std::vector<LegendCell> legend = sharedCells(sharedLegendOf(content, spec), width, font);
    const double labelRow = spec.labelSize() + 5;
    double top = kPanelMargin + (legend.empty() ? 0 : legend.back().at.y() + kSharedRow / 2 + 2);
    std::vector<PanelCell> cells;
    const auto across = static_cast<std::size_t>(panelsAcross(spec));
    for (std::size_t first = 0; first < content.panels.size(); first += across) {
        double high = 0;
        for (std::size_t i = first; i < std::min(first + across, content.panels.size()); ++i) {
            const double left = static_cast<double>(i - first) * (panelWidthIn(spec) * kPointsPerInch + kPanelGap);
            cells.push_back(
                {recorded(layOut(content.panels[i], panelSpec(spec, i), buckets)), panelLabel(i), QPointF(left, top)});
            high = std::max(high, cells.back().page.size.height());
        }
        top += labelRow + high + kPanelGap;
    }
    const double height = std::ceil(std::max(1.0, top - kPanelGap));
    const FigureSpec look = lookOfLegend(content, spec);
    const PlotStyle style =
        plotStyleOf({.label = spec.labelSize(), .tick = spec.tickSize(), .curves = paletteOf(look.palette)});
    const auto kept = std::make_shared<const std::vector<PanelCell>>(std::move(cells));
    return {{width, height}, [=](QPaintDevice& device, double scale) {
                QPainter painter(&device);
                painter.setRenderHint(QPainter::Antialiasing);
                painter.scale(scale, scale);
                painter.setFont(font);
                for (const LegendCell& cell : legend) {
                    const QRectF sample(cell.at.x(), cell.at.y() - kSharedRow / 2, kSampleWidth, kSharedRow);
                    paintCurveSample(painter, sample, style, cell.curve, look.dashes, look.markers);
                    painter.setPen(Qt::black);
                    painter.drawText(QRectF(sample.right() + kSampleGap, sample.top(), width, kSharedRow),
                                     Qt::AlignLeft | Qt::AlignVCenter, cell.curve.name);
                }
                painter.setFont(strong);
                painter.setPen(Qt::black);
                for (const PanelCell& cell : *kept) {
                    painter.drawText(QRectF(cell.at + QPointF(kPanelMargin, 0), QSizeF(100, labelRow)),
                                     Qt::AlignLeft | Qt::AlignVCenter, cell.label);
                }
                for (const PanelCell& cell : *kept) {
                    painter.save();
                    painter.translate(cell.at + QPointF(0, labelRow));
                    play(painter, cell.page.picture);
                    painter.restore();
                }
            }};
}

}  // namespace dasgd::gui
