// How long this machine took for the steps of finished runs, by their settings. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/runs/configuration.h"
#include "storage/runs/run_row.h"

namespace dasgd::experiments {

// Seconds since 1970 of "2026-11-25T11:35:25.123Z"; nullopt for other texts.
[[nodiscard]] std::optional<double> instantOf(const std::string& iso);

// Identifies the settings that the time of a step depends on: all but seeds, name and length of training.
[[nodiscard]] std::string stepKey(Settings settings);

// Mean time of a step, evaluations and start-up included; of a simulated run the time that simulating it took. Settings
// count as the same up to seeds, name and length of training.
class EarlierSteps {
public:
    explicit EarlierSteps(const std::vector<storage::RunRow>& rows);

    struct Mean {
        double sum = 0;
        int count = 0;
        const storage::RunRow* newest = nullptr;  // of the rows that the constructor was given
        [[nodiscard]] std::optional<double> value() const {
            return count > 0 ? std::optional(sum / count) : std::nullopt;
        }
    };
    // Over the runs that finished with these settings.
    [[nodiscard]] Mean ofSettings(const Settings& settings) const;
    // Mean over the run itself if it trains; else over those that finished with its settings, else over those of its
    // series.
    [[nodiscard]] std::optional<double> secondsOf(const storage::RunRow& row) const;

private:
    std::map<std::string, Mean> ofConfiguration_, ofSeries_;
};

}  // namespace dasgd::experiments
