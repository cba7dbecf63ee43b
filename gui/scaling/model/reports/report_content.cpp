#include "gui/scaling/model/reports/report_content.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/cost/step_time.h"
#include "gui/compare/model/compare_numbers.h"
#include "gui/data/runs/run_config.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

// Limits on the deviation of a fit, above which forecasts are wrong. Training uses the longest transfers.
constexpr double kMostLongestOff = 0.2, kMostWorstOff = 0.5;

std::optional<double> numberOf(const QJsonObject& object, const char* key) {
    const QJsonValue value = object[QLatin1String(key)];
    return value.isDouble() ? std::optional(value.toDouble()) : std::nullopt;
}
QString textOf(const QJsonObject& object, const char* key) { return object[QLatin1String(key)].toString(); }

QString shownNumber(std::optional<double> value, double scale = 1, int digits = 4) {
    return value ? shortNumber(*value * scale, digits) : kAbsent;
}
QString shownShare(std::optional<double> share) { return share ? percent(share) + QStringLiteral(" %") : kAbsent; }
// "12.3 ± 0.4 (n = 3)"; a single value has no spread.
QString shownMean(const QJsonValue& value) {
    const QJsonObject object = value.toObject();
    const auto mean = numberOf(object, "mean"), spread = numberOf(object, "std");
    if (!mean) return kAbsent;
    const int count = object[QLatin1String("n")].toInt();
    const QString around = spread ? QStringLiteral(" ± ") + shortNumber(*spread, 2) : QString();
    return shortNumber(*mean, 4) + around + QStringLiteral("  (n = %1)").arg(count);
}

// Mean time to target of a point's runs; says so if not all of them reached it.
QString shownTimeToTarget(const QJsonObject& point) {
    const QJsonObject seconds = point[QLatin1String("s_to_target")].toObject();
    const auto reached = static_cast<std::size_t>(seconds[QLatin1String("n")].toInt());
    const auto finished = static_cast<std::size_t>(point[QLatin1String("runs")].toArray().size());
    if (reached == 0) return finished > 0 ? QStringLiteral("not reached") : kAbsent;
    if (reached >= finished) return shownMean(seconds);
    const auto spread = numberOf(seconds, "std");
    return reachedInWords(reached, finished,
                          shownNumber(numberOf(seconds, "mean")) +
                              (spread ? QStringLiteral(" ± ") + shortNumber(*spread, 2) : QString()));
}

LinkCost linkOf(const QJsonObject& result) {
    return {.alpha = numberOf(result, "latency_s").value_or(0),
            .beta = numberOf(result, "seconds_per_byte").value_or(0),
            .rho = numberOf(result, "reduce_seconds_per_byte").value_or(0)};
}

QString contentionHelp(int stepsAlone, int stepsBeside) {
    if (stepsBeside == 0) return QStringLiteral("too few steps ran beside a collective");
    if (stepsAlone == 0) return QStringLiteral("too few steps ran without a collective beside them");
    return QStringLiteral("computing takes 1 + κ times as long beside a collective, n = %1").arg(stepsBeside);
}

void addTimes(ReportContent& content, const QJsonObject& result) {
    const auto add = [&](const QString& label, const QString& number, const QString& unit, const QString& help) {
        content.figures.push_back({label, number, unit, help});
    };
    const int steps = result[QLatin1String("steps_alone")].toInt();
    const int beside = result[QLatin1String("steps_overlapped")].toInt();
    add(QStringLiteral("T_c, a local step"), shownNumber(numberOf(result, "step_s"), 1e3), QStringLiteral("ms"),
        steps > 0 ? QStringLiteral("mean of %1 steps with nothing on the link, of all ranks").arg(steps)
                  : QStringLiteral("mean of all steps: too few ran with nothing on the link"));
    add(QStringLiteral("scatter"), shownNumber(numberOf(result, "jitter_deviation"), 100, 3),
        QStringLiteral("% of T_c"),
        QStringLiteral("standard deviation of a step within its rank, ") +
            (steps > 0 ? QStringLiteral("n = %1").arg(steps) : QStringLiteral("of all steps")));
    add(QStringLiteral("backward"), shownNumber(numberOf(result, "backward_share"), 100, 3), QStringLiteral("% of T_c"),
        QStringLiteral("the rest is the forward pass and the update"));
    add(QStringLiteral("κ, contention"),
        beside > 0 && steps > 0 ? shownNumber(numberOf(result, "contention"), 1, 3) : kAbsent, {},
        contentionHelp(steps, beside));
}

