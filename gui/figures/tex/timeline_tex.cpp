// A timeline as a TikZ picture: boxes as on the page, with short spans merged, shading of untimed intervals below them,
// and a line from each launch of an average to its merge.
#include <QHash>
#include <QTextStream>
#include <algorithm>
#include <ranges>
#include <set>

#include "gui/data/spans/span_colors.h"
#include "gui/figures/tex/latex.h"
#include "gui/figures/tex/pgf_charts.h"
#include "gui/kit/theme/paper.h"
#include "gui/timeline/view/time_scale.h"
#include "gui/timeline/view/timeline_painter.h"

namespace dasgd::gui {

namespace {

// Lengths in points; kAtEdge is a share of the axis.
constexpr double kRowHeight = 9, kLaneHeight = 7;
constexpr double kBeyondRows = 1;  // overhang of the shading above and below its rows
constexpr double kTickGap = 62, kTickLength = 2;
constexpr double kLeastLine = 6, kBend = 8;  // lines shorter than kLeastLine would be a blot and are not drawn
constexpr double kLabelsWidth = 68;          // approximate; the axis has the rest of the figure's width
constexpr double kAtEdge = 0.06;             // labels nearer to an end of the axis are not centred

struct RowsOfPlace {
    double top = 0, bottom = 0;
};

class TimelineTex {
public:
    TimelineTex(const TimelineContent& timeline, const FigureSpec& spec)
        : timeline_(timeline),
          tick_(spec.tickSize()),
          scale_{timeline.window, 0, std::max(1.0, spec.inchesWide() * 72 - kLabelsWidth)},
          text_(&out_) {}

    QString draw() {
        text_ << "\\begin{tikzpicture}[font=" << fontCommand(tick_) << "]\n";
        addTicks();
        addUntimed();
        addLabels();
        addBoxes();
        addLines();
        addLegend();
        text_ << "\\end{tikzpicture}";
        text_.flush();
        return out_;
    }

private:
    [[nodiscard]] double partAt(Ns t) const {
        return static_cast<double>(t - timeline_.window.start) /
               static_cast<double>(timeline_.window.end - timeline_.window.start);
    }
    // Position of a time; times outside of the window are moved to its ends.
    [[nodiscard]] QString x(Ns t) const {
        return placeOf(partAt(std::clamp(t, timeline_.window.start, timeline_.window.end)));
    }
    static QString placeOf(double part) { return QStringLiteral("%1\\axiswidth").arg(part, 0, 'f', 5); }
    [[nodiscard]] bool isSeen(TimeRange range) const {
        return range.end > timeline_.window.start && range.start < timeline_.window.end;
    }
    static double topOf(std::size_t row) { return -kRowHeight * static_cast<double>(row); }
    [[nodiscard]] double bottom() const { return topOf(timeline_.frame.rows.size()); }
    static QString hexOf(std::uint32_t rgb) {
        return QString::number(rgb & 0xFFFFFF, 16).rightJustified(6, QLatin1Char('0')).toUpper();
    }

    void addTicks() {
        const std::vector<Ns> ticks = ticksOf(scale_, kTickGap);
        const QStringList labels =
            timeline_.fromZero ? millisecondLabels(ticks) : tickLabels(ticks, tickStep(scale_, kTickGap));
        text_ << "\\definecolor{grid}{HTML}{" << hexOf(paperTheme().grid.rgb()) << "}\n";
        for (const Ns tick : ticks)
            text_ << "\\draw[grid, line width=0.4pt] (" << x(tick) << ",0) -- (" << x(tick) << ',' << bottom()
                  << "pt);\n";
        text_ << "\\draw[line width=0.4pt] (0," << bottom() << "pt) -- (\\axiswidth," << bottom() << "pt);\n";
        for (std::size_t i = 0; i < ticks.size(); ++i) {
            const double part = partAt(ticks[i]);
            const char* side = part < kAtEdge ? " west" : part > 1 - kAtEdge ? " east" : "";
            text_ << "\\draw[line width=0.4pt] (" << x(ticks[i]) << ',' << bottom() << "pt) -- ++(0,-" << kTickLength
                  << "pt);\n\\node[anchor=north" << side << ", inner xsep=0pt] at (" << x(ticks[i]) << ','
                  << bottom() - kTickLength / 2 << "pt) {" << latexText(labels[static_cast<qsizetype>(i)]) << "};\n";
        }
    }

