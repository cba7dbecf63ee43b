#include "core/analysis/runs/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/analysis/inflation.h"

namespace dasgd {

namespace {

constexpr std::size_t kMostNamed = 3;  // groups in a warning

struct Gathered {
    ComparedGroup group;
    Settings settings;
    std::vector<const ComparedRun*> finished;
    std::map<std::string, const ComparedRun*> bySeeds;  // for each choice of seeds the run that counts
};

bool countsBefore(const ComparedRun& a, const ComparedRun& b) {
    return std::tie(a.finished, a.startedAt, a.runId) > std::tie(b.finished, b.startedAt, b.runId);
}

std::vector<Gathered> gatherGroups(const std::vector<ComparedRun>& runs) {
    std::vector<std::string> keys;
    std::vector<Gathered> gathered;
    for (const ComparedRun& run : runs) {
        const std::string key = configurationKey(run.settings);
        const auto known = std::find(keys.begin(), keys.end(), key);
        const auto index = static_cast<std::size_t>(known - keys.begin());
        if (known == keys.end()) {
            keys.push_back(key);
            gathered.emplace_back();
            gathered.back().settings = run.settings;
            gathered.back().group.algorithm = run.algorithm;
        }
        Gathered& into = gathered[index];
        into.group.runIds.push_back(run.runId);
        const ComparedRun*& counted = into.bySeeds[seedsOf(run.settings)];
        if (counted) ++into.group.repeated;
        if (!counted || countsBefore(run, *counted)) counted = &run;
    }
    for (Gathered& each : gathered) {
        for (const auto& [seeds, run] : each.bySeeds) {
            if (run->finished) {
                each.finished.push_back(run);
            } else {
                ++each.group.unfinished;
            }
        }
    }
    return gathered;
}

std::vector<double> valuesOf(const Gathered& gathered, const auto& valueOf) {
    std::vector<double> values;
    for (const ComparedRun* run : gathered.finished) {
        const std::optional<double> value = valueOf(*run);
        if (value) values.push_back(*value);
    }
    return values;
}

// "1 of 3 runs of dasgd delay=2"; of several groups how many runs of all, and the first few groups by name.
std::string sharesInWords(const std::vector<const ComparedGroup*>& groups, std::size_t ComparedGroup::*count) {
    std::size_t runs = 0, counted = 0, of = 0;
    std::string first, named;
    for (const ComparedGroup* group : groups) {
        runs += group->finished();
        if (group->*count == 0) continue;
        counted += group->*count;
        const std::string share = std::to_string(group->*count) + " of " + std::to_string(group->finished());
        if (of == 0) first = share + " runs of " + group->label;
        if (of++ < kMostNamed) named += (named.empty() ? "" : ", ") + share + " of " + group->label;
    }
    if (of < 2) return first;
    if (of > kMostNamed) named += " and " + std::to_string(of - kMostNamed) + " more";
    return std::to_string(counted) + " of " + std::to_string(runs) + " runs (" + named + ")";
}
Sample sampleOf(const Gathered& gathered, const auto& valueOf) { return summarise(valuesOf(gathered, valueOf)); }

// Measured runs that agree, such as those that never wait, are repetitions; imported ones may have been simulated.
Sample timesOf(const Gathered& gathered, const auto& valueOf) {
    const bool measured = std::ranges::all_of(gathered.finished, [](const ComparedRun* run) {
        return run->time == TimeSource::Measured || run->time == TimeSource::EmulatedLink;
    });
    const std::vector<double> values = valuesOf(gathered, valueOf);
    return measured ? summarise(values) : summariseTimes(values);
}

TimesToTarget watchedTimes(const Gathered& gathered) {
    std::vector<WatchedTime> watched;
    for (const ComparedRun* run : gathered.finished) {
        const std::optional<double> seconds = run->secondsToTarget ? run->secondsToTarget : run->secondsWithoutTarget;
        if (!seconds) return {};
        watched.push_back({*seconds, run->secondsToTarget.has_value()});
    }
    return timesToTarget(std::move(watched));
}

ComparedGroup reduce(const Gathered& gathered) {
    ComparedGroup group = gathered.group;
    group.chosenOnValidation = !gathered.finished.empty() && choosesOnValidation(gathered.finished.front()->settings);
    group.stepMs = timesOf(gathered, [](const ComparedRun& run) { return run.stepMs; });
    group.finalLoss = sampleOf(gathered, [](const ComparedRun& run) { return run.finalLoss; });
    group.bestAccuracy = sampleOf(gathered, [](const ComparedRun& run) { return run.bestAccuracy; });
    if (!gathered.finished.empty()) group.emulatedLink = gathered.finished.front()->emulatedLink;
    for (const ComparedRun* run : gathered.finished) {
        group.times.insert(run->time);
        group.disturbed += run->disturbed ? 1 : 0;
        group.partlyRead += run->partlyRead ? 1 : 0;
        if (std::ranges::find(group.setups, run->setup) == group.setups.end()) group.setups.push_back(run->setup);
    }
    group.bestLoss = sampleOf(gathered, [](const ComparedRun& run) { return run.bestLoss(); });
    group.bestPerplexity = sampleOf(gathered, [](const ComparedRun& run) { return run.bestPerplexity(); });
    group.skewMs = timesOf(gathered, [](const ComparedRun& run) { return run.skewMs; });
    group.inflation = inflationOfRuns(valuesOf(gathered, [](const ComparedRun& run) { return run.inflation; }));
    group.hidden = timesOf(gathered, [](const ComparedRun& run) { return run.hidden; });
    group.blocked = timesOf(gathered, [](const ComparedRun& run) { return run.blocked; });
    group.samplesPerS = timesOf(gathered, [](const ComparedRun& run) { return run.samplesPerS; });
    group.bytesSent = sampleOf(gathered, [](const ComparedRun& run) { return std::optional(run.bytesSent); });
    group.samples = sampleOf(gathered, [](const ComparedRun& run) { return std::optional(run.samples); });
    group.secondsToTarget = timesOf(gathered, [](const ComparedRun& run) { return run.secondsToTarget; });
    group.timesToTarget = watchedTimes(gathered);
    group.stepsToTarget = sampleOf(gathered, [](const ComparedRun& run) { return run.stepsToTarget; });
    group.samplesToTarget = sampleOf(gathered, [](const ComparedRun& run) { return run.samplesToTarget; });
    group.bytesToTarget = sampleOf(gathered, [](const ComparedRun& run) { return run.bytesToTarget; });
    return group;
}

// Adds the results at the largest number of samples that all runs reached, where not all were trained on as many.
void addEqualSamples(const std::vector<Gathered>& gathered, Comparison& comparison) {
    std::set<double> counts;
    std::vector<const EvaluationCurve*> losses;
    for (const Gathered& each : gathered) {
        for (const ComparedRun* run : each.finished) {
            counts.insert(run->samples);
            losses.push_back(&run->losses);
        }
    }
    comparison.samplesDiffer = counts.size() > 1;
    if (comparison.samplesDiffer) comparison.equalSamples = commonSamples(losses);
    if (!comparison.equalSamples) return;
    const std::int64_t at = *comparison.equalSamples;
    for (std::size_t i = 0; i < gathered.size(); ++i) {
        ComparedGroup& group = comparison.groups[i];
        group.equalLoss = sampleOf(gathered[i], [at](const ComparedRun& run) { return run.losses.at(at); });
        group.equalBestAccuracy = sampleOf(gathered[i], [at](const ComparedRun& run) {
            return choosesOnValidation(run.settings) ? run.chosen.lastUpTo(at) : run.accuracies.largestUpTo(at);
        });
        group.equalBestPerplexity =
            sampleOf(gathered[i], [at](const ComparedRun& run) { return run.bestPerplexityUpTo(at); });
    }
}

bool isNamed(const ComparedGroup& group, const std::string& name) {
    return group.label == name || group.algorithm == name;
}

// The timed group of that name; a label goes before an algorithm, which may be the name of several.
const ComparedGroup* findGroup(const Comparison& comparison, const std::string& name) {
    for (const ComparedGroup& group : comparison.groups) {
        if (group.stepMs.n > 0 && group.label == name) return &group;
    }
    for (const ComparedGroup& group : comparison.groups) {
        if (group.stepMs.n > 0 && isNamed(group, name)) return &group;
    }
    return nullptr;
}

tl::unexpected<Error> noBaseline(const Comparison& comparison, const std::string& name) {
    const bool untimed = std::ranges::any_of(
        comparison.groups, [&](const ComparedGroup& group) { return group.finished() > 0 && isNamed(group, name); });
    return fail(untimed ? "no run of '" + name +
                              "' was timed (evaluations touched every round of it): compare with "
                              "another, or give it fewer evaluations (train.eval_every)"
                        : "no finished run of '" + name + "' to compare with");
}

Sample ratioBetween(const ComparedGroup& group, const ComparedGroup& other, Sample ComparedGroup::*number) {
    const Sample ratio = ratioOf(group.*number, other.*number);
    return &group == &other ? withoutSpread(ratio) : ratio;
}

// Probability that a group and the baseline are equal: over pairs of the same seeds where both have the same, else as
// two independent samples.
std::optional<double> probabilityOf(const Gathered& a, const Gathered& b, const Sample& ofA, const Sample& ofB,
                                    const auto& valueOf) {
    if (!ofA.std || !ofB.std) return std::nullopt;
    std::vector<double> differences;
    for (const auto& [seeds, run] : a.bySeeds) {
        const auto other = b.bySeeds.find(seeds);
        if (!run->finished || other == b.bySeeds.end() || !other->second->finished) continue;
        const std::optional<double> value = valueOf(*run), baseline = valueOf(*other->second);
        if (value && baseline) differences.push_back(*value - *baseline);
    }
    const bool paired = differences.size() == ofA.n && differences.size() == ofB.n;
    const auto p = paired ? pairedP(differences) : std::nullopt;
    return p ? p : welchP(ofA, ofB);
}

void addDifferences(const std::vector<Gathered>& gathered, const ComparedGroup& baseline, Comparison& comparison) {
    const Gathered& base = gathered[static_cast<std::size_t>(&baseline - comparison.groups.data())];
    const auto add = [&](std::optional<double> ComparedGroup::*into, Sample ComparedGroup::*number, const auto& valueOf,
                         bool onlyAllReached = false) {
        std::vector<std::optional<double>> probabilities;
        for (std::size_t i = 0; i < gathered.size(); ++i) {
            const ComparedGroup& group = comparison.groups[i];
            const bool compared =
                &group != &baseline && (!onlyAllReached || (group.allReached() && baseline.allReached()));
            probabilities.push_back(
                compared ? probabilityOf(gathered[i], base, group.*number, baseline.*number, valueOf) : std::nullopt);
        }
        probabilities = holmAdjusted(std::move(probabilities));
        for (std::size_t i = 0; i < gathered.size(); ++i) comparison.groups[i].*into = probabilities[i];
    };
    using Group = ComparedGroup;
    add(&Group::stepP, &Group::stepMs, [](const ComparedRun& run) { return run.stepMs; });
    add(
        &Group::targetP, &Group::secondsToTarget, [](const ComparedRun& run) { return run.secondsToTarget; }, true);
    if (comparison.samplesDiffer) return;
    add(&Group::lossP, &Group::finalLoss, [](const ComparedRun& run) { return run.finalLoss; });
    add(&Group::accuracyP, &Group::bestAccuracy, [](const ComparedRun& run) { return run.bestAccuracy; });
    add(&Group::perplexityP, &Group::bestPerplexity, [](const ComparedRun& run) { return run.bestPerplexity(); });
}

Sample speedUpOf(const ComparedGroup& group, const ComparedGroup& baseline) {
    Sample ratio = ratioOf(baseline.stepMs, group.stepMs);
    if (ratio.n > 0) ratio.n = group.stepMs.n;
    return &group == &baseline ? withoutSpread(ratio) : ratio;
}

Status addRatios(const std::vector<Gathered>& gathered, Comparison& comparison, const std::string& wanted) {
    const ComparedGroup* baseline = findGroup(comparison, wanted.empty() ? "sync_sgd" : wanted);
    if (!baseline && !wanted.empty()) return noBaseline(comparison, wanted);
    const ComparedGroup* compute = findGroup(comparison, "independent");
    for (const ComparedGroup& group : comparison.groups) {
        if (wanted.empty() && findGroup(comparison, "sync_sgd")) break;
        if (!wanted.empty() || group.stepMs.n == 0) continue;
        if (!baseline || group.stepMs.mean > baseline->stepMs.mean) baseline = &group;
    }
    if (!baseline) return {};
    comparison.baseline = baseline->label;
    addDifferences(gathered, *baseline, comparison);
    for (ComparedGroup& group : comparison.groups) {
        if (group.allReached() && baseline->allReached()) {
            group.targetRatio = ratioBetween(group, *baseline, &ComparedGroup::secondsToTarget);
        }
        if (group.stepMs.n == 0) continue;
        group.isBaseline = &group == baseline;
        group.isComputeBase = &group == compute;
        group.stepRatio = ratioBetween(group, *baseline, &ComparedGroup::stepMs);
        group.speedUp = speedUpOf(group, *baseline);
        if (compute) group.computeRatio = ratioBetween(group, *compute, &ComparedGroup::stepMs);
    }
    return {};
}

}  // namespace

std::optional<double> ComparedRun::bestLossUpTo(std::int64_t trained) const {
    const bool byAccuracy = !accuracies.empty() && !language;
    if (byAccuracy) return std::nullopt;
    if (choosesOnValidation(settings)) return chosenLosses.lastUpTo(trained);
    return language ? losses.smallestUpTo(trained) : std::nullopt;
}

std::optional<double> ComparedRun::bestPerplexityUpTo(std::int64_t trained) const {
    const auto loss = language ? bestLossUpTo(trained) : std::nullopt;
    return loss ? std::optional(std::exp(*loss)) : std::nullopt;
}

std::set<TimeSource> Comparison::times() const {
    std::set<TimeSource> all;
    for (const ComparedGroup& group : groups) all.insert(group.times.begin(), group.times.end());
    return all;
}

std::vector<SetupDifference> Comparison::setupDifferences() const {
    std::vector<const RunSetup*> setups;
    for (const ComparedGroup& group : groups) {
        for (const RunSetup& setup : group.setups) setups.push_back(&setup);
    }
    return dasgd::setupDifferences(setups);
}

std::string disturbedInWords(const std::vector<const ComparedGroup*>& groups) {
    const std::string runs = sharesInWords(groups, &ComparedGroup::disturbed);
    if (runs.empty()) return {};
    return "other programs took cores beside " + runs + ": these times are not of the machine alone";
}

std::string partlyReadInWords(const std::vector<const ComparedGroup*>& groups) {
    const std::string runs = sharesInWords(groups, &ComparedGroup::partlyRead);
    if (runs.empty()) return {};
    return runs + " were read in part, as their files are damaged: their numbers are of what could be read";
}

bool ComparedGroup::hasOneDraw() const {
    return times.contains(TimeSource::Simulated) &&
           std::ranges::any_of(std::initializer_list<const Sample*>{&stepMs, &hidden, &blocked, &skewMs, &inflation,
                                                                    &samplesPerS, &secondsToTarget},
                               [](const Sample* sample) { return isOneDraw(*sample); });
}

Result<Comparison> compareRuns(const std::vector<ComparedRun>& runs, const std::string& baseline) {
    const std::vector<Gathered> gathered = gatherGroups(runs);
    std::vector<Settings> settings;
    settings.reserve(gathered.size());
    for (const Gathered& each : gathered) settings.push_back(each.settings);
    const std::vector<std::string> labels = labelConfigurations(settings);
    Comparison comparison;
    for (std::size_t i = 0; i < gathered.size(); ++i) {
        comparison.groups.push_back(reduce(gathered[i]));
        comparison.groups.back().label = labels[i];
    }
    addEqualSamples(gathered, comparison);
    DASGD_TRY(addRatios(gathered, comparison, baseline));
    return comparison;
}

}  // namespace dasgd
