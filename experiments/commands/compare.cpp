// `dasgd compare`: configurations side by side.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/tools/report/comparison_text.h"
#include "experiments/tools/report/run_summary.h"
#include "storage/compare/comparison.h"

namespace dasgd::experiments {

namespace {

struct CompareOptions {
    std::vector<std::string> runs;
    std::string experiment, baseline, workspace;
    bool csv = false, json = false;
};

Result<Comparison> compare(const CompareOptions& options) {
    DASGD_ASSIGN(auto reader, storage::WorkspaceReader::open(options.workspace));
    std::vector<std::string> chosen = options.runs;
    DASGD_ASSIGN(const auto all, reader.runs().list());
    for (auto row = all.rbegin(); row != all.rend(); ++row) {
        if (!options.experiment.empty() && row->experiment == options.experiment) chosen.push_back(row->runId);
    }
    if (chosen.empty() && !options.experiment.empty()) {
        return fail("no run of an experiment '" + options.experiment + "' in " + options.workspace);
    }
    if (chosen.empty()) return fail("name the runs to compare, or an --experiment");
    return storage::compareRuns(reader, chosen, options.baseline);
}

Action declareCompare(CLI::App& app) {
    auto options = std::make_shared<CompareOptions>();
    app.add_option("RUN", options->runs, "Run ids, or beginnings of them");
    app.add_option("-e,--experiment", options->experiment, "All runs of the experiment of this name");
    app.add_option("--baseline", options->baseline,
                   "Algorithm or configuration that times are divided by (default sync_sgd, else the slowest)");
    addWorkspaceOption(app, options->workspace);
    auto* csv = app.add_flag("--csv", options->csv, "As CSV");
    app.add_flag("--json", options->json, "As JSON")->excludes(csv);
    return [options] {
        const auto comparison = compare(*options);
        if (!comparison) return refuse(comparison.error());
        const std::string text = options->csv    ? comparisonCsv(*comparison)
                                 : options->json ? dumpLine(comparisonJson(*comparison)) + "\n"
                                                 : comparisonText(*comparison);
        std::fputs(text.c_str(), stdout);
        return static_cast<int>(kFinished);
    };
}

const CommandRegistry::Add kCompareEntry{{.order = 100,
                                          .name = "compare",
                                          .summary = "Configurations side by side, mean and spread over their seeds",
                                          .declare = declareCompare}};

}  // namespace

}  // namespace dasgd::experiments
