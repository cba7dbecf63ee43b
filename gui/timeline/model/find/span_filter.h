// Filter for spans: "wait > 20ms and rank >= 128", "reduce > 5 ms or name = ncclAllReduce". The grammar is that of
// filters (filter_expression.h); the fields are those of a span:
//
// wait, forward, …   the length of a span of that kind; the bare name of a kind matches any span of it
//   kind lane name     text
//   rank step bytes duration
//
// "reduce" matches transfers too, as the collector divides a reduce into skew and transfer. A number without a unit is
// in milliseconds. Windows are not drawn and never match. An immutable value; pure.
#pragma once

#include <bitset>
#include <memory>
#include <optional>

#include "core/analysis/spans/timings.h"
#include "gui/data/filter/filter_expression.h"
#include "gui/data/spans/kind_set.h"

namespace dasgd::gui {

class SpanFilter {
public:
    // Errors: place and reason, also for an empty text.
    [[nodiscard]] static tl::expected<SpanFilter, FilterError> parse(const QString& text);

    // `name`: the name that another program gave the span; "" if it has none.
    [[nodiscard]] bool accepts(const RankSpan& span, const QString& name) const;
    [[nodiscard]] bool asksForNames() const { return asksForNames_; }
    // False: no span of this rank, lane and kind up to the length `longest` passes, whatever its other properties.
    [[nodiscard]] bool mayAccept(int rank, Lane lane, SpanKind kind, Ns longest) const;

    struct Test;

private:
    std::shared_ptr<const Test> test_;
    bool asksForNames_ = false;
};

// Help text on the syntax, for a tool tip.
[[nodiscard]] QString spanFilterHelp();

}  // namespace dasgd::gui
