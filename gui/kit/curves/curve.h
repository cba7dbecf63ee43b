// A curve of a plot as data, independent of how it is drawn.
#pragma once

#include <QString>
#include <QStringList>
#include <cmath>
#include <optional>
#include <vector>

#include "gui/kit/curves/curve_style.h"
#include "gui/kit/curves/series.h"

namespace dasgd::gui {

struct Curve {
    enum class Kind {
        Line,     // many points: a few markers along it
        Points,   // few points: each has a marker, and its deviation as a bar
        Scatter,  // Points without a connecting line, in any order
        Guide     // reference for the others: thin, pale, without markers
    };
    QString name;
    QString key;  // identity independent of the name: id of a run, or of a rank in it; "" if not needed
    CurveStyle style;
    Polyline line;                  // smoothed if `raw` is set
    std::optional<Polyline> raw;    // drawn faint behind the smoothed line
    std::vector<Polyline> behind;   // curves that it is the mean of, drawn faint
    QStringList behindNames;        // name of each of them in exported files; empty if they are not exported
    std::vector<double> deviation;  // if not empty: a band of line ± deviation; NaN: none at this point
    std::vector<int> n;             // if not empty: number of runs in each point
    QString note;                   // data left out, in words; "" if nothing was
    bool primary = false;           // drawn last and a little stronger
    bool faded = false;             // another curve is highlighted
    Kind kind = Kind::Line;
    bool hollow = false;  // unfilled markers, for simulated time
    // True if the deviation is drawn as bars; a band needs two adjacent points.
    [[nodiscard]] bool hasBars() const {
        const bool alone = kind == Kind::Line && line.x.size() == 1 && deviation.size() == 1;
        if (alone) return std::isfinite(deviation.front());
        return !deviation.empty() && (kind == Kind::Points || kind == Kind::Scatter);
    }
    bool operator==(const Curve&) const = default;
};

}  // namespace dasgd::gui
