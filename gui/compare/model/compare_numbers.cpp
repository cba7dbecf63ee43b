#include "gui/compare/model/compare_numbers.h"

#include <algorithm>
#include <cmath>

#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

Sample scaled(Sample sample, double scale) {
    sample.mean *= scale;
    if (sample.std) *sample.std *= scale;
    if (sample.confidence) *sample.confidence *= scale;
    return sample;
}

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
        {CompareNumber::FinalLoss, "final loss", "", "final loss", true, false},
        {CompareNumber::BestAccuracy, "best accuracy", "%", "best accuracy %", false, false},
        {CompareNumber::StepMs, "time per step", "ms", "ms/step", true, true},
        {CompareNumber::SecondsToTarget, "time to target", "s", "s to target", true, true},
        {CompareNumber::Hidden, "hidden", "%", "hidden %", false, false},
        {CompareNumber::Blocked, "blocked", "%", "blocked %", true, false},
        {CompareNumber::MegabytesSent, "sent by all ranks", "MB", "sent MB", true, false},
        {CompareNumber::SamplesPerS, "samples/s", "", "samples/s", false, true},
        {CompareNumber::SpeedUp, "speed-up", "×", "speed-up ×", false, true},
        {CompareNumber::Skew, "skew", "ms", "skew ms", true, true},
        {CompareNumber::Inflation, "inflation", "", "inflation", true, false},
        {CompareNumber::Samples, "samples", "", "samples", false, false}};
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

Sample inPercent(const Sample& share) { return scaled(share, kPercent); }

Sample sampleOf(const ComparedGroup& group, CompareNumber number) {
    switch (number) {
        case CompareNumber::FinalLoss: return group.finalLoss;
        case CompareNumber::BestAccuracy: return inPercent(group.bestAccuracy);
        case CompareNumber::StepMs: return group.stepMs;
        case CompareNumber::SecondsToTarget: return group.secondsToTarget;
        case CompareNumber::Hidden: return inPercent(group.hidden);
        case CompareNumber::Blocked: return inPercent(group.blocked);
        case CompareNumber::MegabytesSent: return scaled(group.bytesSent, kMega);
        case CompareNumber::SamplesPerS: return group.samplesPerS;
        case CompareNumber::SpeedUp: return group.speedUp;
        case CompareNumber::Skew: return group.skewMs;
        case CompareNumber::Inflation: return group.inflation;
        case CompareNumber::Samples: return group.samples;
    }
    return {};
}

Sample drawnSampleOf(const ComparedGroup& group, CompareNumber number) {
    if (number == CompareNumber::SecondsToTarget && !group.allReached()) return {};
    return sampleOf(group, number);
}

std::optional<double> probabilityOf(const ComparedGroup& group, CompareNumber number) {
    switch (number) {
        case CompareNumber::FinalLoss: return group.lossP;
        case CompareNumber::BestAccuracy: return group.accuracyP;
        case CompareNumber::StepMs: return group.stepP;
        case CompareNumber::SecondsToTarget: return group.targetP;
        default: return std::nullopt;
    }
}

std::optional<double> spreadOf(const Sample& sample, Spread spread) {
    return spread == Spread::Interval ? sample.confidence : spread == Spread::Deviation ? sample.std : std::nullopt;
}

QString withSpread(double mean, double half) {
    // A half width beginning with 1 or 2 gets two digits, others one.
    const double size = std::abs(half);
    if (!(size > 0)) return shortNumber(mean) + QStringLiteral(" ± 0");
    const double power = std::floor(std::log10(size));
    const int digits = size / std::pow(10.0, power) < 3 ? 1 : 0;
    const int decimals = std::clamp(digits - static_cast<int>(power), 0, 8);
    const auto text = [&](double value) {
        return std::abs(value) >= 1e6 ? shortNumber(value) : QString::number(value, 'f', decimals);
    };
    return text(mean) + QStringLiteral(" ± ") + text(size);
}

QString spreadInWords(const Sample& sample, Spread spread) {
    if (sample.n == 0) return kAbsent;
    const auto half = spreadOf(sample, spread);
    return half ? withSpread(sample.mean, *half) : shortNumber(sample.mean);
}

QString ratioInWords(const Sample& ratio, Spread spread, bool ofItself) {
    if (ratio.n == 0) return kAbsent;
    if (const auto half = spreadOf(ratio, spread)) return withSpread(ratio.mean, *half);
    const bool single = ratio.n == 1 && !ofItself && spread != Spread::None;
    return shortNumber(ratio.mean, 3) + (single ? QStringLiteral(" (n = 1)") : QString());
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

QString spreadName(Spread spread) {
    switch (spread) {
        case Spread::Interval: return QStringLiteral("95 % interval");
        case Spread::Deviation: return QStringLiteral("standard deviation");
        case Spread::None: return QStringLiteral("no spread");
    }
    return {};
}

}  // namespace dasgd::gui
