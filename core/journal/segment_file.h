// The file of one segment of a journal, as the writer makes it.
#pragma once

#include <cstddef>
#include <filesystem>

#include "core/base/result.h"
#include "core/journal/journal_format.h"

namespace dasgd::journal {

struct MappedSegment {
    void* memory = nullptr;  // shared; the caller unmaps it
    // The directory was removed: nobody can read what is written there. The writer goes on without it, as it would wait
    // forever otherwise.
    bool lost = false;
};

// Maps a new segment of `bytes` that begins with `header`, all its blocks and pages in place, and shows it to readers
// under its final name. Reuses the file of a segment that a reader has finished with, where there is one. Errors: no
// room, a directory that cannot be written.
[[nodiscard]] Result<MappedSegment> mapSegment(const std::filesystem::path& directory, const SegmentHeader& header,
                                               std::size_t bytes);

[[nodiscard]] tl::unexpected<Error> systemFailure(const std::string& what, int error);

}  // namespace dasgd::journal
