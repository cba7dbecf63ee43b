#include "gui/models/runs/style_book.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/base/fnv1a.h"

namespace dasgd::gui {

namespace {

// The place of an algorithm in this list is its look, in every experiment, on every page and in every figure: the first
// seven have a colour each, the next seven the same colours with other dashes and markers, and so on. What is drawn
// together most often comes first.
constexpr std::array<std::string_view, 21> kKnown{
    "dasgd",  "sync_sgd", "local_sgd", "hybrid_sgd", "independent",     "overlap_local_sgd", "cocod_sgd",    "easgd",
    "bmuf",   "slowmo",   "co2",       "diloco",     "post_local_sgd",  "adacomm",           "eager_diloco", "dga",
    "oldsgd", "sgp",      "ssp",       "loscar",     "streaming_diloco"};

struct AlgorithmLook {
    int color = 0;
    int turn = 0;  // which of the algorithms of this colour
};

constexpr int kTurnOfOthers = 3;  // the list fills the turns before it
static_assert(kKnown.size() <= static_cast<std::size_t>(kCurveColors) * kTurnOfOthers);

// An algorithm that the window does not know has its colour by its name, and dashes and markers of nobody in the list.
AlgorithmLook lookOf(std::string_view algorithm) {
    const auto found = std::find(kKnown.begin(), kKnown.end(), algorithm);
    if (found == kKnown.end()) return {static_cast<int>(fnv1a(algorithm) % kCurveColors), kTurnOfOthers};
    const int place = static_cast<int>(found - kKnown.begin());
    return {place % kCurveColors, place / kCurveColors};
}

// The look of the `variant`-th configuration of an algorithm: neighbours differ in both dash and marker, and so do
// algorithms of one colour. No two of kCurveColors² variants have the same dash and marker.
CurveStyle styleOfVariant(AlgorithmLook look, int variant) {
    const int place = look.color + look.turn + variant;
    const int apart = 2 * look.turn + variant / kCurveColors;
    return {look.color, (place + apart) % kCurveColors, place % kCurveColors};
}

std::string algorithmSettingsOf(const RunItem& run) {
    std::string text = run.row.algorithm;
    for (const auto& [key, value] : run.config.unpacked()) {
        if (key.starts_with("algorithm.")) text += '\n' + key + '=' + value;
    }
    return text;
}

// Gives out the styles of one experiment: none twice, as long as its colours have any left.
class StylesOfExperiment {
public:
    // The first configuration of each of these has its algorithm's own style, in whatever order they come.
    explicit StylesOfExperiment(const std::set<std::string>& algorithms) {
        for (const std::string& algorithm : algorithms) {
            const CurveStyle own = styleOfVariant(lookOf(algorithm), 0);
            if (reserve(own)) own_[algorithm] = own;
        }
    }

    // From here on their colours are given to no other algorithm's configurations. Of what starts later nothing is
    // known: a figure that is made again then has the colours of before.
    void meet(const std::set<std::string>& algorithms) {
        for (const std::string& algorithm : algorithms) {
            used_.insert(lookOf(algorithm).color);
            const CurveStyle own = styleOfVariant(lookOf(algorithm), 0);
            met_.emplace(own.color, own.dash, own.marker);
        }
    }

    CurveStyle next(const RunItem& run) {
        const std::string& algorithm = run.row.algorithm;
        const AlgorithmLook look = lookOf(algorithm);
        const int color = colorOf(run, look.color);
        if (auto own = own_.extract(algorithm)) return own.mapped();
        int& given = variants_[algorithm];
        // A dash alone is seen late, and so is a colour: as long as there are others, no two share all but one.
        for (const bool plain : {true, false}) {
            for (int further = 1; further <= kCurveColors * kCurveColors; ++further) {
                CurveStyle style = styleOfVariant(look, given + further);
                style.color = color;
                if (plain && isLike(style)) continue;
                if (!reserve(style)) continue;
                given += further;
                met_.emplace(style.color, style.dash, style.marker);
                return style;
            }
        }
        return styleOfVariant(look, 0);
    }

private:
    // Configurations with the algorithm's settings alike share a colour, unless one sweep has several of them: what was
    // run once more with other settings of the training looks like before.
    int colorOf(const RunItem& run, int own) {
        const std::string settings = algorithmSettingsOf(run);
        const std::string series = run.row.series.empty() ? run.row.runId : run.row.series;
        const int place = places_[{settings, series}]++;
        auto& colors = colors_[run.row.algorithm];
        const auto [known, isNew] = colors.try_emplace({settings, place}, own);
        if (isNew && colors.size() > 1) known->second = nextColor(own);
        return known->second;
    }
    // In turn those that no algorithm has, then the algorithm's own.
    int nextColor(int own) {
        int best = own;
        for (int color = kCurveColors - 1; color >= 0; --color) {
            if (!used_.contains(color) && given_[color] <= given_[best]) best = color;
        }
        ++given_[best];
        return best;
    }
    [[nodiscard]] bool isLike(CurveStyle style) const {
        // An algorithm of the list has its own style kept for it, whether it comes or not.
        const auto isOwn = [style](std::string_view algorithm) {
            return styleOfVariant(lookOf(algorithm), 0) == style;
        };
        return std::ranges::any_of(kKnown, isOwn) || std::ranges::any_of(met_, [style](const auto& other) {
                   const auto [color, dash, marker] = other;
                   return marker == style.marker && (color == style.color || dash == style.dash);
               });
    }
    bool reserve(CurveStyle style) { return taken_.emplace(style.color, style.dash, style.marker).second; }

