// `dasgd export`: a run for other programs.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "core/base/log.h"
#include "core/base/schema/toml_reader.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/stored_file.h"
#include "core/cost/communication_pattern.h"
#include "experiments/commands/command.h"
#include "experiments/config/document.h"
#include "experiments/config/schema.h"
#include "experiments/tools/advise/formula_times.h"
#include "experiments/tools/report/chakra_export.h"
#include "experiments/tools/report/csv_export.h"
#include "experiments/tools/report/trace_export.h"
#include "storage/base/workspace.h"

namespace dasgd::experiments {

namespace {

struct ExportOptions {
    std::string run, workspace, csvFolder, traceFile, weightsFile, chakraFolder;
    bool replace = false;
};

Status checkNew(const ExportOptions& options, const std::string& file) {
    std::error_code ignored;
    if (file.empty() || options.replace || !std::filesystem::exists(file, ignored)) return {};
    return fail(file + " is there already; choose another name, or give --replace");
}

// The model that the run ended with; of one that has not finished, that of its newest checkpoint.
Status exportWeights(const ExportOptions& options, const storage::RunRow& run) {
    const storage::WorkspacePaths paths{options.workspace};
    std::filesystem::path model = paths.run(run.runId) / CheckpointFolder::kModelFile;
    std::string of = "the model that " + run.runId + " ended with";
    std::error_code code;
    if (std::filesystem::exists(model, code)) {
        DASGD_ASSIGN(const bool isChecked, checkContent(model));
        if (!isChecked) logLine(LogLevel::Warning, uncheckedRemark(model));
    } else {
        const auto latest = CheckpointFolder(paths.checkpoints(run.runId)).latest({}, [&run](const Checkpoint& one) {
            return checkIsOfRun(one.folder, one.state.runId, run.runId);
        });
        if (!latest) return fail("run " + run.runId + " has left no weights: " + latest.error().message);
        model = latest->checkpoint.modelFile();
        of = run.runId + " after step " + std::to_string(latest->checkpoint.state.step);
    }
    std::filesystem::copy_file(model, options.weightsFile, std::filesystem::copy_options::overwrite_existing, code);
    if (code) return fail(options.weightsFile + ": cannot be written: " + code.message());
    std::printf("%s, %s\n", options.weightsFile.c_str(), of.c_str());
    return {};
}

// Their reduce-scatters and all-gathers are alike in a record.
constexpr std::array<std::string_view, 2> kDividedUpdates{"zero_sgd", "acco"};

// First steps of a run behind which rank 0 may broadcast buffers. Behind the last of several the algorithm's own
// exchanges may leave too.
std::int64_t broadcastStepsOf(const CommunicationPattern& pattern, const PatternValues& values) {
    if (values("broadcast_buffers") == "false") return 0;
    if (pattern.kind == CommunicationPattern::Kind::Gradients) return std::numeric_limits<std::int64_t>::max();
    const auto first = pattern.gradientSteps.field.empty() ? std::nullopt : values(pattern.gradientSteps.field);
    const std::int64_t steps = first ? std::strtoll(first->c_str(), nullptr, 10) : 0;
    return steps > 1 ? steps - 1 : steps;
}

// The all-reduces of a run whose collectives are all-reduces of all ranks; the reason for which a run has others or may
// have.
Result<AllReduces> allReducesOf(const storage::RunRow& run) {
    const auto no = [&](const std::string& why) {
        return fail("run " + run.runId + " cannot become a Chakra trace: " + why);
    };
    DASGD_ASSIGN(const Value config, parseToml(run.config, run.runId));
    if (config.find("compression")) return no("its record does not tell how the messages of [compression] travel");
    if (std::ranges::find(kDividedUpdates, run.algorithm) != kDividedUpdates.end()) {
        return no("the record of " + run.algorithm + " does not tell its reduce-scatters from its all-gathers");
    }
    if (const auto* balance = valueAt<std::string>(config, "train", "balance"); balance && *balance != "none") {
        return no(
            "with train.balance its ranks exchange their rates in all-gathers, and a record does not say the kind "
            "of a collective: record a run with balance = \"none\"");
    }
    const std::vector<AlgorithmInfo> algorithms = registeredAlgorithms();
    const auto algorithm = std::ranges::find(algorithms, run.algorithm, &AlgorithmInfo::name);
    if (algorithm == algorithms.end()) return no("this program has no algorithm " + printable(run.algorithm));
    const Value settings = sectionOf(config, "algorithm");
    const PatternValues values = patternValues(*algorithm, settings);
    const auto round = roundOf(algorithm->communication, values, 0);
    if (!round) {
        return no("the record of " + run.algorithm + " does not tell one kind of communication from another, and no " +
                  "pattern does: " + round.error().message);
    }
    if (round->peers > 0 || round->servers > 0) {
        return no(run.algorithm + " sends messages from rank to rank, of which the record does not tell the partner");
    }
    if (round->ownCoding) return no("the record of " + run.algorithm + " does not tell its collectives apart");
    return AllReduces{.delay = round->delay, .broadcastSteps = broadcastStepsOf(algorithm->communication, values)};
}

Status exportChakraTraces(const ExportOptions& options, storage::SpanReader& reader, const storage::RunRow& run) {
    AllReduces reduces;
    if (!run.imported()) {
        DASGD_ASSIGN(reduces, allReducesOf(run));
    }
    DASGD_ASSIGN(const ChakraExport made, exportChakra(reader, run, reduces, options.chakraFolder, options.replace));
    std::printf("%zu traces in %s, %zu nodes, %zu of them all-reduces; for a simulator: %s\n", made.files.size(),
                options.chakraFolder.c_str(), made.nodes, made.collectives,
                (std::filesystem::path(options.chakraFolder) / run.runId).c_str());
    return {};
}

Status exportRun(const ExportOptions& options) {
    if (options.csvFolder.empty() && options.traceFile.empty() && options.weightsFile.empty() &&
        options.chakraFolder.empty()) {
        return fail("give --csv DIR, --trace FILE.json[.gz], --chakra DIR or --weights FILE.safetensors");
    }
    DASGD_TRY(checkNew(options, options.traceFile));
    DASGD_TRY(checkNew(options, options.weightsFile));
    DASGD_ASSIGN(auto reader, storage::WorkspaceReader::open(options.workspace));
    DASGD_ASSIGN(const storage::RunDetail detail, reader.runs().detail(options.run));
    const std::string& id = detail.row.runId;
    if (!options.csvFolder.empty()) {
        DASGD_ASSIGN(const auto files, exportCsv(reader, id, options.csvFolder));
        std::printf("%zu files in %s\n", files.size(), options.csvFolder.c_str());
    }
    if (!options.traceFile.empty()) {
        DASGD_TRY(exportTrace(reader, id, options.traceFile));
        std::printf("%s, to be opened with ui.perfetto.dev or chrome://tracing\n", options.traceFile.c_str());
    }
    if (!options.chakraFolder.empty()) DASGD_TRY(exportChakraTraces(options, reader.spans(), detail.row));
    if (!options.weightsFile.empty()) DASGD_TRY(exportWeights(options, detail.row));
    return {};
}

Action declareExport(CLI::App& app) {
    auto options = std::make_shared<ExportOptions>();
    app.add_option("RUN", options->run, "Run id, or the beginning of one")->required();
    addWorkspaceOption(app, options->workspace);
    app.add_option("--csv", options->csvFolder, "Folder for one CSV file a metric, and spans.csv");
    app.add_option("--trace", options->traceFile,
                   "File for the timeline: .json (Chrome) or .pftrace (Perfetto), or .gz of either");
    app.add_option("--chakra", options->chakraFolder,
                   "Folder for MLCommons Chakra execution traces, one a rank, which simulators replay; of algorithms "
                   "that average over all ranks");
    app.add_option("--weights", options->weightsFile,
                   "File for the model, safetensors: the one that it ended with, or that of its newest checkpoint");
    app.add_flag("--replace", options->replace, "Replace a file that is there");
    return [options] {
        const Status done = exportRun(*options);
        return done ? static_cast<int>(kFinished) : refuse(done.error());
    };
}

const CommandRegistry::Add kExportEntry{
    {.order = 110,
     .name = "export",
     .summary = "A run as CSV files, its timeline as a Chrome, Perfetto or Chakra trace, or its weights",
     .declare = declareExport}};

}  // namespace

}  // namespace dasgd::experiments
