#include "gui/timeline/model/beside/step_search.h"

#include <algorithm>

namespace dasgd::gui {

namespace {

bool beginsLater(const storage::SpanPart& a, const storage::SpanPart& b) { return a.range.start > b.range.start; }

}  // namespace

Result<bool> StepSearch::look(storage::SpanReader& reader, std::chrono::steady_clock::time_point deadline) {
    if (!begun_) {
        parts_.clear();
        start_.reset();
        DASGD_ASSIGN(const std::vector<storage::SpanPart> roots, reader.roots(run_));
        push(roots);
        begun_ = true;
    }
    // Parts that begin after the earliest match cannot contain an earlier one.
    while (!parts_.empty() && !(start_ && parts_.front().range.start >= *start_)) {
        const storage::SpanPart part = parts_.front();
        std::ranges::pop_heap(parts_, beginsLater);
        parts_.pop_back();
        if (const Status looked = lookAt(reader, part); !looked) {
            begun_ = false;
            return tl::unexpected(looked.error());
        }
        if (std::chrono::steady_clock::now() >= deadline) break;
    }
    return parts_.empty() || (start_ && parts_.front().range.start >= *start_);
}

Status StepSearch::lookAt(storage::SpanReader& reader, const storage::SpanPart& part) {
    if (part.level > 0) {
        DASGD_ASSIGN(const std::vector<storage::SpanPart> parts, reader.parts(run_, part));
        push(parts);
        return {};
    }
    DASGD_ASSIGN(const std::vector<storage::SpanRow> rows, reader.rows(part));
    for (const storage::SpanRow& row : rows) {
        if (row.span.step != step_ || row.span.lane != Lane::Compute || row.span.kind == SpanKind::Data) continue;
        start_ = std::min(start_.value_or(row.span.start), row.span.start);
    }
    return {};
}

void StepSearch::push(const std::vector<storage::SpanPart>& parts) {
    for (const storage::SpanPart& part : parts) {
        parts_.push_back(part);
        std::ranges::push_heap(parts_, beginsLater);
    }
}

}  // namespace dasgd::gui
