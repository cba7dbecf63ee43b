#include "gui/timeline/view/timeline_changes.h"

#include <algorithm>
#include <tuple>

#include "gui/timeline/view/timeline_foot.h"
#include "gui/timeline/view/timeline_painter.h"

namespace dasgd::gui {

namespace {

bool inSight(TimeRange range, TimeRange window) { return range.start <= window.end && range.end >= window.start; }

TimeRange cut(TimeRange range, TimeRange window) {
    return {std::max(range.start, window.start), std::min(range.end, window.end)};
}

bool equal(TimeRange a, TimeRange b) { return a.start == b.start && a.end == b.end; }

bool equal(const TimelineBox& a, const TimelineBox& b) {
    return std::tie(a.row, a.rgb, a.count, a.cover, a.base, a.span.kind, a.span.bytes, a.span.start, a.span.end) ==
           std::tie(b.row, b.rgb, b.count, b.cover, b.base, b.span.kind, b.span.bytes, b.span.start, b.span.end);
}

class Comparison {
public:
    Comparison(const TimelineFrame& before, const TimelineFrame& after, TimeRange common)
        : before_(before), after_(after), common_(common), alike_(common) {}

    TimeRange result() {
        cutBoxes(before_);
        cutBoxes(after_);
        boxes();
        links();
        gaps();
        steps();
        return alike_;
    }

private:
    // Excludes boxes that one of the windows cuts: only their rest is drawn, with another label and outline.
    void cutBoxes(const TimelineFrame& frame) {
        for (const TimelineBox& box : frame.boxes) {
            if (frame.rows[static_cast<std::size_t>(box.row)].isGroup()) continue;
            if (!inSight({box.span.start, box.span.end}, common_)) continue;
            if (box.span.start < common_.start) alike_.start = std::max(alike_.start, box.span.end);
            if (box.span.end > common_.end) differsFrom(box.span.start);
        }
    }

    void differsFrom(Ns at) { alike_.end = std::min(alike_.end, at); }

    // Compares the boxes; in each row everything from the first difference on counts as changed.
    void boxes() {
        auto old = before_.boxes.begin(), now = after_.boxes.begin();
        const auto skipHidden = [this](auto& box, auto end) {
            while (box != end && !inSight({box->span.start, box->span.end}, common_)) ++box;
        };
        const auto changed = [this](auto& box, auto end, std::int32_t row) {
            for (; box != end && box->row == row; ++box) {
                if (inSight({box->span.start, box->span.end}, common_)) differsFrom(box->span.start);
            }
        };
        for (;;) {
            skipHidden(old, before_.boxes.end());
            skipHidden(now, after_.boxes.end());
            const bool noOld = old == before_.boxes.end(), noNow = now == after_.boxes.end();
            if (noOld && noNow) return;
            if (!noOld && !noNow && equal(*old, *now)) {
                ++old, ++now;
                continue;
            }
            const std::int32_t row = noOld ? now->row : noNow ? old->row : std::min(old->row, now->row);
            changed(old, before_.boxes.end(), row);
            changed(now, after_.boxes.end(), row);
        }
    }

    void links() {
        const auto sorted = [this](const std::vector<TimelineLink>& links) {
            std::vector<std::tuple<Ns, int, Ns>> out;
            for (const TimelineLink& link : links) {
                if (inSight({link.launch, link.use}, common_)) out.emplace_back(link.launch, link.rank, link.use);
            }
            std::ranges::sort(out);
            return out;
        };
        const auto old = sorted(before_.links), now = sorted(after_.links);
        const auto [a, b] = std::ranges::mismatch(old, now);
        if (a != old.end()) differsFrom(std::get<0>(*a));
        if (b != now.end()) differsFrom(std::get<0>(*b));
    }

    void gaps() {
        const auto seen = [this](const std::vector<TimelineGap>& gaps) {
            std::vector<TimelineGap> out;
            for (const TimelineGap& gap : gaps) {
                if (inSight(gap.range, common_)) out.push_back({gap.place, cut(gap.range, common_)});
            }
            return out;
        };
        const auto same = [](const TimelineGap& a, const TimelineGap& b) {
            return a.place == b.place && equal(a.range, b.range);
        };
        const auto old = seen(before_.untimed), now = seen(after_.untimed);
        const auto [a, b] = std::ranges::mismatch(old, now, same);
        for (auto gap = a; gap != old.end(); ++gap) differsFrom(gap->range.start);
        for (auto gap = b; gap != now.end(); ++gap) differsFrom(gap->range.start);
    }

    void steps() {
        const auto first = [this](const std::vector<StepMark>& steps) {
            return std::ranges::lower_bound(steps, common_.start, {}, &StepMark::start);
        };
        const auto [a, b] =
            std::mismatch(first(before_.steps), before_.steps.end(), first(after_.steps), after_.steps.end());
        if (a != before_.steps.end()) differsFrom(a->start);
        if (b != after_.steps.end()) differsFrom(b->start);
    }

    const TimelineFrame &before_, &after_;
    TimeRange common_, alike_;
};

}  // namespace

TimeRange drawnAlike(const TimelineFrame& before, TimeRange windowBefore, const TimelineFrame& after,
                     TimeRange windowAfter) {
    const TimeRange common = cut(windowBefore, windowAfter);
    // Step lines and links are drawn only if they are few enough, so the frames may differ in all of them.
    const bool uncertain = hasStepLines(before, before.nsPerPixel) != hasStepLines(after, after.nsPerPixel) ||
                           before.links.size() > kMostLinks || after.links.size() > kMostLinks ||
                           before.rows != after.rows || before.nsPerPixel != after.nsPerPixel;
    if (uncertain || common.end <= common.start) return {common.start, common.start};
    return Comparison(before, after, common).result();
}

}  // namespace dasgd::gui