void addLink(ReportContent& content, const QJsonObject& result) {
    const auto add = [&](const QString& label, const QString& number, const QString& unit, const QString& help) {
        content.figures.push_back({label, number, unit, help});
    };
    if (!numberOf(result, "latency_s")) {
        content.notes << QStringLiteral("The ranks did not communicate, so nothing is known about a link.");
        return;
    }
    const LinkCost link = linkOf(result);
    const double bytes = numberOf(result, "bytes").value_or(0);
    add(QStringLiteral("α, latency"), shortNumber(link.alpha * 1e6), QStringLiteral("µs"),
        QStringLiteral("of a message, fitted"));
    add(QStringLiteral("1/β, bandwidth"), link.beta > 0 ? shortNumber(8e-6 / link.beta) : kAbsent,
        QStringLiteral("Mbit/s"), QStringLiteral("each way, fitted"));
    add(QStringLiteral("1/ρ, reduction"), link.rho > 0 ? shortNumber(1e-9 / link.rho, 3) : kAbsent,
        QStringLiteral("GB/s"),
        link.rho > 0 ? QStringLiteral("adding up, fitted") : QStringLiteral("not to be told from the link"));
    if (bytes > 0) {
        const int workers = result[QLatin1String("workers")].toInt();
        add(QStringLiteral("T_m, an average"), shortNumber(ringAllReduceSeconds(link, bytes, workers) * 1e3),
            QStringLiteral("ms"),
            QStringLiteral("ring of %1 among %2, by formula").arg(bytesInWords(bytes).text()).arg(workers));
    }
}

void addFit(ReportContent& content, const QJsonObject& result) {
    const LinkCost link = linkOf(result);
    const int workers = result[QLatin1String("workers")].toInt();
    if (link.beta <= 0 || workers < 2) return;
    for (const auto& one : result[QLatin1String("timed")].toArray()) {
        const QJsonObject timed = one.toObject();
        FitPoint point{.gathers = textOf(timed, "collective") == QLatin1String("all-gather"),
                       .bytes = numberOf(timed, "bytes").value_or(0),
                       .seconds = numberOf(timed, "seconds").value_or(0)};
        point.fitted = point.gathers ? allGatherSeconds(link, point.bytes, workers)
                                     : ringAllReduceSeconds(link, point.bytes, workers);
        content.fit.push_back(point);
    }
}

// Adds the deviation of the fitted link from the timings: as a note, or as a warning if forecasts would be wrong.
void judgeFit(ReportContent& content, const QJsonObject& result) {
    const auto longest = numberOf(result, "longest_deviation"), worst = numberOf(result, "worst_deviation");
    if (!numberOf(result, "latency_s")) return;
    if (longest.value_or(0) <= kMostLongestOff && worst.value_or(0) <= kMostWorstOff) {
        content.notes << QStringLiteral("The longest transfer is %1 off the fitted link, the worst %2.")
                             .arg(shownShare(longest), shownShare(worst));
        return;
    }
    content.warning = QStringLiteral(
                          "No link fits these transfers: the fitted one is %1 off the longest and %2 off the "
                          "worst. Forecasts take T_m from it and may be off by as much")
                          .arg(shownShare(longest), shownShare(worst));
    const auto most = std::ranges::max_element(content.fit, {}, &FitPoint::seconds);
    if (most != content.fit.end() && longest.value_or(0) > kMostLongestOff) {
        content.warning +=
            most->fitted < most->seconds
                ? QStringLiteral(": long transfers take longer than forecast, and less of them is hidden")
                : QStringLiteral(": long transfers take less time than forecast");
    }
    content.warning += QStringLiteral(". Calibrate again with nothing else running on these machines.");
}

