#include "gui/timeline/view/timeline_picture.h"

#include <gtest/gtest.h>

#include <QImage>
#include <random>

#include "gui/data/spans/share_columns.h"
#include "gui/timeline/view/timeline_foot.h"
#include "tests/gui/support/bench.h"
#include "tests/support/units.h"

namespace dasgd::gui {
namespace {

using test::kMs;
constexpr int kRanks = 3, kWidth = 700;

// Spans as the ranks of a live run record them: in the order of their ends, the reductions late.
class GrowingRun {
public:
    explicit GrowingRun(unsigned seed) : random_(seed), spans_(kRanks), now_(kRanks, 0), timed_(kRanks) {}

    // Lets all ranks grow up to about `until`, each some milliseconds short of it or not at all.
    void grow(Ns until) {
        for (std::size_t rank = 0; rank < kRanks; ++rank) {
            if (random_() % 6 == 0) continue;
            while (now_[rank] < until - static_cast<Ns>(random_() % 8) * kMs) step(rank);
        }
    }

    [[nodiscard]] TimelineFramePtr frame(TimeRange window, Ns pixel, bool grouped) const {
        auto frame = std::make_shared<TimelineFrame>();
        const Ns margin = (window.end - window.start) / 2;
        frame->range = {window.start - margin, window.end + margin};
        frame->nsPerPixel = static_cast<double>(pixel);
        for (int rank = 0; rank < kRanks; ++rank) {
            const auto& spans = spans_[static_cast<std::size_t>(rank)];
            std::vector<Span> linked;
            for (const Lane lane : {Lane::Compute, Lane::Comm}) {
                std::vector<TimelineItem> items;
                for (const Span& span : spans) {
                    if (span.lane != lane || span.end < frame->range.start || span.start > frame->range.end) continue;
                    items.push_back(itemOf(span));
                    if (span.collective != 0) linked.push_back(span);
                }
                std::ranges::stable_sort(items, {}, &TimelineItem::start);
                const auto row = static_cast<std::int32_t>(frame->rows.size());
                if (lane == Lane::Compute && rank == 0) frame->steps = stepsOf(items);
                if (grouped && rank == kRanks - 1) {
                    ShareColumns shares(frame->range, frame->nsPerPixel, 2);
                    for (const TimelineItem& item : items) {
                        shares.add(item.kind, item.start, item.length, item.covered, item.step);
                    }
                    shares.boxes(row, frame->boxes);
                } else {
                    mergeLane(items, row, frame->nsPerPixel, frame->boxes);
                }
                frame->rows.push_back({rank, lane, grouped && rank == kRanks - 1 ? 2 : 1});
            }
            linkCollectives(linked, rank, frame->links);
            findUntimed(timed_[static_cast<std::size_t>(rank)], rank, frame->range, false, frame->untimed);
        }
        return frame;
    }

private:
    static std::vector<StepMark> stepsOf(const std::vector<TimelineItem>& items) {
        std::vector<StepMark> steps;
        for (const TimelineItem& item : items) {
            if (steps.empty() || item.step > steps.back().step) steps.push_back({item.step, item.start});
        }
        return steps;
    }
    Ns some(Ns most) { return 1 + static_cast<Ns>(random_() % static_cast<unsigned long>(most)); }
    void add(std::size_t rank, Lane lane, SpanKind kind, Ns start, Ns end, std::uint64_t collective = 0) {
        spans_[rank].push_back({.lane = lane,
                                .kind = kind,
                                .step = step_[rank],
                                .start = start,
                                .end = end,
                                .bytes = collective ? 247'000 : 0,
                                .collective = collective});
    }
    void work(std::size_t rank, SpanKind kind, Ns length, std::uint64_t collective = 0) {
        add(rank, Lane::Compute, kind, now_[rank], now_[rank] + length, collective);
        now_[rank] += length;
    }
    void step(std::size_t rank) {
        ++step_[rank];
        const Ns start = now_[rank];
        // A data span of less than a pixel, and now and then one of many.
        work(rank, SpanKind::Data, some(kMs / 4));
        work(rank, SpanKind::Forward, some(random_() % 9 == 0 ? 90 * kMs : 4 * kMs));
        now_[rank] += some(kMs / 3);
        work(rank, SpanKind::Backward, some(30 * kMs));
        if (random_() % 2 == 0) work(rank, SpanKind::Wait, some(20 * kMs));
        if (random_() % 2 == 0) {
            const auto collective = static_cast<std::uint64_t>(step_[rank]);
            const Ns skew = some(15 * kMs), transfer = some(15 * kMs);
            add(rank, Lane::Comm, SpanKind::Skew, start, start + skew, collective);
            add(rank, Lane::Comm, SpanKind::Transfer, start + skew, start + skew + transfer, collective);
            work(rank, SpanKind::Merge, some(2 * kMs), collective);
        }
        if (random_() % 3 != 0) timed_[rank].push_back({start, now_[rank]});
    }

