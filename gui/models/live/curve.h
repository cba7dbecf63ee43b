// What a plot draws, without a word about how.
#pragma once

#include <QString>
#include <QStringList>
#include <cmath>
#include <optional>
#include <vector>

#include "gui/models/live/series.h"
#include "gui/models/runs/style_book.h"

namespace dasgd::gui {

struct Curve {
    enum class Kind {
        Line,     // many points: a few markers along it
        Points,   // few: each has its marker and its deviation as a bar
        Scatter,  // the same without a line; in any order
        Guide     // what the others are held against: thin, quiet, without markers
    };
    QString name;
    QString key;  // what it is of, whatever its name: a run's id, a rank of it; "" where nothing asks for it
    CurveStyle style;
    Polyline line;                  // as drawn
    std::optional<Polyline> raw;    // drawn faint behind the smoothed line
    std::vector<Polyline> behind;   // what it is the mean of, faint
    QStringList behindNames;        // of each of them, in files; empty where none is written
    std::vector<double> deviation;  // where not empty: a band line ± deviation; NaN: none at this point
    std::vector<int> n;             // where not empty: how many runs made each point
    QString note;                   // what was left out of it, in words; "" where nothing was
    bool primary = false;           // drawn last and a little stronger
    bool faded = false;             // another is looked at
    Kind kind = Kind::Line;
    bool hollow = false;  // markers without a filling: of simulated time
    // Its deviation is drawn as bars: a band needs two points beside each other.
    [[nodiscard]] bool hasBars() const {
        const bool alone = kind == Kind::Line && line.x.size() == 1 && deviation.size() == 1;
        if (alone) return std::isfinite(deviation.front());
        return !deviation.empty() && (kind == Kind::Points || kind == Kind::Scatter);
    }
    bool operator==(const Curve&) const = default;
};

}  // namespace dasgd::gui
