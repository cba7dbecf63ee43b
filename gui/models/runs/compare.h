// Which runs are drawn beside which, in what style, under what name.
#pragma once

#include <QStringList>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

inline constexpr int kCurveColors = 7;

// Indices into the theme's colours, dashes and markers. Two configurations of an experiment never share all three.
struct CurveStyle {
    int color = 0, dash = 0, marker = 0;
    bool operator==(const CurveStyle&) const = default;
};

// Gives each configuration of each experiment a style and keeps it. The colour follows from the algorithm's name; where
// it is taken, the next free one is used.
class StyleBook {
public:
    // Runs of one experiment, in any order; earlier ones choose first. Call again when runs were added.
    void assign(std::span<const RunItemPtr> runs);
    [[nodiscard]] CurveStyle styleOf(const RunItem& run) const;

private:
    struct Experiment {
        std::map<std::string, CurveStyle> styles;
        std::vector<bool> taken = std::vector<bool>(kCurveColors, false);
        int round = 0;
    };
    std::map<std::string, Experiment> experiments_;
};

// The runs drawn with `current`: of each configuration of its experiment the newest run, current itself first; at most
// `limit`. `runs` in any order.
[[nodiscard]] std::vector<RunItemPtr> overlaidWith(const RunItem& current, std::span<const RunItemPtr> runs,
                                                   std::size_t limit = 8);

// Short names that tell the runs apart: the algorithm, then what sets its configuration apart (differencesOf()), then
// the seeds where the configuration is the same, and the experiment where there are several. Settings in `apart` do not
// count.
[[nodiscard]] QStringList distinguishingNames(std::span<const RunItemPtr> runs,
                                              const std::set<std::string>& apart = {});

}  // namespace dasgd::gui
