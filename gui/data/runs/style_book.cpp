#include "gui/data/runs/style_book.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/digest/fnv1a.h"

namespace dasgd::gui {

namespace {

// The index of an algorithm in this list determines its look everywhere: the first seven have a colour each, the next
// seven the same colours with other dashes and markers, and so on. Algorithms that are often drawn together come first.
constexpr std::array<std::string_view, 21> kKnown{
    "dasgd",  "sync_sgd", "local_sgd", "hybrid_sgd", "independent",     "overlap_local_sgd", "cocod_sgd",    "easgd",
    "bmuf",   "slowmo",   "co2",       "diloco",     "post_local_sgd",  "adacomm",           "eager_diloco", "dga",
    "oldsgd", "sgp",      "ssp",       "loscar",     "streaming_diloco"};

struct AlgorithmLook {
    int color = 0;
    int turn = 0;  // index among the algorithms of this colour
};

constexpr int kTurnOfOthers = 3;  // the list fills the turns before it
static_assert(kKnown.size() <= static_cast<std::size_t>(kCurveColors) * kTurnOfOthers);

// An algorithm not in the list has a colour derived from its name, and dashes and markers that none in the list has.
AlgorithmLook lookOf(std::string_view algorithm) {
    const auto found = std::find(kKnown.begin(), kKnown.end(), algorithm);
    if (found == kKnown.end()) return {static_cast<int>(fnv1a(algorithm) % kCurveColors), kTurnOfOthers};
    const int place = static_cast<int>(found - kKnown.begin());
    return {place % kCurveColors, place / kCurveColors};
}

// The look of variant number `variant` of an algorithm: neighbours differ in both dash and marker, as do algorithms of
// one colour. No two of kCurveColors² variants have the same dash and marker.
CurveStyle styleOfVariant(AlgorithmLook look, int variant) {
    const int place = look.color + look.turn + variant;
    const int apart = 2 * look.turn + variant / kCurveColors;
    return {look.color, (place + apart) % kCurveColors, place % kCurveColors};
}

std::string algorithmSettingsOf(const RunItem& run) {
    std::string text = run.row.algorithm;
    if (!run.config.keys()) return text;
    const RunSettings::Keys& keys = *run.config.keys();
    for (const std::string_view prefix : {"algorithm.", "graph.", "compression."}) {
        for (auto key = std::lower_bound(keys.begin(), keys.end(), prefix);
             key != keys.end() && key->starts_with(prefix); ++key) {
            text.append(1, '\n').append(*key).append(1, '=');
            text += run.config.at(static_cast<std::size_t>(key - keys.begin()));
        }
    }
    return text;
}

constexpr std::size_t kLooks = static_cast<std::size_t>(kCurveColors) * kCurveColors * kCurveColors;
using StyleSet = std::bitset<kLooks>;

std::size_t bitOf(CurveStyle style) {
    return static_cast<std::size_t>((style.color * kCurveColors + style.dash) * kCurveColors + style.marker);
}

CurveStyle ownStyleOf(std::string_view algorithm) { return styleOfVariant(lookOf(algorithm), 0); }

// Own styles of the listed algorithms; they are reserved even if the algorithm does not occur.
const StyleSet& ownOfKnown() {
    static const StyleSet kOwn = [] {
        StyleSet own;
        for (const std::string_view algorithm : kKnown) own.set(bitOf(ownStyleOf(algorithm)));
        return own;
    }();
    return kOwn;
}

// Ordered by request: ids begin with that time, and do not change when a queued run starts. The runs of a series are
// requested at once, and ordered by their place in it.
std::vector<RunItemPtr> asRecorded(std::span<const RunItemPtr> runs) {
    std::unordered_map<std::string_view, std::string_view> first;  // id of each series
    for (const RunItemPtr& run : runs) {
        std::string_view& id = first.try_emplace(run->row.series, run->row.runId).first->second;
        id = std::min<std::string_view>(id, run->row.runId);
    }
    using Place = std::tuple<std::string_view, std::int64_t, std::string_view>;
    std::vector<std::pair<Place, const RunItemPtr*>> placed;
    placed.reserve(runs.size());
    for (const RunItemPtr& run : runs) {
        const storage::RunRow& row = run->row;
        placed.emplace_back(
            Place(row.series.empty() ? std::string_view(row.runId) : first.at(row.series), row.seriesPlace, row.runId),
            &run);
    }
    std::ranges::sort(placed, {}, &std::pair<Place, const RunItemPtr*>::first);
    std::vector<RunItemPtr> ordered;
    ordered.reserve(runs.size());
    for (const auto& [place, run] : placed) ordered.push_back(*run);
    return ordered;
}

// The first appearance of a configuration in an experiment, by its first run there.
struct StyleStep {
    RunItemPtr run;
    StyleSet together;  // own styles of the algorithms in its sweep
    bool operator==(const StyleStep& other) const {
        if (together != other.together) return false;
        return run == other.run ||
               (run->group == other.run->group && run->row.experiment == other.run->row.experiment &&
                run->row.series == other.run->row.series);
    }
};

std::vector<StyleStep> stepsOf(std::span<const RunItemPtr> runs) {
    std::unordered_map<std::string_view, StyleSet> together;  // of each sweep
    std::unordered_map<std::string_view, std::unordered_set<std::string_view>> seen;
    std::vector<StyleStep> steps;
    for (const RunItemPtr& run : asRecorded(runs)) {
        const std::size_t own = bitOf(ownStyleOf(run->row.algorithm));
        if (!run->row.series.empty()) together[run->row.series].set(own);
        if (seen[run->row.experiment].insert(run->group).second) steps.push_back({run, StyleSet().set(own)});
    }
    for (StyleStep& step : steps) {
        if (!step.run->row.series.empty()) step.together |= together[step.run->row.series];
    }
    return steps;
}

}  // namespace

// All string views refer to runs held by the steps.
struct StyleBook::State {
    // Assigns the styles of one experiment, none twice while its colours last.
    class Experiment {
    public:
        // From now on the colours of these own styles are given to no other algorithm's configurations. Later runs have
        // no influence, so that a figure made again has the same colours.
        void meet(const StyleSet& own) {
            if ((own & ~known_).none()) return;
            known_ |= own;
            for (std::size_t bit = 0; bit < kLooks; ++bit) {
                if (own[bit]) used_.set(bit / (kLooks / kCurveColors)), avoidLikesOf(bit);
            }
        }

