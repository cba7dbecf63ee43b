// `dasgd bandwidth`: which bandwidth each configuration of a file needs for a compute utilisation, by formula.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/tools/advise/needed_bandwidth.h"
#include "experiments/tools/report/run_summary.h"

namespace dasgd::experiments {

namespace {

constexpr double kBytesOfGigabit = 1e9 / 8;

struct BandwidthOptions {
    std::string file;
    Overrides overrides;
    std::vector<double> utilizations{0.5, 0.8, 0.9, 0.95, 0.99};
    bool json = false;
};

nlohmann::json jsonOf(const std::vector<double>& utilizations, const std::vector<NeededBandwidth>& all) {
    nlohmann::json json{{"utilization", utilizations}, {"configurations", nlohmann::json::array()}};
    for (const NeededBandwidth& one : all) {
        nlohmann::json gigabits = nlohmann::json::array();
        for (const double bytes : one.bytesPerSecond) gigabits.push_back(jsonNumber(bytes / kBytesOfGigabit));
        json["configurations"].push_back({{"label", one.label},
                                          {"algorithm", one.algorithm},
                                          {"gbit_per_s", std::move(gigabits)},
                                          {"why_not", one.why},
                                          {"assumes", one.assumes}});
    }
    return json;
}

std::string cellOf(double bytesPerSecond) {
    if (bytesPerSecond == 0) return "0";
    return std::isfinite(bytesPerSecond) ? shortNumber(bytesPerSecond / kBytesOfGigabit) : "none";
}

std::string textOf(const std::vector<double>& utilizations, const std::vector<NeededBandwidth>& all) {
    std::vector<std::string> header{""};
    for (const double utilization : utilizations) header.push_back(percent(utilization));
    header.emplace_back("");
    TextTable table(header);
    table.leftAlign(header.size() - 1);
    for (const NeededBandwidth& one : all) {
        std::vector<std::string> row{printable(one.label)};
        for (std::size_t i = 0; i < utilizations.size(); ++i) {
            row.push_back(one.bytesPerSecond.empty() ? "–" : cellOf(one.bytesPerSecond[i]));
        }
        std::string remark = one.why;
        for (const std::string& sentence : one.assumes) remark += (remark.empty() ? "" : " ") + sentence;
        row.push_back(printable(remark));
        table.add(std::move(row));
    }
    return "Gbit/s for a compute utilisation of so much, by formula; nothing was run.\n\n" + table.toString() +
           "\nUtilisation: computing ÷ (computing + waiting) of workers that are alike, each step as long as given. "
           "none: latency\nalone prevents it. –: there is no formula.\n";
}

int bandwidth(const BandwidthOptions& options) {
    const auto experiments = loadExperiments(options.file, options.overrides);
    if (!experiments) return refuse(experiments.error());
    const std::vector<NeededBandwidth> all = neededBandwidths(*experiments, options.utilizations);
    const std::string text =
        options.json ? dumpLine(jsonOf(options.utilizations, all)) + "\n" : textOf(options.utilizations, all);
    std::fputs(text.c_str(), stdout);
    return kFinished;
}

Action declareBandwidth(CLI::App& app) {
    auto options = std::make_shared<BandwidthOptions>();
    app.add_option("FILE", options->file, "The experiment, on a virtual cluster; its cases and sweep are rows")
        ->required();
    app.add_option("--utilization", options->utilizations, "Shares of the time in which workers compute: 0.5,0.9")
        ->delimiter(',')
        ->check(CLI::Range(1e-4, 0.9999));
    addSetOption(app, options->overrides);
    app.add_option("--sweep", options->overrides.sweep, "Vary a key: --sweep algorithm.period=30,100")
        ->allow_extra_args(false);
    app.add_flag("--json", options->json, "One JSON object");
    app.footer(
        "Algorithms whose layers leave under a backward pass have this formula alone: `dasgd advise` has none of "
        "them.\n"
        "The bandwidth that FILE gives its network is not read; latency, collective and workers are.");
    return [options] { return bandwidth(*options); };
}

const CommandRegistry::Add kBandwidthEntry{
    {.order = 55,
     .name = "bandwidth",
     .summary = "Which bandwidth an experiment needs so that its workers compute most of the time, by formula",
     .declare = declareBandwidth}};

}  // namespace

}  // namespace dasgd::experiments