void judgeContention(ReportContent& content, const QJsonObject& result) {
    const auto contention = numberOf(result, "contention");
    if (!numberOf(result, "latency_s") || contention.value_or(kMostContention) < kMostContention) return;
    if (!content.warning.isEmpty()) content.warning += u' ';
    content.warning +=
        contention
            ? QStringLiteral(
                  "Beside a collective hardly anything was computed, or something else had the cores: κ "
                  "is this or more. Calibrate again with nothing else running on these machines.")
            : QStringLiteral("How much a collective slows computing down was not seen: forecasts count it as none.");
}

QString clusterInWords(const std::string& config) {
    if (config.empty()) return QStringLiteral("its run is not known here, nor whether its time was measured");
    Settings settings = settingsOf(config);
    if (settings["cluster.backend"] == "virtual") return QStringLiteral("time simulated");
    const std::string bandwidth = settings["cluster.link.bandwidth"];
    if (bandwidth.empty()) return QStringLiteral("measured");
    return QStringLiteral("measured, the link emulated: ") +
           linkInWords(bandwidth + ", " + settings["cluster.link.latency"]);
}

void fillCalibration(ReportContent& content, const Report& report, const ConfigOf& configOf) {
    const QJsonObject result = report.first();
    content.basis = clusterInWords(configOf(textOf(result, "run_id")));
    addTimes(content, result);
    addLink(content, result);
    addFit(content, result);
    judgeFit(content, result);
    judgeContention(content, result);
    content.notes << QStringLiteral("%1, %2, %3 a worker and step.")
                         .arg(counted(result[QLatin1String("workers")].toInt(), "worker"), textOf(result, "model"),
                              counted(result[QLatin1String("batch_size")].toInt(), "sample"));
}

// True for a row without communication, which has nothing to hide.
bool isAlone(const QJsonObject& row) {
    const QJsonValue said = row[QLatin1String("alone")];
    return said.isBool() ? said.toBool() : row[QLatin1String("hidden")].isNull();
}

// "dasgd, period = 2, delay = 1" from an [algorithm] in TOML.
QString algorithmInWords(QString settings) {
    for (const char* const noise : {"{", "}", "\"", "name = "}) settings.remove(QLatin1String(noise));
    return settings.trimmed();
}

ReportRow adviceRow(const QJsonObject& row, std::optional<double> alone) {
    const auto step = numberOf(row, "step_ms");
    const bool asked = !isAlone(row);
    const auto target = numberOf(row, "target_s");
    ReportRow made{.marked = row[QLatin1String("advised")].toBool(), .settings = textOf(row, "settings")};
    made.cells << algorithmInWords(made.settings) + (made.marked ? QStringLiteral("  ★ advised") : QString())
               << shownNumber(step) << (step && alone ? shownNumber(*step / *alone, 1, 3) : kAbsent)
               << shownShare(numberOf(row, "hidden")) << shownShare(numberOf(row, "effective_steps"))
               << (!asked                                    ? kAbsent
                   : target                                  ? clockText(*target)
                   : !textOf(row, "target_run_id").isEmpty() ? QStringLiteral("not reached")
                                                             : kAbsent);
    for (const char* key : {"run_id", "target_run_id"}) {
        if (const QString id = textOf(row, key); !id.isEmpty()) made.runs << id;
    }
    // Ids differ at their end; the tool tip has them in full.
    QStringList ends;
    for (const QString& id : made.runs) ends << id.section(u'-', -1);
    made.cells << ends.join(QStringLiteral(", "));
    return made;
}

// Explains why the shares in the two tables differ.
const QString kHiddenAndCovered = QStringLiteral(
    "Hidden is what the simulated runs measured: the part of their transfers' time in which ranks computed, with steps "
    "that scatter and ranks that wait for each other. Covered, by formula, is the part of one exchange that the steps "
    "of the delay last, each exactly as long as the mean. So the two differ.");

