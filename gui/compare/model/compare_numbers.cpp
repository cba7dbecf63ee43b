#include "gui/compare/model/compare_numbers.h"

#include <algorithm>
#include <cmath>

#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

std::optional<double> times(const std::optional<double>& value, double scale) {
    return value ? std::optional(*value * scale) : std::nullopt;
}

constexpr double kPercent = 100, kMega = 1e-6, kMilli = 1e3;

}  // namespace

QString NumberWords::text() const {
    const QString words = QString::fromUtf8(title);
    return unit[0] == '\0' ? words : QStringLiteral("%1 [%2]").arg(words, QString::fromUtf8(unit));
}

const std::vector<NumberWords>& compareNumbers() {
    static const std::vector<NumberWords> kNumbers{
        {CompareNumber::FinalLoss, "final loss", "", "final loss", true, false, &ComparedGroup::finalLoss, 1,
         &ComparedGroup::lossP},
        {CompareNumber::BestAccuracy, "best accuracy", "%", "best accuracy %", false, false,
         &ComparedGroup::bestAccuracy, kPercent, &ComparedGroup::accuracyP},
        {CompareNumber::StepMs, "time per step", "ms", "ms/step", true, true, &ComparedGroup::stepMs, 1,
         &ComparedGroup::stepP},
        {CompareNumber::SecondsToTarget, "time to target", "s", "s to target", true, true,
         &ComparedGroup::secondsToTarget, 1, &ComparedGroup::targetP},
        {CompareNumber::Hidden, "hidden", "%", "hidden %", false, false, &ComparedGroup::hidden, kPercent},
        {CompareNumber::Blocked, "blocked", "%", "blocked %", true, false, &ComparedGroup::blocked, kPercent},
        {CompareNumber::MegabytesSent, "sent by all ranks", "MB", "sent MB", true, false, &ComparedGroup::bytesSent,
         kMega},
        {CompareNumber::SamplesPerS, "samples/s", "", "samples/s", false, true, &ComparedGroup::samplesPerS},
        {CompareNumber::SpeedUp, "speed-up", "×", "speed-up ×", false, true, &ComparedGroup::speedUp},
        {CompareNumber::Skew, "skew", "ms", "skew ms", true, true, &ComparedGroup::skewMs},
        {CompareNumber::Inflation, "inflation", "", "inflation", true, false, &ComparedGroup::inflation},
        {CompareNumber::Samples, "samples", "", "samples", false, false, &ComparedGroup::samples}};
    return kNumbers;
}

const NumberWords& wordsOf(CompareNumber number) {
    const auto& all = compareNumbers();
    return *std::find_if(all.begin(), all.end(), [number](const NumberWords& one) { return one.number == number; });
}

std::optional<double> numberOf(const RunItem& run, CompareNumber number,
                               const std::map<std::string, double>& secondsToTarget) {
    const storage::RunRow& row = run.row;
    if (row.status != "finished") return std::nullopt;
    switch (number) {
        case CompareNumber::FinalLoss: return row.finalLoss;
        case CompareNumber::BestAccuracy: return times(row.bestAccuracy, kPercent);
        case CompareNumber::StepMs: return row.stepMs;
        case CompareNumber::Hidden: return times(row.hidden, kPercent);
        case CompareNumber::Blocked: return times(row.blocked(), kPercent);
        case CompareNumber::MegabytesSent: return static_cast<double>(row.bytesSent) * kMega;
        case CompareNumber::SamplesPerS: return row.samplesPerS;
        case CompareNumber::SpeedUp: return std::nullopt;
        case CompareNumber::Skew: return times(row.skewS, kMilli);
        case CompareNumber::Inflation: return row.inflation;
        case CompareNumber::Samples: return static_cast<double>(row.samples);
        case CompareNumber::SecondsToTarget: {
            const auto found = secondsToTarget.find(row.runId);
            return found == secondsToTarget.end() ? std::nullopt : std::optional(found->second);
        }
    }
    return std::nullopt;
}

Sample sampleOf(const ComparedGroup& group, CompareNumber number) {
    const Sample sample = scaled(group.*wordsOf(number).sample, wordsOf(number).scale);
    return number == CompareNumber::SpeedUp && sample.n < 3 ? withoutSpread(sample) : sample;  // spreadOfRatio()
}

Sample drawnSampleOf(const ComparedGroup& group, CompareNumber number) {
    if (number == CompareNumber::SecondsToTarget && !group.allReached()) return {};
    return sampleOf(group, number);
}

std::optional<double> probabilityOf(const ComparedGroup& group, CompareNumber number) {
    const auto p = wordsOf(number).p;
    return p ? group.*p : std::nullopt;
}

QString ratioInWords(const Sample& ratio, Spread spread, bool ofItself) {
    if (ratio.n == 0) return kAbsent;
    if (const auto half = spreadOfRatio(ratio, spread)) return withSpread(ratio.mean, *half);
    const bool few = ratio.n < 3 && !ofItself && spread != Spread::None;
    return shortNumber(ratio.mean, 3) + (few ? QStringLiteral(" (n = %1)").arg(ratio.n) : QString());
}

QString reachedInWords(std::size_t reached, std::size_t finished, const QString& seconds) {
    return QStringLiteral("reached by %1 of %2 finished: %3 s").arg(reached).arg(finished).arg(seconds);
}

QString numberInWords(const ComparedGroup& group, CompareNumber number, Spread spread) {
    const Sample sample = sampleOf(group, number);
    const QString words = spreadInWords(sample, spread);
    if (sample.n == 0 || drawnSampleOf(group, number).n > 0) return words;
    return reachedInWords(sample.n, group.finished(), words);
}

}  // namespace dasgd::gui
