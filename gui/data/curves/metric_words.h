// Title of a recorded metric in the window, and how it is drawn by default.
#pragma once

#include <QString>
#include <QStringList>
#include <string>
#include <vector>

namespace dasgd::gui {

struct MetricWords {
    QString title;     // "Test accuracy"
    QString axis;      // with its unit: "test accuracy [%]"
    double scale = 1;  // factor from the recorded value to the axis
    bool logY = false;
    bool fromZero = false;
    bool share = false;   // a fraction of a whole: 0 to 100 on the axis
    bool smooth = false;  // many noisy values: drawn as a moving average, with the values behind it
    bool byRank = false;  // each rank records its own value, or that of its host
};

// Accepts any name; one that storage/format.md does not list is split into words.
[[nodiscard]] MetricWords wordsOf(const std::string& metric);

// "rank 2", or "host of rank 2" for metrics of hosts; −1 gives "all ranks" or "host".
[[nodiscard]] QString whose(const std::string& metric, int rank);

// The order in which metrics are offered: test accuracy, losses, perplexity, throughput, other metrics of the engine,
// those of the algorithm, single weights. Numbers in names are ordered as numbers.
[[nodiscard]] std::vector<std::string> offered(std::vector<std::string> metrics);

}  // namespace dasgd::gui