// Adds a row for every algorithm, with a reason if there is no time.
void addFormulas(ReportContent& content, const QJsonObject& result) {
    content.formulas.headers = {QStringLiteral("setting"), QStringLiteral("ms/step"), QStringLiteral("covered"),
                                QStringLiteral("remark")};
    for (const auto& each : result[QLatin1String("formulas")].toArray()) {
        const QJsonObject one = each.toObject();
        QStringList remarks{textOf(one, "why_not")};
        for (const auto& sentence : one[QLatin1String("assumes")].toArray()) remarks << sentence.toString();
        remarks.removeAll(QString());
        content.formulas.rows.push_back(
            {.cells = {algorithmInWords(textOf(one, "settings")), shownNumber(numberOf(one, "step_ms")),
                       shownShare(numberOf(one, "hidden")), remarks.join(u' ')}});
    }
}

void fillAdvice(ReportContent& content, const Report& report) {
    const QJsonObject result = report.first(), advice = result[QLatin1String("advice")].toObject();
    const QJsonObject facts = result[QLatin1String("facts")].toObject();
    const bool formula = facts[QLatin1String("by_formula")].toBool();
    content.basis =
        QStringLiteral("time simulated on the virtual cluster%1; T_c and T_m from run %2")
            .arg(formula ? QStringLiteral(", collectives by formula") : QString(), textOf(facts, "probe_run"));
    const auto add = [&](const char* label, const QString& number, const char* unit, const QString& help) {
        content.figures.push_back({QString::fromUtf8(label), number, QString::fromUtf8(unit), help});
    };
    add("τ, period", grouped(advice[QLatin1String("period")].toInteger()), "steps", QStringLiteral("between averages"));
    add("d, delay", grouped(advice[QLatin1String("delay")].toInteger()), "steps", QStringLiteral("of the merge"));
    add("step", shownNumber(numberOf(advice, "step_s"), 1e3), "ms", QStringLiteral("with this setting, by formula"));
    add("T_c", shownNumber(numberOf(facts, "step_s"), 1e3), "ms", QStringLiteral("a local step"));
    add("T_m", shownNumber(numberOf(facts, "reduce_s"), 1e3), "ms", QStringLiteral("an average"));
    const QString target = textOf(result, "target");
    const QString steps = grouped(result[QLatin1String("target_steps")].toInteger());
    content.table.headers = {
        QStringLiteral("setting"),
        QStringLiteral("ms/step"),
        QStringLiteral("÷ alone"),
        QStringLiteral("hidden"),
        QStringLiteral("steps that count"),
        target.isEmpty() ? QStringLiteral("to %1 of them").arg(steps) : QStringLiteral("to target"),
        QStringLiteral("runs")};
    const QJsonArray rows = result[QLatin1String("forecast")].toArray();
    std::optional<double> alone;
    for (const auto& row : rows) {
        if (isAlone(row.toObject())) alone = numberOf(row.toObject(), "step_ms");
    }
    for (const auto& row : rows) content.table.rows.push_back(adviceRow(row.toObject(), alone));
    addFormulas(content, result);
    if (!content.formulas.rows.empty()) content.notes << kHiddenAndCovered;
    for (const auto& sentence : advice[QLatin1String("why")].toArray()) content.notes << sentence.toString();
    content.notes
        << (target.isEmpty()
                ? QStringLiteral(
                      "The experiment makes %1 steps; until so many count a row takes %1 times its ms/step, over "
                      "the share that counts. What a longer τ or d changes in the worth of a step, only training "
                      "tells: give a "
                      "target.")
                      .arg(steps)
                : QStringLiteral("Target: %1 at an evaluation, within %2 steps, in simulated time.")
                      .arg(target, steps));
}

