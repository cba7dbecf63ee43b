// The timeline of a figure, read from the store: of one run, or of several runs below each other.
#pragma once

#include <span>

#include "gui/figures/content/figure_content.h"

namespace dasgd::gui {

// Reads the timeline of the first run that recorded a reduction; if none did, of the first run. With
// FigureSpec::eachRun the first run of every configuration that recorded spans has rows of its own, on one axis whose
// zero is the beginning of a step of its steady state; all windows are as long as the shortest. Any thread. Errors: a
// store that cannot be read.
[[nodiscard]] Status readTimelines(storage::WorkspaceReader& reader, const FigureSpec& spec,
                                   std::span<const RunItemPtr> runs, std::span<const RunItemPtr> all,
                                   FigureContent& into);
inline constexpr std::size_t kMostTimelines = 8;

// A timeline of a run and the name of its rows.
struct NamedTimeline {
    QString name;
    TimelineContent content;
};
// Puts timelines of windows of one length below each other, each from time zero.
[[nodiscard]] TimelineContent joined(std::vector<NamedTimeline> parts);

}  // namespace dasgd::gui
