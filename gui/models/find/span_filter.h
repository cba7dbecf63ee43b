// Which spans are looked for: "wait > 20ms and rank >= 128", "reduce > 5 ms or name = ncclAllReduce". The grammar is
// that of filters (filter_expression.h), the fields are those of a span:
//
//   wait, forward, …   the length of a span of that kind; the name of a kind alone is any span of it
//   kind lane name     text
//   rank step bytes duration
//
// "reduce" finds transfers too: the collector divides a reduce into skew and transfer. A bare number is milliseconds.
// Windows, which are not drawn, are never found. A value; pure.
#pragma once

#include <bitset>
#include <memory>
#include <optional>

#include "core/analysis/timings.h"
#include "gui/models/filter/filter_expression.h"
#include "gui/models/timeline/kind_set.h"

namespace dasgd::gui {

class SpanFilter {
public:
    // Errors: where and why `text` says nothing of spans; of an empty one too.
    [[nodiscard]] static tl::expected<SpanFilter, FilterError> parse(const QString& text);

    // `name`: what another program calls it, "" where it has none.
    [[nodiscard]] bool accepts(const RankSpan& span, const QString& name) const;
    [[nodiscard]] bool asksForNames() const { return asksForNames_; }
    // False: no span of that rank, lane and kind that is no longer than `longest` passes, whatever else it is.
    [[nodiscard]] bool mayAccept(int rank, Lane lane, SpanKind kind, Ns longest) const;

    struct Test;

private:
    std::shared_ptr<const Test> test_;
    bool asksForNames_ = false;
};

// How it is written, for a tool tip.
[[nodiscard]] QString spanFilterHelp();

}  // namespace dasgd::gui
