// Frame times of the timeline by number of spans, all of them in the window: merging (reader's thread) and painting
// (UI thread), medians. Not a test: prints figures.
#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <algorithm>
#include <cstdio>
#include <vector>

#include "gui/models/timeline/span_cache.h"
#include "gui/timeline/timeline_painter.h"

namespace {

using namespace dasgd;
using namespace dasgd::gui;

constexpr int kRanks = 4;
constexpr int kPerStep = 5;  // forward, backward, update, reduce, merge

std::vector<storage::SpanRow> spansOf(std::size_t count) {
    std::vector<storage::SpanRow> spans;
    const SpanKind kinds[] = {SpanKind::Forward, SpanKind::Backward, SpanKind::Update, SpanKind::Reduce,
                              SpanKind::Merge};
    for (std::size_t i = 0; i < count / kRanks; ++i) {
        for (int rank = 0; rank < kRanks; ++rank) {
            const SpanKind kind = kinds[i % kPerStep];
            const Ns start = static_cast<Ns>(i) * 1'000'000 + rank * 40'000;
            spans.push_back({rank,
                             {.lane = kind == SpanKind::Reduce ? Lane::Comm : Lane::Compute,
                              .kind = kind,
                              .step = static_cast<std::int64_t>(i / kPerStep),
                              .start = start,
                              .end = start + 900'000,
                              .bytes = 1000,
                              .collective = i / kPerStep + 1}});
        }
    }
    return spans;
}

double medianMs(int times, const std::function<void()>& what) {
    std::vector<double> took;
    for (int i = 0; i < times; ++i) {
        QElapsedTimer timer;
        timer.start();
        what();
        took.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    std::sort(took.begin(), took.end());
    return took[took.size() / 2];
}

void measure(std::size_t count) {
    const std::vector<storage::SpanRow> all = spansOf(count);
    SpanCache cache;
    cache.reset(kRanks);
    cache.grown(all.back().span.end, false);
    const TimeRange range{0, all.back().span.end};
    const auto fetch = [&](TimeRange wanted) -> Result<std::vector<storage::SpanRow>> {
        std::vector<storage::SpanRow> out;
        const auto first = std::lower_bound(all.begin(), all.end(), wanted.start,
                                            [](const storage::SpanRow& row, Ns t) { return row.span.end < t; });
        for (auto at = first; at != all.end() && at->span.start <= wanted.end; ++at) out.push_back(*at);
        return out;
    };
    if (!cache.load(range, fetch, std::chrono::minutes(1)).value()) return;
    const QSizeF size(1330, 330);
    QImage image(size.toSize(), QImage::Format_ARGB32_Premultiplied);
    const Theme theme = loadTheme(ThemeName::Dark);
    const auto both = [&](TimeRange window) {
        const double nsPerPixel = static_cast<double>(window.end - window.start) / (size.width() - 96);
        TimelineFrame frame;
        const double merging = medianMs(9, [&] { frame = cache.frame(window, nsPerPixel); });
        const TimelineLayout layout(frame.rows, QRectF(QPointF(), size));
        const double painting = medianMs(9, [&] {
            image.fill(theme.panel);
            QPainter painter(&image);
            paintTimeline(painter, frame, layout, {window, layout.plot().left(), layout.plot().width()},
                          screenStyle(theme));
        });
        std::printf("%9zu spans, %7zu in the window: %6zu boxes, merge %7.2f ms, paint %6.2f ms\n", count, frame.spans,
                    frame.boxes.size(), merging, painting);
    };
    both(range);
    both({range.end / 2, range.end / 2 + 600'000'000});
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    installFonts();
    for (const std::size_t count : {10'000, 100'000, 1'000'000}) measure(count);
    return 0;
}
