// `dasgd export`: a run for other programs.
#include <cstdio>
#include <memory>

#include "experiments/commands/command.h"
#include "experiments/report/csv_export.h"
#include "experiments/report/trace_export.h"

namespace dasgd::experiments {

namespace {

struct ExportOptions {
    std::string run, workspace, csvFolder, traceFile;
    bool replace = false;
};

Status exportRun(const ExportOptions& options) {
    if (options.csvFolder.empty() && options.traceFile.empty()) return fail("give --csv DIR or --trace FILE.json[.gz]");
    std::error_code ignored;
    if (!options.replace && !options.traceFile.empty() && std::filesystem::exists(options.traceFile, ignored)) {
        return fail(options.traceFile + " is there already; choose another name, or give --replace");
    }
    DASGD_ASSIGN(auto reader, storage::RunReader::open(options.workspace));
    DASGD_ASSIGN(const storage::RunDetail detail, reader.run(options.run));
    const std::string& id = detail.row.runId;
    if (!options.csvFolder.empty()) {
        DASGD_ASSIGN(const auto files, exportCsv(reader, id, options.csvFolder));
        std::printf("%zu files in %s\n", files.size(), options.csvFolder.c_str());
    }
    if (!options.traceFile.empty()) {
        DASGD_TRY(exportTrace(reader, id, options.traceFile));
        std::printf("%s, to be opened with ui.perfetto.dev or chrome://tracing\n", options.traceFile.c_str());
    }
    return {};
}

Action declareExport(CLI::App& app) {
    auto options = std::make_shared<ExportOptions>();
    app.add_option("RUN", options->run, "Run id, or the beginning of one")->required();
    addWorkspaceOption(app, options->workspace);
    app.add_option("--csv", options->csvFolder, "Folder for one CSV file a metric, and spans.csv");
    app.add_option("--trace", options->traceFile,
                   "File for the timeline: .json (Chrome) or .pftrace (Perfetto), or .gz of either");
    app.add_flag("--replace", options->replace, "Replace the trace file if it is there");
    return [options] {
        const Status done = exportRun(*options);
        return done ? static_cast<int>(kFinished) : refuse(done.error());
    };
}

const CommandRegistry::Add kExportEntry{{.order = 110,
                                         .name = "export",
                                         .summary = "A run as CSV files, or its timeline as a Chrome/Perfetto trace",
                                         .declare = declareExport}};

}  // namespace

}  // namespace dasgd::experiments
