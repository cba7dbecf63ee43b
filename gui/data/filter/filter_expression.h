// The filter language, as users type it:
//
//   expression  conjunction { "or" conjunction }
//   conjunction term { ["and"] term }
//   term        "not" term | "(" expression ")" | field operator value | field ["not"] "in" list | word | -word
//   list        "(" value { "," value } ")"
//   operator    = != < <= > >= ~
//
// The bare name of a flag ("starred", "simulated", "archived") holds where the flag is set; in quotes it is a word.
// A word must occur in the text of a run's row ("dasgd", "seed 3" in quotes), -word must not. `~` means "contains". A
// value is a word or a quoted text; a number may have a unit, also after a space: hidden > 90 %. A comparison is false
// if the run lacks the field or has NaN there. Case is ignored.
//
// A filter is applied while it is typed. After a comparison, a last word that begins a keyword or the name of a field
// counts as unfinished and is ignored, so that "delay = 3 an" shows the same as "delay = 3".
#pragma once

#include <QString>
#include <QStringView>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "gui/data/filter/filter_value.h"
#include "gui/data/filter/run_field.h"

namespace dasgd::gui {

// Syntax error: place and reason. `at` counts from 0 and may be the end of the text.
struct FilterError {
    qsizetype at = 0;
    QString message;
};

class FilterExpression {
public:
    // The empty filter, which accepts every run.
    FilterExpression() = default;
    [[nodiscard]] static tl::expected<FilterExpression, FilterError> parse(const QString& text,
                                                                           const FilterFields& fields);
    [[nodiscard]] bool accepts(const RunItem& run) const { return holds(root_, run); }
    // The unfinished last word that is ignored; "" if there is none.
    [[nodiscard]] const QString& unfinished() const { return unfinished_; }
    // True if the filter mentions the flag "archived"; otherwise a list may leave archived runs out.
    [[nodiscard]] bool namesArchived() const { return namesArchived_; }

    enum class Kind { All, Any, Not, Word, Comparison, Unfinished };
    struct Node {
        Kind kind = Kind::All;
        std::vector<Node> parts;
        QString word;  // lower case
        std::optional<FilterComparison> comparison;
    };
    // For users with other fields than those of runs, which evaluate the comparisons themselves.
    [[nodiscard]] const Node& root() const { return root_; }

private:
    [[nodiscard]] static bool holds(const Node& node, const RunItem& run);

    Node root_;
    QString unfinished_;
    bool namesArchived_ = false;
};

// The filter `experiment = "delay-sweep"`.
[[nodiscard]] QString experimentFilter(const QString& experiment);

// The runs that are compared with `run`, itself among them: those of its experiment, without its probes, or only these
// if it is a probe. `filter` chooses the same, and later ones.
struct ExperimentRuns {
    std::vector<RunItemPtr> runs;
    QString filter;
};
[[nodiscard]] ExperimentRuns comparedWith(const RunItem& run, std::span<const RunItemPtr> all);

}  // namespace dasgd::gui