    void addUntimed() {
        QHash<int, RowsOfPlace> places;
        for (std::size_t row = 0; row < timeline_.frame.rows.size(); ++row) {
            const int place = timeline_.frame.rows[row].placeOf();
            const double top = topOf(row) + kBeyondRows, low = topOf(row) - kLaneHeight - kBeyondRows;
            const auto known = places.find(place);
            if (known == places.end()) {
                places.insert(place, {top, low});
            } else {
                *known = {std::max(known->top, top), std::min(known->bottom, low)};
            }
        }
        text_ << "\\definecolor{untimed}{HTML}{" << hexOf(untimedOnPaper().rgb()) << "}\n";
        for (const TimelineGap& gap : timeline_.frame.untimed) {
            const auto rows = places.constFind(gap.place);
            if (rows == places.constEnd() || !isSeen(gap.range)) continue;
            hasUntimed_ = true;
            text_ << "\\fill[untimed] (" << x(gap.range.start) << ',' << rows->top << "pt) rectangle ("
                  << x(gap.range.end) << ',' << rows->bottom << "pt);\n";
        }
    }
    // The translucent tint of untimed intervals mixed with white, since the TeX picture uses opaque colours.
    static QColor untimedOnPaper() {
        TimelineStyle style = screenStyle(paperTheme());
        style.muted = paperTheme().line;  // as on the page
        const QColor tint = untimedTint(style);
        const auto mixed = [&](int part) {
            return static_cast<int>(255 + (part - 255) * static_cast<double>(tint.alphaF()));
        };
        return {mixed(tint.red()), mixed(tint.green()), mixed(tint.blue())};
    }

    void addLabels() {
        for (std::size_t row = 0; row < timeline_.frame.rows.size(); ++row) {
            text_ << "\\node[anchor=east] at (-3pt," << topOf(row) - 0.4 * kRowHeight << "pt) {"
                  << labelOf(timeline_.frame.rows[row]) << "};\n";
        }
    }
    // "rank 3 compute"; for a row of several ranks their name and number.
    [[nodiscard]] QString labelOf(const TimelineRow& lane) const {
        if (timeline_.fromZero && !lane.isGroup()) {
            const QString& name = (*timeline_.frame.plan)[static_cast<std::size_t>(lane.place)].name;
            return lane.lane == Lane::Compute ? QStringLiteral("\\textbf{%1}~compute").arg(latexText(name))
                                              : QLatin1String(nameOf(lane.lane).data());
        }
        if (!lane.isGroup() || !timeline_.frame.plan) {
            return QStringLiteral("rank %1 %2").arg(lane.rank).arg(QLatin1String(nameOf(lane.lane).data()));
        }
        const QString name = latexText((*timeline_.frame.plan)[static_cast<std::size_t>(lane.place)].name);
        return lane.lane == Lane::Compute ? QStringLiteral("%1, %2 ranks").arg(name).arg(lane.ranks) : QString();
    }

    void addBoxes() {
        for (const TimelineBox& box : timeline_.frame.boxes) {
            if (!isSeen({box.span.start, box.span.end})) continue;
            kinds_.insert(box.span.kind);
            const auto row = static_cast<std::size_t>(box.row);
            const bool share = timeline_.frame.rows[row].isGroup();
            const double high = share ? kLaneHeight * static_cast<double>(box.cover) : kLaneHeight;
            const double top = topOf(row) - (share ? kLaneHeight * (1 - static_cast<double>(box.base)) - high : 0);
            text_ << "\\definecolor{box}{HTML}{" << hexOf(box.rgb) << "}\\fill[box] (" << x(box.span.start) << ','
                  << top << "pt) rectangle (" << x(box.span.end) << ',' << top - high << "pt);\n";
        }
    }

