// What each rank computed from the beginning of a run to its end, a line of pixels a rank. Pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gui/models/timeline/span_merge.h"

namespace dasgd::gui {

struct OverviewPicture {
    std::string runId;
    TimeRange range{};
    double nsPerPixel = 1;
    int width = 0, ranks = 0;         // pixels, lines
    std::vector<std::uint32_t> rgba;  // by rank, then column: 0xffRRGGBB, 0 where a rank did nothing
    std::size_t spans = 0;            // that are in it, of all lanes
    bool complete = true;             // false: more is still being read
};
using OverviewPicturePtr = std::shared_ptr<const OverviewPicture>;

// Without a rank in it yet.
[[nodiscard]] OverviewPicture makeOverview(TimeRange range, double nsPerPixel);
// Draws the compute lanes of a frame of the same range, rank by its number; a frame may have the boxes of some ranks.
void addTo(OverviewPicture& picture, const TimelineFrame& frame);

}  // namespace dasgd::gui