        // Keeps the style of an earlier experiment; nullopt if another configuration has it here.
        std::optional<CurveStyle> keep(const RunItem& run, CurveStyle style) {
            if (!reserve(style)) return std::nullopt;
            Algorithm& algorithm = algorithms_[run.row.algorithm];
            algorithm.hasCome = true;
            algorithm.colors.try_emplace(placeOf(run), style.color);
            if (style.color != lookOf(run.row.algorithm).color) ++given_[static_cast<std::size_t>(style.color)];
            return style;
        }

        CurveStyle next(const RunItem& run) {
            const AlgorithmLook look = lookOf(run.row.algorithm);
            const CurveStyle own = styleOfVariant(look, 0);
            Algorithm& algorithm = algorithms_[run.row.algorithm];
            const int color = colorOf(run, algorithm, look.color);
            if (!std::exchange(algorithm.hasCome, true) && reserve(own)) return own;
            // Styles that differ only in dash or colour are hard to tell apart, so they are used last.
            for (const bool plain : {true, false}) {
                for (int further = 1; further <= kCurveColors * kCurveColors; ++further) {
                    CurveStyle style = styleOfVariant(look, algorithm.variants + further);
                    style.color = color;
                    const std::size_t bit = bitOf(style);
                    if (ownOfKnown()[bit] || (plain && like_[bit]) || !reserve(style)) continue;
                    algorithm.variants += further;
                    return style;
                }
            }
            return own;
        }

        std::unordered_map<std::string_view, CurveStyle> styles;  // by configuration

