#include "gui/timeline/model/overview_picture.h"

#include <algorithm>
#include <cmath>

namespace dasgd::gui {

OverviewPicture makeOverview(TimeRange range, double nsPerPixel) {
    OverviewPicture picture{.range = range, .nsPerPixel = nsPerPixel};
    picture.width = std::max(1, static_cast<int>(std::ceil(static_cast<double>(range.end - range.start) / nsPerPixel)));
    return picture;
}

void addTo(OverviewPicture& picture, const TimelineFrame& frame) {
    picture.spans += frame.spans;
    for (const TimelineRow& row : frame.rows) picture.ranks = std::max(picture.ranks, row.rank + 1);
    const auto width = static_cast<std::size_t>(picture.width);
    picture.rgba.resize(width * static_cast<std::size_t>(picture.ranks));
    const auto columnOf = [&](Ns t) {
        return static_cast<int>(static_cast<double>(t - picture.range.start) / picture.nsPerPixel);
    };
    for (const TimelineBox& box : frame.boxes) {
        const TimelineRow& row = frame.rows[static_cast<std::size_t>(box.row)];
        if (row.lane != Lane::Compute) continue;
        const int first = std::clamp(columnOf(box.span.start), 0, picture.width - 1);
        const int last = std::clamp(columnOf(box.span.end), first + 1, picture.width);
        auto* line = picture.rgba.data() + width * static_cast<std::size_t>(row.rank);
        std::fill(line + first, line + last, 0xff000000U | box.rgb);
    }
}

}  // namespace dasgd::gui