    // Draws lines from each launch in the communication lane to the merge in the compute lane, as on the page.
    void addLines() {
        QHash<int, double> computes, comms;  // by rank: bottom of the compute lane, top of the communication lane
        for (std::size_t row = 0; row < timeline_.frame.rows.size(); ++row) {
            const TimelineRow& lane = timeline_.frame.rows[row];
            if (lane.isGroup()) continue;
            if (lane.lane == Lane::Compute) computes.insert(lane.rank, topOf(row) - kLaneHeight);
            if (lane.lane == Lane::Comm) comms.insert(lane.rank, topOf(row));
        }
        const auto isDrawn = [&](const TimelineLink& link) {
            return computes.contains(link.rank) && comms.contains(link.rank) && isSeen({link.launch, link.use}) &&
                   scale_.xAt(link.use) - scale_.xAt(link.launch) >= kLeastLine;
        };
        auto drawn = timeline_.frame.links | std::views::filter(isDrawn);
        if (static_cast<std::size_t>(std::ranges::distance(drawn)) > kMostLinks) return;
        text_ << "\\definecolor{launched}{HTML}{" << hexOf(rgbOf(SpanKind::Merge)) << "}\n"
              << "\\begin{scope}\n\\clip (0,0) rectangle (\\axiswidth," << bottom() << "pt);\n";
        for (const TimelineLink& link : drawn) addLine(link, comms[link.rank], computes[link.rank]);
        text_ << "\\end{scope}\n";
    }
    void addLine(const TimelineLink& link, double low, double high) {
        // TeX overflows at lengths of about five metres even if they are clipped later, so positions are limited.
        const auto place = [this](Ns at) { return placeOf(std::clamp(partAt(at), -1.0, 2.0)); };
        const QString from = place(link.launch), to = place(link.use);
        const double bend = std::min(kBend, (scale_.xAt(link.use) - scale_.xAt(link.launch)) / 2);
        const QString middle = QStringLiteral("%1pt").arg((low + high) / 2);
        text_ << "\\draw[launched, line width=0.8pt] (" << from << ',' << low << "pt) .. controls (" << from << ','
              << middle << ") .. (" << from << '+' << bend << "pt," << middle << ") -- (" << to << '-' << bend << "pt,"
              << middle << ") .. controls (" << to << ',' << middle << ") .. (" << to << ',' << high << "pt);\n";
    }

    // Adds the legend of the colours above the rows.
    void addLegend() {
        text_ << "\\node[anchor=south west, inner xsep=0pt, text width=\\axiswidth] at (0,2pt) {\\raggedright";
        const auto add = [this](const QString& color, const QString& name) {
            text_ << QStringLiteral("\\mbox{\\textcolor[HTML]{%1}{\\rule{5pt}{5pt}}~%2}\\quad{}\n").arg(color, name);
        };
        for (const SpanKind kind : kinds_) add(hexOf(rgbOnPaper(kind)), QLatin1String(nameOf(kind).data()));
        if (hasUntimed_) add(hexOf(untimedOnPaper().rgb()), QStringLiteral("not timed"));
        text_ << "};\n";
    }

    const TimelineContent& timeline_;
    int tick_;
    TimeScale scale_;
    QString out_;
    QTextStream text_;
    std::set<SpanKind> kinds_;  // kinds that were drawn
    bool hasUntimed_ = false;
};

}  // namespace

QString timelinePicture(const FigureContent& content, const FigureSpec& spec) {
    return TimelineTex(*content.timeline, spec).draw();
}

}  // namespace dasgd::gui