    private:
        struct Algorithm {
            bool hasCome = false;
            int variants = 0;                             // number of variants given out
            std::unordered_map<std::string, int> colors;  // by placeOf()
        };

        // Configurations with the same settings of the algorithm share a colour, unless one sweep has several of them,
        // so that a repetition with other training settings keeps its look.
        int colorOf(const RunItem& run, Algorithm& algorithm, int own) {
            const auto [known, isNew] = algorithm.colors.try_emplace(placeOf(run), own);
            if (isNew && algorithm.colors.size() > 1) known->second = nextColor(own);
            return known->second;
        }
        // The algorithm's settings, and the index among the sweep's configurations with these settings.
        std::string placeOf(const RunItem& run) {
            const std::string settings = algorithmSettingsOf(run);
            const int place = run.row.series.empty() ? 0 : places_[run.row.series + '\n' + settings]++;
            return std::to_string(place) + '\n' + settings;
        }
        // The least used colour that no algorithm has, else the algorithm's own.
        int nextColor(int own) {
            auto best = static_cast<std::size_t>(own);
            for (std::size_t color = kCurveColors; color-- > 0;) {
                if (!used_[color] && given_[color] <= given_[best]) best = color;
            }
            ++given_[best];
            return static_cast<int>(best);
        }
        bool reserve(CurveStyle style) {
            const std::size_t bit = bitOf(style);
            if (taken_[bit]) return false;
            taken_.set(bit);
            avoidLikesOf(bit);
            return true;
        }
        void avoidLikesOf(std::size_t bit) {
            const int whole = static_cast<int>(bit);
            const CurveStyle style{whole / (kCurveColors * kCurveColors), whole / kCurveColors % kCurveColors,
                                   whole % kCurveColors};
            for (int other = 0; other < kCurveColors; ++other) {
                like_.set(bitOf({other, style.dash, style.marker}));
                like_.set(bitOf({style.color, other, style.marker}));
            }
        }

        std::unordered_map<std::string_view, Algorithm> algorithms_;
        std::unordered_map<std::string, int> places_;  // number of configurations, by sweep and algorithm's settings
        std::bitset<kCurveColors> used_;               // colours of algorithms
        std::array<int, kCurveColors> given_{};        // times a colour was given out, except as an algorithm's first
        StyleSet taken_;
        StyleSet known_;  // own styles of the algorithms so far
        StyleSet like_;   // known_ and taken_, and styles too similar to them
    };

    void take(StyleStep step) {
        const RunItem& run = *steps.emplace_back(std::move(step)).run;
        Experiment& experiment = experiments[run.row.experiment];
        experiment.meet(steps.back().together);
        const auto before = first.find(run.group);
        std::optional<CurveStyle> style;
        if (before != first.end()) style = experiment.keep(run, before->second);
        if (!style) style = experiment.next(run);
        first.try_emplace(run.group, *style);
        experiment.styles.emplace(run.group, *style);
    }

    std::vector<StyleStep> steps;
    std::unordered_map<std::string_view, CurveStyle> first;  // of each configuration in its first experiment
    std::unordered_map<std::string_view, Experiment> experiments;
};

StyleBook::StyleBook() : state_(std::make_unique<State>()) {}
StyleBook::~StyleBook() = default;

void StyleBook::assign(std::span<const RunItemPtr> runs) {
    std::vector<StyleStep> steps = stepsOf(runs);
    const std::vector<StyleStep>& done = state_->steps;
    const bool goesOn = done.size() <= steps.size() && std::equal(done.begin(), done.end(), steps.begin());
    if (!goesOn) state_ = std::make_unique<State>();
    for (std::size_t i = state_->steps.size(); i < steps.size(); ++i) state_->take(std::move(steps[i]));
}

CurveStyle StyleBook::styleOf(const RunItem& run) const {
    const auto experiment = state_->experiments.find(run.row.experiment);
    if (experiment == state_->experiments.end()) return {};
    const auto style = experiment->second.styles.find(run.group);
    return style == experiment->second.styles.end() ? CurveStyle{} : style->second;
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
