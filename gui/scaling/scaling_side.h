// Scaling of configurations with the number of workers: throughput, efficiency and time to a target, for measured and
// simulated runs in one plot, and the runs behind every point.
#pragma once

class QWidget;

namespace dasgd::gui {

struct PageContext;

// `context` outlives the widget.
[[nodiscard]] QWidget* makeScalingSide(PageContext& context);

}  // namespace dasgd::gui