    std::map<std::string, CurveStyle> own_;  // of algorithms that have not come yet
    std::set<int> used_;                     // colours of algorithms
    std::map<int, int> given_;               // how often a colour was given beside the first of an algorithm
    std::map<std::pair<std::string, std::string>, int> places_;  // configurations, by algorithm's settings and sweep
    std::map<std::string, std::map<std::pair<std::string, int>, int>> colors_;  // of each algorithm
    std::map<std::string, int> variants_;  // of each algorithm, so many were given out
    std::set<std::tuple<int, int, int>> taken_;
    std::set<std::tuple<int, int, int>> met_;  // those of configurations and algorithms so far
};

// In the order in which they were asked for: ids begin with that time, and stay when a run that waits starts. The runs
// of a series are asked for at once, and have their places in it.
std::vector<RunItemPtr> asRecorded(std::span<const RunItemPtr> runs) {
    std::map<std::string, std::string> first;  // id of each series
    for (const RunItemPtr& run : runs) {
        auto& id = first.try_emplace(run->row.series, run->row.runId).first->second;
        id = std::min(id, run->row.runId);
    }
    const auto place = [&](const RunItemPtr& run) {
        const storage::RunRow& row = run->row;
        return std::tuple(row.series.empty() ? row.runId : first.at(row.series), row.seriesPlace, row.runId);
    };
    std::vector<RunItemPtr> ordered(runs.begin(), runs.end());
    std::ranges::sort(ordered, {}, place);
    return ordered;
}

}  // namespace

void StyleBook::assign(std::span<const RunItemPtr> runs) {
    const std::vector<RunItemPtr> ordered = asRecorded(runs);
    std::map<std::string, std::set<std::string>> algorithms;
    for (const RunItemPtr& run : ordered) algorithms[run->row.experiment].insert(run->row.algorithm);
    for (const auto& [experiment, names] : algorithms) {
        std::map<std::string, CurveStyle>& styles = experiments_[experiment];
        styles.clear();
        StylesOfExperiment own(names);
        std::map<std::string, std::set<std::string>> together;  // of one sweep
        for (const RunItemPtr& run : ordered) {
            if (run->row.experiment == experiment) together[run->row.series].insert(run->row.algorithm);
        }
        together[""].clear();
        for (const RunItemPtr& run : ordered) {
            if (run->row.experiment != experiment || styles.contains(run->group)) continue;
            own.meet(together[run->row.series]);
            own.meet({run->row.algorithm});
            styles[run->group] = own.next(*run);
        }
    }
}

StyleBook StyleBook::forExperimentsOf(std::span<const RunItemPtr> runs, std::span<const RunItemPtr> all) {
    StyleBook styles;
    std::set<std::string> assigned;
    for (const RunItemPtr& run : runs) {
        if (!assigned.insert(run->row.experiment).second) continue;
        std::vector<RunItemPtr> experiment;
        std::copy_if(all.begin(), all.end(), std::back_inserter(experiment),
                     [&](const RunItemPtr& other) { return other->row.experiment == run->row.experiment; });
        styles.assign(experiment);
    }
    return styles;
}

CurveStyle StyleBook::styleOf(const RunItem& run) const {
    const auto experiment = experiments_.find(run.row.experiment);
    if (experiment == experiments_.end()) return {};
    const auto style = experiment->second.find(run.group);
    return style == experiment->second.end() ? CurveStyle{} : style->second;
}

CurveStyle StylesApart::take(CurveStyle wanted) {
    for (const bool plain : {true, false}) {
        CurveStyle style = wanted;
        for (int turn = 1; turn <= kCurveColors * kCurveColors; ++turn) {
            const bool isLike = plain && std::ranges::any_of(taken_, [style](const auto& other) {
                                    return std::get<0>(other) == style.color && std::get<2>(other) == style.marker;
                                });
            if (!isLike && taken_.emplace(style.color, style.dash, style.marker).second) return style;
            style.marker = (wanted.marker + turn) % kCurveColors;
            style.dash = (wanted.dash + turn / kCurveColors) % kCurveColors;
        }
    }
    return wanted;
}

}  // namespace dasgd::gui
