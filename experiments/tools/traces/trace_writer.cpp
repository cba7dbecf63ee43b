#include "experiments/tools/traces/trace_writer.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "core/analysis/spans/timings.h"

namespace dasgd::experiments {

namespace {

constexpr int kTracksPerLane = 16;
constexpr std::uint64_t kMostWrittenRanks = 65536;

}  // namespace

Result<TraceFile> TraceFile::open(const std::filesystem::path& file) {
    const bool packed = file.extension() == ".gz";
    std::filesystem::path part = file;
    part += ".part-" + std::to_string(::getpid());
    gzFile handle = ::gzopen(part.c_str(), packed ? "wb6" : "wbT");
    if (!handle) return fail(file.string() + ": cannot be written; does its folder exist?");
    return TraceFile(handle, file, part);
}

TraceFile::~TraceFile() {
    if (!file_) return;
    file_.reset();
    std::error_code ignored;
    std::filesystem::remove(part_, ignored);
}

void TraceFile::write(const std::string& text) {
    if (!text.empty() && ::gzwrite(file_.get(), text.data(), static_cast<unsigned>(text.size())) <= 0) bad_ = true;
}

Status TraceFile::close() {
    const bool closed = ::gzclose(file_.release()) == Z_OK;
    std::error_code error;
    if (closed && !bad_) {
        std::filesystem::rename(part_, name_, error);
        if (!error) return {};
    }
    std::error_code ignored;
    std::filesystem::remove(part_, ignored);
    if (error) return fail(name_.string() + ": " + error.message());
    return fail(name_.string() + ": could not be written to its end; is the disk full?");
}

TraceTracks::Track TraceTracks::trackOf(const storage::SpanRow& row) {
    auto& ends = ends_[{row.rank, row.span.lane}];
    const std::size_t known = ends.size();
    auto free = std::find_if(ends.begin(), ends.end(), [&](Ns end) { return end <= row.span.start; });
    if (free == ends.end() && ends.size() == kTracksPerLane) free = std::min_element(ends.begin(), ends.end());
    if (free == ends.end()) free = ends.insert(ends.end(), 0);
    *free = std::max(row.span.end, row.span.start);
    const int index = static_cast<int>(free - ends.begin());
    return {.number = static_cast<int>(row.span.lane) * kTracksPerLane + index + 1,
            .index = index,
            .isNew = ends.size() > known,
            .isNewRank = ranks_.insert(row.rank).second};
}

bool TraceTracks::beginsArrow(const storage::SpanRow& row) {
    const auto id = std::pair(row.rank, row.span.collective);
    if (row.span.kind == SpanKind::Skew) return arrived_.insert(id).second;
    return arrived_.erase(id) == 0;
}

std::uint64_t TraceTracks::arrowOf(const storage::SpanRow& row) {
    return row.span.collective * kMostWrittenRanks + static_cast<std::uint64_t>(row.rank);
}

}  // namespace dasgd::experiments
