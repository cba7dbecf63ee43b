// What a recorded metric is called in the window, and how it is drawn unless one asks for something else.
#pragma once

#include <QString>
#include <QStringList>
#include <string>
#include <vector>

namespace dasgd::gui {

struct MetricWords {
    QString title;     // "Test accuracy"
    QString axis;      // with its unit: "test accuracy [%]"
    double scale = 1;  // from the recorded value to the axis
    bool logY = false;
    bool fromZero = false;
    bool share = false;   // of a whole: within 0 to 100 on the axis
    bool smooth = false;  // many noisy values: drawn as a moving average, the values behind it
    bool byRank = false;  // each rank records its own, or that of its host
};

// Any name; one that storage/format.md does not have is made into words.
[[nodiscard]] MetricWords wordsOf(const std::string& metric);

// "rank 2", or of what is recorded of hosts "host of rank 2"; of −1 "all ranks", or "host".
[[nodiscard]] QString whose(const std::string& metric, int rank);

// The order in which metrics are offered: test accuracy, losses, perplexity, throughput, what else the engine records,
// the algorithm's own, and single weights last. Numbers in names count as numbers.
[[nodiscard]] std::vector<std::string> offered(std::vector<std::string> metrics);

}  // namespace dasgd::gui
