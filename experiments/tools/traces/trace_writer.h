// The common part of the writers of trace formats: the file, the track of a span, the start of an arrow.
#pragma once

#include <zlib.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "storage/read/metric_reader.h"
#include "storage/read/span_reader.h"
#include "storage/runs/run_row.h"

namespace dasgd::experiments {

// Plain or compressed; the last error is kept until close(). It is written under another name beside its own, which it
// gets when it is whole.
class TraceFile {
public:
    // Errors: the folder is not there, or may not be written to.
    static Result<TraceFile> open(const std::filesystem::path& file);
    TraceFile(TraceFile&&) = default;
    TraceFile& operator=(TraceFile&&) = delete;
    ~TraceFile();
    void write(const std::string& text);
    Status close();

private:
    struct Close {
        void operator()(gzFile file) const { ::gzclose(file); }
    };
    TraceFile(gzFile file, std::filesystem::path name, std::filesystem::path part)
        : file_(file), name_(std::move(name)), part_(std::move(part)) {}
    std::unique_ptr<gzFile_s, Close> file_;
    std::filesystem::path name_, part_;
    bool bad_ = false;
};

// One track a lane, more where spans of a lane overlap: viewers do not show overlapping slices of a track.
class TraceTracks {
public:
    struct Track {
        int number = 0;  // from 1, of its rank
        int index = 0;   // among those of its lane
        bool isNew = false, isNewRank = false;
    };
    // Spans come by start. The first track of the lane on which nothing runs any more.
    Track trackOf(const storage::SpanRow& row);
    // True if the arrow of this rank's part in a collective begins at this span: at its arrival, which is the skew
    // span, or the transfer span for the last rank.
    [[nodiscard]] bool beginsArrow(const storage::SpanRow& row);
    // Identity of the arrow, equal for all spans of one arrow.
    [[nodiscard]] static std::uint64_t arrowOf(const storage::SpanRow& row);

private:
    std::map<std::pair<int, Lane>, std::vector<Ns>> ends_;
    std::set<int> ranks_;
    std::set<std::pair<int, std::uint64_t>> arrived_;  // ranks and collectives with a skew and no transfer yet
};

class TraceWriter {
public:
    virtual ~TraceWriter() = default;
    // `start`: of the first span.
    virtual void begin(const storage::RunRow& run, Ns start) = 0;
    virtual void span(const storage::NamedSpan& span) = 0;  // by start
    virtual void metric(const storage::MetricSample& sample, const std::string& name) = 0;
    virtual void end() = 0;
};

// `file` outlives the writer.
std::unique_ptr<TraceWriter> chromeWriter(TraceFile& file);
std::unique_ptr<TraceWriter> perfettoWriter(TraceFile& file);

}  // namespace dasgd::experiments
