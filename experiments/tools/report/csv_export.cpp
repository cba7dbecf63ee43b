#include "experiments/tools/report/csv_export.h"

#include <fstream>
#include <set>

#include "experiments/base/text.h"
#include "experiments/tools/report/trace_export.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

Result<std::ofstream> create(const fs::path& file) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    if (!out) return fail(file.string() + ": cannot be written; check the folder's permissions");
    return out;
}

Status finish(std::ofstream& out, const fs::path& file) {
    out.close();
    if (!out) return fail(file.string() + ": could not be written to its end; is the disk full?");
    return {};
}

Status writeMetric(storage::MetricReader& reader, const std::string& runId, const std::string& name,
                   const fs::path& file) {
    DASGD_ASSIGN(std::ofstream out, create(file));
    out << "run_id,rank,name,step,epoch,wall_s,samples,bytes_sent,value\r\n";
    const std::string start = csvText(runId) + ",";
    const std::string middle = "," + csvText(name) + ",";
    DASGD_ASSIGN(const auto answer, reader.samples({.runId = runId, .name = name}));
    for (const storage::MetricSample& sample : answer.samples) {
        out << start << sample.rank << middle << sample.step << ',' << csvNumber(sample.epoch) << ','
            << csvNumber(sample.wallS) << ',' << sample.samples << ',' << sample.bytesSent << ','
            << csvNumber(sample.value) << "\r\n";
    }
    return finish(out, file);
}

Status writeSpans(storage::SpanReader& reader, const std::string& runId, const fs::path& file) {
    DASGD_ASSIGN(std::ofstream out, create(file));
    out << "run_id,rank,lane,kind,step,start_ns,end_ns,bytes\r\n";
    const std::string start = csvText(runId) + ",";
    DASGD_TRY(forEachSpan(reader, runId, [&](const storage::SpanRow& row) {
        out << start << row.rank << ',' << nameOf(row.span.lane) << ',' << nameOf(row.span.kind) << ',' << row.span.step
            << ',' << row.span.start << ',' << row.span.end << ',' << row.span.bytes << "\r\n";
    }));
    return finish(out, file);
}

}  // namespace

std::string fileNameFor(const std::string& metric) {
    std::string name;
    for (const char c : metric) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
        name += plain ? c : '_';
    }
    return name.empty() ? "_" : name.substr(0, 200);
}

Result<std::vector<fs::path>> exportCsv(storage::WorkspaceReader& reader, const std::string& runId,
                                        const fs::path& folder) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) return fail(folder.string() + ": cannot be made: " + code.message());
    DASGD_ASSIGN(const std::vector<std::string> names, reader.metrics().names(runId));
    std::vector<fs::path> files;
    std::set<std::string> taken{"spans"};
    for (const std::string& name : names) {
        std::string stem = fileNameFor(name);
        while (!taken.insert(stem).second) stem += "_";
        files.push_back(folder / (stem + ".csv"));
        DASGD_TRY(writeMetric(reader.metrics(), runId, name, files.back()));
    }
    files.push_back(folder / "spans.csv");
    DASGD_TRY(writeSpans(reader.spans(), runId, files.back()));
    return files;
}

}  // namespace dasgd::experiments
