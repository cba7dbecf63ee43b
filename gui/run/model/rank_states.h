// State of each rank of a run: its timings, and its present activity.
#pragma once

#include <QString>
#include <optional>
#include <span>
#include <vector>

#include "gui/run/model/silence.h"
#include "storage/read/run_reader.h"

namespace dasgd::gui {

// Activity of a rank in its newest spans: start-up counts, and no clean window is needed. Evaluations and checkpoints
// are left out, with the time until the rank's next collective begins, as transfers under way arrived during them at no
// cost.
struct RankNow {
    int rank = 0;
    double seconds = 0;               // time that the numbers cover
    std::optional<double> hidden;     // |∪ transfer ∩ ∪ compute| ÷ |∪ transfer|; absent without a transfer
    double blocked = 0;               // |∪ wait| ÷ time
    std::optional<double> skewMs;     // mean per collective; absent if none was divided
    std::optional<double> computeMs;  // mean per step
    // Over whole rounds, from one launch of a collective to another, as part of a round may lack its waits. Over whole
    // steps if no two were launched; absent with fewer than two steps, or if these are only part of the first round of
    // training or of the one after an evaluation.
    std::optional<double> stepsPerS;
    double rateSeconds = 0;         // time that stepsPerS covers
    bool wholeRounds = false;       // stepsPerS covers whole rounds, not steps
    bool trains = false;            // it has computed steps
    bool isPart = false;            // the time before is not covered: training began then, or an evaluation ended
    std::optional<SpanKind> pause;  // newest evaluation or checkpoint since training began; absent without one
};

// `spans`: all that touch `recent`, of any ranks. Ranks without clean time are left out.
[[nodiscard]] std::vector<RankNow> ranksNow(std::span<const RankSpan> spans, TimeRange recent);
// True if earlier spans would add a rate of some rank, which is over whole rounds if the run has any.
[[nodiscard]] bool needsMore(const std::vector<RankNow>& ranks, bool hasRounds);
// True if `part` says as much about the ranks as `whole`, which also covers earlier spans.
[[nodiscard]] bool tellsAsMuch(const std::vector<RankNow>& part, const std::vector<RankNow>& whole, bool hasRounds);
// Removes rates over steps, for a run that communicates: steps between two waits are faster than a round.
void forgetRatesOfSteps(std::vector<RankNow>& ranks);
// Samples per second of all ranks, `batch` per step of each; absent while a training rank has no rate yet.
[[nodiscard]] std::optional<double> samplesNow(const std::vector<RankNow>& ranks, double batch);
// Hidden fraction over all ranks, pooled by time as for a run; absent without a transfer.
[[nodiscard]] std::optional<double> hiddenNow(std::span<const RankSpan> spans, TimeRange recent);

struct RankStates {
    QString runId;
    std::vector<storage::RankRow> timed;  // by rank; empty until the first clean window of the run
    std::vector<RankNow> now;             // by rank; empty once the run has ended
    std::optional<double> hidden;         // of all ranks in the newest spans
    std::optional<double> samplesPerS;    // sum over the ranks whose rate is known; absent if none is
    double rateSeconds = 0;               // time that samplesPerS covers, of the rank with the longest
    double seconds = 0;                   // length of the stretch that `now` covers
    bool hasRounds = true;                // its ranks communicate
    LastHeardOfRanks heard;               // since the view was opened; empty once the run has ended
    std::optional<Straggler> straggler;   // in the newest spans, also of an ended run; absent if it is noise
};

}  // namespace dasgd::gui
