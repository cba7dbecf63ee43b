// A picture of a whole run: the compute lane of each rank as a line of pixels. Pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gui/data/spans/span_merge.h"

namespace dasgd::gui {

struct OverviewPicture {
    std::string runId;
    TimeRange range{};
    double nsPerPixel = 1;
    int width = 0, ranks = 0;         // pixels, lines
    std::vector<std::uint32_t> rgba;  // by rank, then column: 0xffRRGGBB, 0 where the rank did nothing
    std::size_t spans = 0;            // number of spans in it, of all lanes
    bool complete = true;             // false: part of the run is not read yet
};
using OverviewPicturePtr = std::shared_ptr<const OverviewPicture>;

// An empty picture.
[[nodiscard]] OverviewPicture makeOverview(TimeRange range, double nsPerPixel);
// Draws the compute lanes of a frame with the same range, each at its rank; a frame may hold only some ranks.
void addTo(OverviewPicture& picture, const TimelineFrame& frame);

}  // namespace dasgd::gui
