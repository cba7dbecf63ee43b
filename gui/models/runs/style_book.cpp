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

    // A configuration of an earlier experiment, before any of this one's own: nobody else gets its style here.
    void keep(const RunItem& run, CurveStyle style) {
        reserve(style);
        met_.emplace(style.color, style.dash, style.marker);
        const std::string& algorithm = run.row.algorithm;
        const auto own = own_.find(algorithm);
        if (own != own_.end() && own->second == style) own_.erase(own);
        colors_[algorithm].try_emplace(placeOf(run), style.color);
        if (style.color != lookOf(algorithm).color) ++given_[style.color];
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
        auto& colors = colors_[run.row.algorithm];
        const auto [known, isNew] = colors.try_emplace(placeOf(run), own);
        if (isNew && colors.size() > 1) known->second = nextColor(own);
        return known->second;
    }
    // The algorithm's settings, and which of the sweep's configurations with these it is.
    std::pair<std::string, int> placeOf(const RunItem& run) {
        std::string settings = algorithmSettingsOf(run);
        const int place = places_[{settings, run.row.series.empty() ? run.row.runId : run.row.series}]++;
        return {std::move(settings), place};
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
    std::map<std::string_view, std::string_view> first;  // id of each series
    for (const RunItemPtr& run : runs) {
        std::string_view& id = first.try_emplace(run->row.series, run->row.runId).first->second;
        id = std::min<std::string_view>(id, run->row.runId);
    }
    using Place = std::tuple<std::string_view, std::int64_t, std::string_view>;
    std::vector<std::pair<Place, RunItemPtr>> placed;
    placed.reserve(runs.size());
    for (const RunItemPtr& run : runs) {
        const storage::RunRow& row = run->row;
        placed.emplace_back(
            Place(row.series.empty() ? std::string_view(row.runId) : first.at(row.series), row.seriesPlace, row.runId),
            run);
    }
    std::ranges::sort(placed, {}, &std::pair<Place, RunItemPtr>::first);
    std::vector<RunItemPtr> ordered;
    ordered.reserve(runs.size());
    for (auto& [place, run] : placed) ordered.push_back(std::move(run));
    return ordered;
}

// Of one experiment, in that order. `styles`: of the experiments before it; then with its own.
void assignExperiment(std::span<const RunItemPtr> runs, std::map<std::string, CurveStyle>& styles) {
    std::set<std::string> algorithms;
    std::map<std::string, std::set<std::string>> together;  // of one sweep
    std::vector<RunItemPtr> firsts;                         // of each configuration
    std::set<std::string_view> seen;
    for (const RunItemPtr& run : runs) {
        algorithms.insert(run->row.algorithm);
        if (!run->row.series.empty()) together[run->row.series].insert(run->row.algorithm);
        if (seen.insert(run->group).second) firsts.push_back(run);
    }
    StylesOfExperiment own(algorithms);
    for (const RunItemPtr& run : firsts) {
        if (const auto before = styles.find(run->group); before != styles.end()) own.keep(*run, before->second);
    }
    for (const RunItemPtr& run : firsts) {
        own.meet(together[run->row.series]);
        own.meet({run->row.algorithm});
        if (!styles.contains(run->group)) styles[run->group] = own.next(*run);
    }
}

}  // namespace

void StyleBook::assign(std::span<const RunItemPtr> runs) {
    styles_.clear();
    std::vector<std::string_view> order;
    std::map<std::string_view, std::vector<RunItemPtr>> experiments;
    const std::vector<RunItemPtr> ordered = asRecorded(runs);
    for (const RunItemPtr& run : ordered) {
        std::vector<RunItemPtr>& own = experiments[run->row.experiment];
        if (own.empty()) order.push_back(run->row.experiment);
        own.push_back(run);
    }
    for (const std::string_view experiment : order) assignExperiment(experiments[experiment], styles_);
}

CurveStyle StyleBook::styleOf(const RunItem& run) const {
    const auto style = styles_.find(run.group);
    return style == styles_.end() ? CurveStyle{} : style->second;
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
