#include "core/journal/segment_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace dasgd::journal {

namespace fs = std::filesystem;

namespace {

// Reuses a segment that the reader has finished with, if there is one, under the new name.
bool reuseFreeSegment(const fs::path& directory, const fs::path& target) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(directory, ignored)) {
        if (entry.path().extension() != ".free") continue;
        if (::rename(entry.path().c_str(), target.c_str()) == 0) return true;
    }
    return false;
}

Result<void*> allocateAndMap(int file, const fs::path& name, std::size_t bytes) {
    if (const int error = ::posix_fallocate(file, 0, static_cast<off_t>(bytes))) {
        return systemFailure(
            "no room for the journal segment " + name.string() + "; recording waits until there is (free some space)",
            error);
    }
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    if (memory == MAP_FAILED) return systemFailure("cannot map the journal segment " + name.string(), errno);
    return memory;
}

}  // namespace

tl::unexpected<Error> systemFailure(const std::string& what, int error) {
    return fail(what + ": " + std::generic_category().message(error));
}

Result<MappedSegment> mapSegment(const fs::path& directory, const SegmentHeader& header, std::size_t bytes) {
    const fs::path temporary = segmentFile(directory, header.number, ".tmp");
    reuseFreeSegment(directory, temporary);
    int file = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    const int error = errno;
    std::error_code ignored;
    MappedSegment made{.lost = file < 0 && error == ENOENT && !fs::exists(directory, ignored)};
    if (made.lost) file = ::memfd_create("dasgd-journal-without-folder", MFD_CLOEXEC);
    if (file < 0) return systemFailure("cannot create the journal segment " + temporary.string(), error);
    auto mapped = allocateAndMap(file, temporary, bytes);
    ::close(file);
    if (!mapped) {
        ::unlink(temporary.c_str());
        return tl::unexpected<Error>(std::move(mapped).error());
    }
    made.memory = *mapped;
    std::memcpy(made.memory, &header, sizeof header);
    if (made.lost || ::rename(temporary.c_str(), segmentFile(directory, header.number, ".seg").c_str()) == 0) {
        return made;
    }
    const int unnamed = errno;
    ::munmap(made.memory, bytes);
    return systemFailure("cannot rename the journal segment " + temporary.string(), unnamed);
}

}  // namespace dasgd::journal
