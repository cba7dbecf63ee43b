#include "gui/run/model/silence.h"

#include <QStringList>
#include <algorithm>
#include <vector>

#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr double kLeastSilenceS = 5, kStepsOfSilence = 10;
constexpr std::size_t kNamed = 3;
// Ranks that stop within this fraction of a step have a common cause, and none was first.
constexpr double kTogetherSteps = 0.1;

struct Silent {
    int rank = 0;
    LastHeard last;
};

QString afterWhat(const LastHeard& last) {
    return QStringLiteral("after %1 of step %2").arg(QString::fromUtf8(nameOf(last.kind).data())).arg(last.step);
}

// Whole seconds, as the text is updated once a second.
QString secondsOf(Ns age) { return QStringLiteral("%1\u00a0s").arg(age / 1'000'000'000); }

QString first(const std::vector<Silent>& silent, double stepS) {
    if (silent.size() < 2) return QStringLiteral(", ") + afterWhat(silent.front().last);
    const Ns before = silent[1].last.end - silent[0].last.end;
    if (static_cast<double>(before) < kTogetherSteps * stepS * 1e9)
        return QStringLiteral("; the ranks fell silent together");
    return QStringLiteral("; rank %1 fell silent first, %2 before the next, %3")
        .arg(silent[0].rank)
        .arg(durationInWords(before).text(), afterWhat(silent[0].last));
}

}  // namespace

void hear(LastHeardOfRanks& heard, std::span<const RankSpan> spans) {
    for (const auto& [rank, span] : spans) {
        LastHeard& last = heard[rank];
        if (span.end > last.end) last = {span.kind, span.step, span.end};
    }
}

QString silenceInWords(const LastHeardOfRanks& heard, Ns now, double stepS) {
    const auto least = static_cast<Ns>(std::max(kLeastSilenceS, kStepsOfSilence * stepS) * 1e9);
    std::vector<Silent> silent;
    for (const auto& [rank, last] : heard) {
        if (now - last.end >= least) silent.push_back({rank, last});
    }
    if (silent.empty()) return {};
    std::ranges::stable_sort(silent, {}, [](const Silent& one) { return one.last.end; });
    if (silent.size() == heard.size())
        return QStringLiteral("nothing was recorded for %1").arg(secondsOf(now - silent.back().last.end)) +
               first(silent, stepS);
    QStringList words;
    for (const Silent& one : std::span(silent).first(std::min(kNamed, silent.size()))) {
        words << QStringLiteral("rank %1 is silent for %2, %3")
                     .arg(one.rank)
                     .arg(secondsOf(now - one.last.end), afterWhat(one.last));
    }
    if (silent.size() > kNamed) words << QStringLiteral("and %1 more ranks").arg(silent.size() - kNamed);
    return words.join(QStringLiteral("; "));
}

}  // namespace dasgd::gui