    std::mt19937 random_;
    std::vector<std::vector<Span>> spans_;
    std::vector<Ns> now_;
    std::vector<std::vector<TimeRange>> timed_;
    std::array<std::int64_t, kRanks> step_{};
};

struct Variant {
    const char* name;
    double ratio = 1;
    bool foot = false, grouped = false, scrolled = false;
    ThemeName theme = ThemeName::Dark;
};

class TimelinePictureTest : public ::testing::TestWithParam<Variant> {
protected:
    void SetUp() override {
        TimelineMetrics metrics;
        metrics.foot = GetParam().foot ? kFootHeight : 0;
        marks_.handles = true;
        marks_.notes[1] = {QStringLiteral("+8 ms"), true};
        layout_ =
            TimelineLayout(run_.frame({0, kMs}, kMs, GetParam().grouped)->rows, QRectF(0, 0, kWidth, 330), metrics);
    }
    QImage paint(TimelinePicture& picture, const TimelineFramePtr& frame, Ns end) const {
        const TimeScale scale = onWholePixels({{end - 600 * kMs, end}, layout_.plot().left(), layout_.plot().width()});
        picture.touch();
        picture.paint({.frame = frame,
                       .layout = layout_,
                       .scale = scale,
                       .style = screenStyle(look_.theme()),
                       .marks = marks_,
                       .band = GetParam().scrolled ? QRect(0, 47, kWidth, 190) : QRect(0, 0, kWidth, 334),
                       .ratio = GetParam().ratio});
        return picture.pixmap().toImage();
    }
    [[nodiscard]] TimelineFramePtr frameAt(Ns end) const {
        const TimeScale scale = onWholePixels({{end - 600 * kMs, end}, layout_.plot().left(), layout_.plot().width()});
        return run_.frame(scale.window, static_cast<Ns>(scale.nsPerPixel()), GetParam().grouped);
    }
    Look look_{GetParam().theme};
    GrowingRun run_{7};
    TimelineLayout layout_;
    TimelineMarks marks_;
};

TEST_P(TimelinePictureTest, EqualsOnePaintedWhole) {
    std::mt19937 random(11);
    TimelinePicture kept;
    Ns end = 900 * kMs;
    TimelineFramePtr frame;
    for (int i = 0; i < 120; ++i) {
        // The window mostly follows; at times it stands still, goes back, or moves on before the frame has come.
        end += static_cast<Ns>(random() % 5 == 0 ? 0 : random() % 90) * kMs - (random() % 9 == 0 ? 60 * kMs : 0);
        run_.grow(end);
        if (i == 0 || random() % 4 != 0) frame = frameAt(end);
        for (std::int64_t step = 1; step < 40; ++step) marks_.hidden.steps.push_back({.step = step, .share = 0.4});
        const QImage picture = paint(kept, frame, end);
        TimelinePicture fresh;
        const QImage whole = paint(fresh, frame, end);
        ASSERT_EQ(picture.size(), whole.size());
        if (picture == whole) continue;
        int x = 0, y = 0;
        while (picture.pixel(x, y) == whole.pixel(x, y)) x = (x + 1) % picture.width(), y += x == 0 ? 1 : 0;
        FAIL() << "picture " << i << " differs at " << x << ", " << y;
    }
}

TEST_P(TimelinePictureTest, PaintsOnlyWhatIsNew) {
    // The shares of a group are formed anew for each window; pixels of the device that lie askew cannot be shifted.
    if (GetParam().grouped || GetParam().ratio == 1.5) return;
    TimelinePicture kept;
    run_.grow(900 * kMs);
    paint(kept, frameAt(900 * kMs), 900 * kMs);
    EXPECT_EQ(kept.columnsPainted(), kWidth);
    int painted = 0;
    for (int i = 1; i <= 20; ++i) {
        const Ns end = (900 + 60 * i) * kMs;
        run_.grow(end);
        paint(kept, frameAt(end), end);
        painted += kept.columnsPainted();
    }
    EXPECT_LT(painted, 20 * kWidth * 2 / 3);
}

INSTANTIATE_TEST_SUITE_P(Variants, TimelinePictureTest,
                         ::testing::Values(Variant{"plain"}, Variant{.name = "foot", .foot = true},
                                           Variant{.name = "twice", .ratio = 2, .foot = true},
                                           Variant{.name = "half", .ratio = 1.5},
                                           Variant{.name = "groups", .grouped = true},
                                           Variant{.name = "scrolled", .foot = true, .scrolled = true},
                                           Variant{.name = "light", .theme = ThemeName::Light}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace dasgd::gui
