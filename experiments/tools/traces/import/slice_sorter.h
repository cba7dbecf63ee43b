// Sorts any number of slices by their start in bounded memory: sorted parts on the disk, merged while they are read.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace dasgd::experiments {

struct Slice {
    Ns start = 0, end = 0;
    std::int64_t step = -1, bytes = 0;  // step −1: the file names none
    std::uint64_t collective = 0;
    std::uint32_t track = 0, name = 0, category = 0;
};

class SliceSorter {
public:
    static constexpr std::size_t kSlicesOfPart = 1 << 19;  // 28 MB

    // The parts are files without a name in the folder `scratch`: gone with the process, however it ends.
    explicit SliceSorter(std::filesystem::path scratch, std::size_t slicesOfPart = kSlicesOfPart)
        : scratch_(std::move(scratch)), slicesOfPart_(slicesOfPart) {}

    void add(const Slice& slice);
    // No more; then next() begins with the first. Errors: the disk, which may also have been full before.
    Status close();
    // By start; of those that start together the longest first, and else in the order of add(). nullopt: no more.
    [[nodiscard]] std::optional<Slice> next();
    [[nodiscard]] std::int64_t size() const { return size_; }
    // next() begins with the first again.
    void rewind();
    // Frees the memory and the disk; there is nothing more to read.
    void clear();
    // Why next() ended too early, or "".
    [[nodiscard]] const std::string& error() const { return error_; }

private:
    struct Part;
    void writePart();

    const std::filesystem::path scratch_;
    const std::size_t slicesOfPart_;
    std::vector<Slice> kept_;
    std::vector<std::shared_ptr<Part>> parts_, merged_;  // all; a heap of those that have more slices
    std::size_t next_ = 0;
    std::int64_t size_ = 0;
    std::string error_;
};

}  // namespace dasgd::experiments
