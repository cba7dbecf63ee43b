// What a filter says, for people to type:
//
//   expression  conjunction { "or" conjunction }
//   conjunction term { ["and"] term }
//   term        "not" term | "(" expression ")" | field operator value | field ["not"] "in" list | word | -word
//   list        "(" value { "," value } ")"
//   operator    = != < <= > >= ~
//
// The name of a flag alone ("starred", "simulated", "archived") is true where the flag is; in quotes it is a word.
// A word must be a part of what a run's row says ("dasgd", "seed 3" in quotes), -word must not. `~` is "contains". A
// value is a word or a quoted text; a number may have its unit, also after a space: hidden > 90 %. A comparison is
// false where a run lacks the field or has NaN there. Case does not count.
//
// A filter is applied at each key. After a comparison, a word at the very end that begins a keyword or the name of a
// field counts as not finished and is left out, so that "delay = 3 an" shows what "delay = 3" does.
#pragma once

#include <QString>
#include <QStringView>
#include <tl/expected.hpp>
#include <vector>

#include "gui/models/filter/filter_value.h"
#include "gui/models/filter/run_field.h"

namespace dasgd::gui {

// Where and why a text is no filter; `at` counts from 0 and may be the end of the text.
struct FilterError {
    qsizetype at = 0;
    QString message;
};

class FilterExpression {
public:
    // Everything passes.
    FilterExpression() = default;
    [[nodiscard]] static tl::expected<FilterExpression, FilterError> parse(const QString& text,
                                                                           const FilterFields& fields);
    [[nodiscard]] bool accepts(const RunItem& run) const { return holds(root_, run); }
    // The word at the end that is left out; "" where none is.
    [[nodiscard]] const QString& unfinished() const { return unfinished_; }
    // Whether it says anything of runs that are put away; where it does not, a list may leave them out.
    [[nodiscard]] bool namesArchived() const { return namesArchived_; }

    enum class Kind { All, Any, Not, Word, Comparison, Unfinished };
    struct Node {
        Kind kind = Kind::All;
        std::vector<Node> parts;
        QString word;  // lower case
        std::optional<FilterComparison> comparison;
    };
    // For what is no run: whoever has fields of its own asks the comparisons.
    [[nodiscard]] const Node& root() const { return root_; }

private:
    [[nodiscard]] static bool holds(const Node& node, const RunItem& run);

    Node root_;
    QString unfinished_;
    bool namesArchived_ = false;
};

// `experiment = "delay-sweep"`.
[[nodiscard]] QString experimentFilter(const QString& experiment);

}  // namespace dasgd::gui
