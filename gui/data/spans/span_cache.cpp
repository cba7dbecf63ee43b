#include "gui/data/spans/span_cache.h"

#include <algorithm>

#include "gui/data/spans/span_gather.h"
#include "gui/data/spans/step_marks.h"

namespace dasgd::gui {

namespace {

constexpr std::size_t kMostLinkedSpans = 40'000;  // per rank; with more, links are too short to be seen

std::size_t bytesOf(const storage::SpanLevel& level, const std::vector<storage::SpanRow>& rows) {
    return level.bytes() + rows.capacity() * sizeof(storage::SpanRow);
}

RowPlan ranksByNumber(int workers) {
    RowPlan plan;
    for (int rank = 0; rank < workers; ++rank) plan.push_back({.ranks = {rank}});
    return plan;
}

}  // namespace

void SpanCache::reset(std::string runId, int workers) {
    *this = SpanCache{};
    runId_ = std::move(runId);
    workers_ = workers;
}

bool SpanCache::Node::isCoarse(const TimelineView& view, bool rows) const {
    return damaged || (part.level > (rows ? 0 : 1) && static_cast<double>(part.width) > view.nsPerPixel);
}

void SpanCache::grown(bool live) {
    live_ = live;
    stale_ = true;
}

SpanCache::Node& SpanCache::nodeOf(const storage::SpanPart& part) {
    std::unique_ptr<Node>& place = nodes_[{part.level, part.id}];
    if (!place) place = std::make_unique<Node>();
    if (place->part.rows != part.rows || place->part.settled != part.settled) place->loaded = false;
    place->part = part;
    return *place;
}

Status SpanCache::readRoots(storage::SpanReader& reader) {
    DASGD_ASSIGN(const std::vector<storage::SpanPart> parts, reader.roots(runId_));
    roots_.clear();
    for (const storage::SpanPart& part : parts) {
        Node& node = nodeOf(part);
        // An undivided reduce among its rows may have been divided since.
        if (!part.settled) node.loaded = false;
        roots_.push_back(&node);
    }
    stale_ = false;
    return {};
}

Status SpanCache::expand(storage::SpanReader& reader, Node& node) {
    if (node.expanded) return {};
    DASGD_ASSIGN(const std::vector<storage::SpanPart> parts, reader.parts(runId_, node.part));
    for (const storage::SpanPart& part : parts) node.parts.push_back(&nodeOf(part));
    node.expanded = true;
    return {};
}

Status SpanCache::readRows(storage::SpanReader& reader, Node& node) {
    // Rows from the first reduce on that may still be divided are read again, the others are kept.
    const auto open = std::find_if(node.rows.begin(), node.rows.end(), [](const storage::SpanRow& row) {
        return row.span.kind == SpanKind::Reduce && row.span.collective != 0;
    });
    node.rows.erase(open, node.rows.end());
    DASGD_ASSIGN(const std::vector<storage::SpanRow> more,
                 reader.rows(node.part, static_cast<std::int64_t>(node.rows.size())));
    node.rows.insert(node.rows.end(), more.begin(), more.end());
    storage::LevelBuilder builder;
    builder.reserve(node.rows.size());
    for (const storage::SpanRow& row : node.rows) builder.add(row.rank, row.span);
    node.level = builder.exact();
    if (node.part.settled) node.rows = {};
    return {};
}

Status SpanCache::read(storage::SpanReader& reader, Node& node) {
    node.used = now_;
    if (node.loaded) return {};
    const std::size_t before = bytesOf(node.level, node.rows);
    Status done;
    if (node.part.level == 0) {
        done = readRows(reader, node);
    } else if (auto level = reader.level(node.part)) {
        node.level = std::move(*level);
    } else {
        // A node without its level is still drawn from its rows.
        node.damaged = true;
        return {};
    }
    bytes_ += bytesOf(node.level, node.rows) - before;
    DASGD_TRY(done);
    node.loaded = true;
    ++reads_;
    note(node.level);
    return {};
}

void SpanCache::note(const storage::SpanLevel& level) {
    std::size_t span = 0, cell = 0;
    for (const storage::LevelLane& lane : level.lanes) {
        workers_ = std::max(workers_, lane.rank + 1);
        const auto see = [&](SpanKind kind) {
            const bool window = kind == SpanKind::Window;
            windows_ = windows_ || window;
            io_ = io_ || (lane.lane == Lane::Io && !window);
        };
        if (lane.lane == Lane::Io) {
            for (std::size_t i = span; i < lane.spansEnd; ++i) see(level.spans[i].kind);
            for (std::size_t i = cell; i < lane.cellsEnd; ++i) see(level.cells[i].kind);
        }
        span = lane.spansEnd;
        cell = lane.cellsEnd;
    }
}

Result<bool> SpanCache::refine(storage::SpanReader& reader, Node& node, const TimelineView& view, bool rows,
                               Deadline deadline) {
    if (!touches(node.part.range, view.range)) return true;
    if (!node.isCoarse(view, rows)) {
        const bool known = node.loaded;
        DASGD_TRY(read(reader, node));
        if (!node.damaged) return known || std::chrono::steady_clock::now() < deadline;
    }
    node.used = now_;
    DASGD_TRY(expand(reader, node));
    for (Node* part : node.parts) {
        DASGD_ASSIGN(const bool done, refine(reader, *part, view, rows, deadline));
        if (!done) return false;
    }
    return true;
}

// True if the chunks of rows that the view needs have at most kMostRows rows.
Result<bool> SpanCache::rowsAreFew(storage::SpanReader& reader, const TimelineView& view) {
    std::int64_t rows = 0;
    Nodes open = roots_;
    while (!open.empty() && rows <= kMostRows) {
        Node* node = open.back();
        open.pop_back();
        if (node->part.level == 0 || !touches(node->part.range, view.range)) continue;
        if (!node->damaged && static_cast<double>(node->part.width) <= view.nsPerPixel) continue;
        if (node->part.level == 1) {
            rows += node->part.rows;
            continue;
        }
        DASGD_TRY(expand(reader, *node));
        open.insert(open.end(), node->parts.begin(), node->parts.end());
    }
    return rows <= kMostRows;
}

Result<bool> SpanCache::load(storage::SpanReader& reader, const TimelineView& view, std::chrono::milliseconds budget) {
    const Deadline deadline = std::chrono::steady_clock::now() + budget;
    ++now_;
    if (stale_) DASGD_TRY(readRoots(reader));
    // The coarsest level of everything is read before any details.
    for (Node* root : roots_) {
        if (root->part.level > 0 && touches(root->part.range, view.range)) DASGD_TRY(read(reader, *root));
    }
    DASGD_ASSIGN(rows_, rowsAreFew(reader, view));
    // The visible part is read before the margins.
    const Ns margin = (view.range.end - view.range.start) / 4;
    TimelineView seen = view;
    seen.range = {view.range.start + margin, view.range.end - margin};
    for (const TimelineView& part : {seen, view}) {
        for (auto root = roots_.rbegin(); root != roots_.rend(); ++root) {
            DASGD_ASSIGN(const bool done, refine(reader, **root, part, rows_, deadline));
            if (!done) return evict(), false;
        }
    }
    evict();
    return true;
}

// Nodes that the last view used are kept, whatever their size.
void SpanCache::evict() {
    if (bytes_ <= kMostBytes) return;
    Nodes old;
    for (const auto& [key, node] : nodes_) {
        if (node->loaded && node->used != now_) old.push_back(node.get());
    }
    std::sort(old.begin(), old.end(), [](const Node* a, const Node* b) { return a->used < b->used; });
    for (Node* node : old) {
        if (bytes_ <= kMostBytes) return;
        bytes_ -= bytesOf(node->level, node->rows);
        node->level = {};
        node->rows = {};
        node->loaded = false;
    }
}

// Appends the nodes that draw `node` in the view; false: they do not cover all of it.
bool SpanCache::collect(const Node& node, const TimelineView& view, bool rows, std::vector<const Node*>& drawn) const {
    if (!touches(node.part.range, view.range)) return true;
    const std::size_t before = drawn.size();
    if (node.isCoarse(view, rows) && node.expanded) {
        bool all = true;
        for (const Node* part : node.parts) all = collect(*part, view, rows, drawn) && all;
        if (all || !node.loaded) return all;
        drawn.resize(before);
    }
    // A chunk that has grown is drawn as it was last read.
    if (!node.loaded && node.level.lanes.empty()) return false;
    drawn.push_back(&node);
    return true;
}

void SpanCache::drawRank(std::array<std::vector<TimelineItem>, 3>& lanes, TimelineRow row, const KindSet& hidden,
                         TimelineFrame& frame) const {
    std::vector<Span> linked;
    for (const Lane lane : {Lane::Compute, Lane::Comm, Lane::Io}) {
        if (lane == Lane::Io && !io_) continue;
        std::vector<TimelineItem>& items = lanes[static_cast<std::size_t>(lane)];
        const auto byStart = [](const TimelineItem& a, const TimelineItem& b) { return a.start < b.start; };
        if (!std::is_sorted(items.begin(), items.end(), byStart)) {
            std::stable_sort(items.begin(), items.end(), byStart);
        }
        if (lane == Lane::Compute && frame.steps.empty()) frame.steps = stepMarks(items);
        if (hidden.any()) {
            std::erase_if(items, [&](const TimelineItem& item) { return contains(hidden, item.kind); });
        }
        mergeLane(items, static_cast<std::int32_t>(frame.rows.size()), frame.nsPerPixel, frame.boxes);
        row.lane = lane;
        frame.rows.push_back(row);
        for (const TimelineItem& item : items) {
            frame.spans += item.count;
            if (item.span && item.span->collective != 0) linked.push_back(*item.span);
        }
    }
    if (linked.size() <= kMostLinkedSpans) linkCollectives(linked, row.rank, frame.links);
}

TimelineFrame SpanCache::frame(const TimelineView& view) const {
    TimelineFrame frame{.range = view.range, .nsPerPixel = view.nsPerPixel, .places = view.places, .plan = view.plan};
    std::vector<const Node*> drawn;
    for (const Node* root : roots_) collect(*root, view, rows_, drawn);
    std::sort(drawn.begin(), drawn.end(),
              [](const Node* a, const Node* b) { return a->part.range.start < b->part.range.start; });
    const RowPlan plan = view.plan ? *view.plan : ranksByNumber(workers_);
    SpanGather gathered(plan, view);
    for (const Node* node : drawn) gathered.add(node->level);
    frame.spans = gathered.spansOfGroups;
    for (std::size_t place = 0; place < plan.size(); ++place) {
        const RankGroup& group = plan[place];
        SpanGather::Row& own = gathered.rows[place];
        TimelineRow row{.rank = group.ranks.front(),
                        .ranks = static_cast<int>(group.ranks.size()),
                        .place = view.plan ? static_cast<int>(place) : -1};
        if (!group.isGroup()) {
            drawRank(own.items, row, view.hidden, frame);
        } else {
            for (const Lane lane : {Lane::Compute, Lane::Comm}) {
                row.lane = lane;
                const auto& shares = own.shares[static_cast<std::size_t>(lane)];
                if (shares) shares->boxes(static_cast<std::int32_t>(frame.rows.size()), frame.boxes);
                frame.rows.push_back(row);
            }
        }
        if (windows_ && view.places.contains(static_cast<int>(place))) {
            findUntimed(own.timed, row.placeOf(), view.range, !live_, frame.untimed);
        }
    }
    return frame;
}

// False: some rows were not read, or there are more than `most`.
bool SpanCache::appendSpans(const Node& node, TimeRange range, std::size_t most, std::vector<RankSpan>& spans) const {
    if (!touches(node.part.range, range)) return true;
    if (node.part.level > 0) {
        return node.expanded && std::ranges::all_of(node.parts, [&](const Node* part) {
                   return appendSpans(*part, range, most, spans);
               });
    }
    if (!node.loaded) return false;
    std::size_t next = 0;
    for (const storage::LevelLane& lane : node.level.lanes) {
        for (; next < lane.spansEnd; ++next) {
            const Span& span = node.level.spans[next];
            if (touches({span.start, span.end}, range)) spans.push_back({lane.rank, span});
        }
    }
    return spans.size() <= most;
}

std::optional<std::vector<RankSpan>> SpanCache::spansIn(TimeRange range, std::size_t most) const {
    // Before the first read it is not even known that there are no spans.
    if (roots_.empty() && stale_) return std::nullopt;
    std::vector<RankSpan> spans;
    const auto append = [&](const Node* root) { return appendSpans(*root, range, most, spans); };
    if (!std::ranges::all_of(roots_, append)) return std::nullopt;
    return spans;
}

}  // namespace dasgd::gui