void fillScaling(ReportContent& content, const Report& report) {
    const QJsonObject result = report.first();
    const QJsonObject wanted = result[QLatin1String("target")].toObject();
    const QString target =
        wanted.isEmpty() ? QString() : textOf(wanted, "metric") + u'=' + shownNumber(numberOf(wanted, "value"));
    content.table.headers = {QStringLiteral("configuration"), QStringLiteral("time"),      QStringLiteral("workers"),
                             QStringLiteral("ms/step"),       QStringLiteral("samples/s"), QStringLiteral("speed-up"),
                             QStringLiteral("efficiency"),    QStringLiteral("hidden")};
    if (!target.isEmpty()) content.table.headers << QStringLiteral("s to ") + target;
    QStringList times;
    for (const auto& each : result[QLatin1String("configurations")].toArray()) {
        const QJsonObject one = each.toObject();
        const QString link = textOf(one, "emulated_link");
        times << (link.isEmpty()
                      ? textOf(one, "time")
                      : textOf(one, "time") + QStringLiteral(", link emulated: ") + linkInWords(link.toStdString()));
        for (const auto& at : one[QLatin1String("points")].toArray()) {
            const QJsonObject point = at.toObject();
            ReportRow row;
            row.cells << textOf(one, "configuration") << textOf(one, "time")
                      << grouped(point[QLatin1String("workers")].toInteger());
            for (const char* key : {"step_ms", "samples_per_s", "speed_up", "efficiency", "hidden"}) {
                row.cells << shownMean(point[QLatin1String(key)]);
            }
            if (!target.isEmpty()) row.cells << shownTimeToTarget(point);
            for (const auto& id : point[QLatin1String("runs")].toArray()) row.runs << id.toString();
            content.table.rows.push_back(std::move(row));
        }
        if (const int unfinished = one[QLatin1String("unfinished")].toInt(); unfinished > 0) {
            content.notes << QStringLiteral("%1: %2 runs did not finish and are left out.")
                                 .arg(textOf(one, "configuration"))
                                 .arg(unfinished);
        }
    }
    times.removeDuplicates();
    content.basis = times.join(QStringLiteral("; "));
    content.notes << QStringLiteral(
                         "%1 scaling. Speed-up: throughput ÷ that at the fewest workers. Mean ± standard "
                         "deviation over the seeds.")
                         .arg(textOf(result, "scaling") == QLatin1String("strong") ? QStringLiteral("Strong")
                                                                                   : QStringLiteral("Weak"));
}

void fillReplay(ReportContent& content, const Report& report, const ConfigOf& configOf) {
    content.basis = QStringLiteral("the replay's time is simulated");
    content.table.headers = {QString(), QStringLiteral("ms/step"), QStringLiteral("÷ recorded"),
                             QStringLiteral("hidden"), QStringLiteral("run")};
    for (const auto& each : report.result) {
        const QJsonObject one = each.toObject();
        const auto recorded = numberOf(one, "recorded_step_ms"), replayed = numberOf(one, "step_ms");
        if (content.table.rows.empty()) {
            content.table.rows.push_back(
                {.cells = {QStringLiteral("recorded, ") + clusterInWords(configOf(textOf(one, "replay_of"))),
                           shownNumber(recorded), recorded ? QStringLiteral("1") : kAbsent,
                           shownShare(numberOf(one, "recorded_hidden")), textOf(one, "replay_of")},
                 .runs = {textOf(one, "replay_of")}});
        }
        const bool both = recorded && replayed && *recorded > 0;
        content.table.rows.push_back({.cells = {QStringLiteral("replayed, time simulated"), shownNumber(replayed),
                                                both ? shownNumber(*replayed / *recorded, 1, 3) : kAbsent,
                                                shownShare(numberOf(one, "hidden")), textOf(one, "run_id")},
                                      .runs = {textOf(one, "run_id")}});
    }
}

}  // namespace

ReportContent contentOf(const Report& report, const ConfigOf& configOf) {
    ReportContent content{
        .heading = (report.asked.kind == JobKind::Advise ? QStringLiteral("%1 for %2") : QStringLiteral("%1 of %2"))
                       .arg(kindInWords(report.asked.kind), report.asked.title)};
    if (report.result.isEmpty()) return content;
    switch (report.asked.kind) {
        case JobKind::Calibrate: fillCalibration(content, report, configOf); break;
        case JobKind::Advise: fillAdvice(content, report); break;
        case JobKind::Scale: fillScaling(content, report); break;
        case JobKind::Replay: fillReplay(content, report, configOf); break;
    }
    return content;
}

bool isRunKnown(const Report& report, const ConfigOf& configOf) {
    return !configOf(textOf(report.first(), "run_id")).empty();
}

}  // namespace dasgd::gui
