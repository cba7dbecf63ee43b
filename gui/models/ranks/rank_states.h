// The ranks of a run one by one: what was timed of each, and what each does just now.
#pragma once

#include <QString>
#include <optional>
#include <span>
#include <vector>

#include "gui/models/ranks/silence.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

// Of the newest spans, as they are: start-up counts, and no clean window is needed. Evaluations and checkpoints are
// left out with what they disturb, the time until the rank's next collective begins: what was under way arrived for
// free.
struct RankNow {
    int rank = 0;
    double seconds = 0;            // that the numbers are of
    std::optional<double> hidden;  // |∪ transfer ∩ ∪ compute| ÷ |∪ transfer|; absent where nothing was transferred
    double blocked = 0;            // |∪ wait| ÷ time
    std::optional<double> skewMs;     // mean of a collective; absent where none was divided
    std::optional<double> computeMs;  // of a step
    // Over whole rounds, from one launch of a collective to another: a part of a round may have none of its waits in
    // it. Over whole steps where no two were launched; absent where those are fewer than two, or are a part of the
    // first round of training or after an evaluation.
    std::optional<double> stepsPerS;
    double rateSeconds = 0;         // that they are of
    bool wholeRounds = false;       // they are, and not of whole steps
    bool trains = false;            // it has made steps
    bool isPart = false;            // nothing is known of before: training began then, or an evaluation came between
    std::optional<SpanKind> pause;  // the newest evaluation or checkpoint since training began; absent without one
};

// `spans` of any ranks, that touch `recent`. Ranks of which nothing is left are not in the answer.
[[nodiscard]] std::vector<RankNow> ranksNow(std::span<const RankSpan> spans, TimeRange recent);
// Whether spans of before would tell a rate of each rank, which is over whole rounds where a run has any.
[[nodiscard]] bool needsMore(const std::vector<RankNow>& ranks, bool hasRounds);
// Whether spans of before `part` would tell nothing more of the ranks that `whole`, which has those too, tells of.
[[nodiscard]] bool tellsAsMuch(const std::vector<RankNow>& part, const std::vector<RankNow>& whole, bool hasRounds);
// Of a run that communicates: steps between which nothing was waited for are faster than any round. Takes their rates
// away.
void forgetRatesOfSteps(std::vector<RankNow>& ranks);
// Of all ranks together, `batch` of each a step; absent while one that trains has no rate yet.
[[nodiscard]] std::optional<double> samplesNow(const std::vector<RankNow>& ranks, double batch);
// Over the ranks, pooled by time, as of a run; absent where nothing was transferred.
[[nodiscard]] std::optional<double> hiddenNow(std::span<const RankSpan> spans, TimeRange recent);

struct RankStates {
    QString runId;
    std::vector<storage::RankRow> timed;  // by rank; empty until the run's first clean window
    std::vector<RankNow> now;             // by rank; empty once the run has ended
    std::optional<double> hidden;         // of all of them, now
    std::optional<double> samplesPerS;    // the same: the sum of those whose rate is known; absent where none is
    double rateSeconds = 0;               // that samplesPerS is of, of the rank where that is longest
    double seconds = 0;                   // how far back `now` reaches
    bool hasRounds = true;                // its ranks communicate
    LastHeardOfRanks heard;               // since one looks; empty once the run has ended
    std::optional<Straggler> straggler;   // of the newest spans, of an ended run too; absent where it is noise
};

}  // namespace dasgd::gui
