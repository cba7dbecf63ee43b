#include "gui/timeline/model/find/find_query.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace dasgd::gui {

namespace {

constexpr std::chrono::milliseconds kFindBudget{40};

bool isEarlier(const RankSpan& a, const RankSpan& b) {
    return std::tuple(a.span.start, a.rank, a.span.kind) < std::tuple(b.span.start, b.rank, b.span.kind);
}

// False if the level of detail shows that no span in it can pass the filter.
bool mayHold(const storage::SpanLevel& level, const SpanFilter& filter) {
    std::size_t span = 0, cell = 0;
    // Spans merged into a cell are shorter than a bucket.
    const Ns shorter = level.width();
    for (const storage::LevelLane& lane : level.lanes) {
        for (; span < lane.spansEnd; ++span) {
            const Span& one = level.spans[span];
            if (filter.mayAccept(lane.rank, lane.lane, one.kind, one.end - one.start)) return true;
        }
        for (; cell < lane.cellsEnd; ++cell) {
            if (filter.mayAccept(lane.rank, lane.lane, level.cells[cell].kind, shorter)) return true;
        }
    }
    return false;
}

}  // namespace

void FindQuery::request(qint64 number, const QString& run, const SpanFilter& filter) {
    wanted_.set(Search{.number = number, .runId = run.toStdString(), .filter = filter, .parts = {}, .found = {}});
}

void FindQuery::cancel() { wanted_.set(std::nullopt); }

// Called also after an error, as a search without the unreadable part would report too few matches.
Status FindQuery::startOver(storage::SpanReader& reader) {
    search_->found = {.number = search_->number, .spans = {}, .found = 0};
    search_->seen = 0;
    DASGD_ASSIGN(search_->rows, reader.count(search_->runId));
    DASGD_ASSIGN(search_->parts, reader.roots(search_->runId));
    search_->begun = true;
    return {};
}

Status FindQuery::refresh(LiveStore& store) {
    if (auto [wanted, isNew] = wanted_.look(); isNew) search_ = std::move(wanted);
    if (!search_) return {};
    const auto deadline = std::chrono::steady_clock::now() + kFindBudget;
    if (!search_->begun) DASGD_TRY(startOver(store.reader().spans()));
    while (!search_->parts.empty()) {
        const storage::SpanPart part = search_->parts.back();
        search_->parts.pop_back();
        if (const Status looked = look(store.reader().spans(), part); !looked) {
            search_->begun = false;
            return looked;
        }
        if (std::chrono::steady_clock::now() < deadline) continue;
        const auto percent = static_cast<int>(100 * search_->seen / std::max<std::int64_t>(1, search_->rows));
        deliver([this, number = search_->number, percent] { emit progressed(number, std::min(percent, 99)); });
        return ask(), Status{};
    }
    FoundSpans found = std::move(search_->found);
    search_.reset();
    std::ranges::sort(found.spans, isEarlier);
    deliver([this, found = std::move(found)] { emit arrived(found); });
    return {};
}

Status FindQuery::look(storage::SpanReader& reader, const storage::SpanPart& part) {
    if (part.level == 0) return lookAtRows(reader, part);
    // Entries of higher levels cover so many spans that they hardly ever exclude a match.
    if (part.level == 1) {
        DASGD_ASSIGN(const storage::SpanLevel level, reader.level(part));
        if (!mayHold(level, search_->filter)) {
            search_->seen += part.rows;
            return {};
        }
    }
    DASGD_ASSIGN(const std::vector<storage::SpanPart> parts, reader.parts(search_->runId, part));
    search_->parts.insert(search_->parts.end(), parts.begin(), parts.end());
    return {};
}

Status FindQuery::lookAtRows(storage::SpanReader& reader, const storage::SpanPart& part) {
    DASGD_ASSIGN(const std::vector<storage::SpanRow> rows, reader.rows(part));
    static const QString kNone;
    std::vector<QString> names;
    if (search_->filter.asksForNames()) {
        DASGD_ASSIGN(const auto labels, reader.labels(part));
        if (!labels.empty()) names.resize(rows.size());
        for (const auto& [row, name] : labels) {
            if (static_cast<std::size_t>(row) < names.size()) {
                names[static_cast<std::size_t>(row)] = QString::fromStdString(name);
            }
        }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (search_->filter.accepts(rows[i], names.empty() ? kNone : names[i])) keep(rows[i]);
    }
    search_->seen += part.rows;
    return {};
}

void FindQuery::keep(const RankSpan& span) {
    FoundSpans& found = search_->found;
    ++found.found;
    if (found.spans.size() == FoundSpans::kMost) {
        if (!isEarlier(span, found.spans.front())) return;
        std::ranges::pop_heap(found.spans, isEarlier);
        found.spans.pop_back();
    }
    found.spans.push_back(span);
    std::ranges::push_heap(found.spans, isEarlier);
}

}  // namespace dasgd::gui
