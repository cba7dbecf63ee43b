// Which runs are drawn beside which, in what style, under what name.
#pragma once

#include <QStringList>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

inline constexpr int kCurveColors = 7;

// Indices into the theme's colours, dashes and markers. Two configurations of an experiment never share all three. As
// long as there are others, one that has the marker of another that started earlier has another colour and another
// dash, unless it is the first of its algorithm.
struct CurveStyle {
    int color = 0, dash = 0, marker = 0;
    bool operator==(const CurveStyle&) const = default;
};

// Gives each configuration of each experiment a style. The first configuration of an algorithm has the algorithm's own
// style, in every experiment; the others differ from it in dash and marker, and also in colour where the algorithm's
// settings differ or one sweep has several of them, as far as there are colours that no algorithm of the sweep or
// before it has. It follows from the runs alone, so that every page and figure comes to the same.
class StyleBook {
public:
    // All runs of one or more experiments, in any order: of the configurations of an algorithm, those that started
    // earlier choose first. Call again when runs were added.
    void assign(std::span<const RunItemPtr> runs);
    // For the experiments of `runs`, each with all its runs among `all`.
    [[nodiscard]] static StyleBook forExperimentsOf(std::span<const RunItemPtr> runs, std::span<const RunItemPtr> all);
    [[nodiscard]] CurveStyle styleOf(const RunItem& run) const;

private:
    std::map<std::string, std::map<std::string, CurveStyle>> experiments_;  // by configuration
};

// Keeps curves of several experiments apart in one picture: a style that is taken, or differs in its dash alone, gets
// another marker, then another dash; its colour stays.
class StylesApart {
public:
    [[nodiscard]] CurveStyle take(CurveStyle wanted);

private:
    std::set<std::tuple<int, int, int>> taken_;
};

// The runs drawn with `current`, itself first: of each configuration of its experiment a run of its own series, or else
// the newest; a stopped one only where there is no other of that kind. At most `limit`, those of its series before
// others. A probe is drawn with probes alone. `runs` in any order.
[[nodiscard]] std::vector<RunItemPtr> overlaidWith(const RunItem& current, std::span<const RunItemPtr> runs,
                                                   std::size_t limit = 8);

// Short names that tell the runs apart: the algorithm, then what sets its configuration apart (differencesOf()), what
// differs most before the rest, then the seeds where configuration and experiment are the same, and the experiment
// where there are several: "dasgd τ 4 d 2 seed 1 (delay-sweep)". Of settings outside the algorithm's section none is
// said that follows from the experiment, nor a third one that follows from one that is said. Settings in `apart` do not
// count.
[[nodiscard]] QStringList distinguishingNames(std::span<const RunItemPtr> runs,
                                              const std::set<std::string>& apart = {});

}  // namespace dasgd::gui
