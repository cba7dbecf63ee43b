#include "experiments/tools/traces/import/slice_sorter.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>

namespace dasgd::experiments {

namespace {

constexpr std::size_t kReadAtOnce = 4096;  // slices of a part in memory while parts are merged

bool before(const Slice& a, const Slice& b) { return a.start != b.start ? a.start < b.start : a.end > b.end; }

}  // namespace

struct SliceSorter::Part {
    std::size_t number = 0;
    std::FILE* file = nullptr;
    std::vector<Slice> read;
    std::size_t at = 0;
    ~Part() {
        if (file) std::fclose(file);
    }
    static bool isLater(const std::shared_ptr<Part>& a, const std::shared_ptr<Part>& b) {
        return before(b->front(), a->front()) || (!before(a->front(), b->front()) && b->number < a->number);
    }
    [[nodiscard]] const Slice& front() const { return read[at]; }
    // False: no more.
    bool fetch() {
        if (at < read.size()) return true;
        read.resize(kReadAtOnce);
        read.resize(std::fread(read.data(), sizeof(Slice), kReadAtOnce, file));
        at = 0;
        return !read.empty();
    }
};

void SliceSorter::add(const Slice& slice) {
    kept_.push_back(slice);
    ++size_;
    if (kept_.size() >= slicesOfPart_) writePart();
}

void SliceSorter::writePart() {
    std::stable_sort(kept_.begin(), kept_.end(), before);
    std::string name = (scratch_ / "import-XXXXXX").string();
    const int handle = error_.empty() ? ::mkostemp(name.data(), O_CLOEXEC) : -1;
    auto part = std::make_shared<Part>();
    part->number = parts_.size();
    if (handle >= 0) {
        ::unlink(name.c_str());
        part->file = ::fdopen(handle, "w+b");
    }
    const bool written = part->file &&
                         std::fwrite(kept_.data(), sizeof(Slice), kept_.size(), part->file) == kept_.size() &&
                         std::fflush(part->file) == 0;
    if (!written && error_.empty()) {
        error_ = scratch_.string() + ": slices cannot be put aside: " + std::strerror(errno);
    }
    kept_.clear();
    parts_.push_back(std::move(part));
}

Status SliceSorter::close() {
    if (!parts_.empty() && !kept_.empty()) writePart();
    if (!error_.empty()) return fail(error_);
    std::stable_sort(kept_.begin(), kept_.end(), before);
    rewind();
    return {};
}

void SliceSorter::rewind() {
    next_ = 0;
    merged_ = parts_;
    for (const auto& part : merged_) {
        std::rewind(part->file);
        part->read.clear();
        part->at = 0;
    }
    std::erase_if(merged_, [](const auto& part) { return !part->fetch(); });
    std::make_heap(merged_.begin(), merged_.end(), Part::isLater);
}

void SliceSorter::clear() {
    merged_.clear();
    parts_.clear();
    kept_ = {};
}

std::optional<Slice> SliceSorter::next() {
    if (merged_.empty()) {
        if (next_ < kept_.size()) return kept_[next_++];
        return std::nullopt;
    }
    std::pop_heap(merged_.begin(), merged_.end(), Part::isLater);
    const auto& part = merged_.back();
    const Slice slice = part->read[part->at++];
    if (part->fetch()) {
        std::push_heap(merged_.begin(), merged_.end(), Part::isLater);
        return slice;
    }
    if (std::ferror(part->file) != 0) error_ = "slices that were put aside cannot be read again";
    merged_.pop_back();
    return slice;
}

}  // namespace dasgd::experiments
