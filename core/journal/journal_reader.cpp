#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "core/base/check.h"
#include "core/journal/journal.h"
#include "core/journal/journal_format.h"

namespace dasgd {

namespace fs = std::filesystem;
using journal::Record;
using journal::RecordType;

namespace {

constexpr std::size_t kWindowRecords = 1024;
constexpr std::size_t kFreeSegmentsKept = 2;

Result<std::size_t> readAt(int file, void* target, std::size_t bytes, std::size_t offset, const fs::path& name) {
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t got =
            ::pread(file, static_cast<char*>(target) + done, bytes - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail("cannot read " + name.string() + ": " + std::generic_category().message(errno));
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

// Numbers of the segments in `directory`, ascending.
std::vector<std::uint64_t> segmentsIn(const fs::path& directory) {
    std::vector<std::uint64_t> numbers;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(directory, ignored)) {
        const std::string stem = entry.path().stem().string();
        std::uint64_t number = 0;
        const auto read = std::from_chars(stem.data(), stem.data() + stem.size(), number);
        const bool whole = read.ec == std::errc() && read.ptr == stem.data() + stem.size();
        if (whole && entry.path().extension() == ".seg") numbers.push_back(number);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

std::size_t freeSegments(const fs::path& directory) {
    std::size_t count = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(directory, ignored)) count += entry.path().extension() == ".free";
    return count;
}

}  // namespace

class JournalReader::Impl {
public:
    Impl(fs::path directory, std::uint64_t after) : directory_(std::move(directory)), last_(after), seen_(after) {}
    ~Impl() { closeSegment(); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    Result<std::size_t> read(std::size_t limit, const std::function<void(const EventRecord&)>& take) {
        std::size_t taken = 0;
        bufferCount_ = 0;  // bytes read before may have ended within a record
        while (taken < limit) {
            auto record = current();
            if (!record) return tl::unexpected<Error>(std::move(record).error());
            if (!*record) break;
            const bool fresh = ++seen_ > last_;
            if (!digest(**record, fresh)) continue;
            last_ = entry_.sequence = seen_;
            if (entryIsName_) continue;
            take(entry_);
            ++taken;
        }
        return taken;
    }

    [[nodiscard]] std::uint64_t last() const { return last_; }

    void release(std::uint64_t sequence) {
        if (slots_ == 0) return;
        const std::uint64_t below = std::min(sequence, last_) / (slots_ - 1);
        if (below <= releasedBelow_) return;
        for (const std::uint64_t number : segmentsIn(directory_)) {
            if (number >= below) break;
            if (file_ >= 0 && number == open_) closeSegment();
            const fs::path used = journal::segmentFile(directory_, number, ".seg");
            if (freeSegments(directory_) < kFreeSegmentsKept) {
                ::rename(used.c_str(), journal::segmentFile(directory_, number, ".free").c_str());
            } else {
                ::unlink(used.c_str());
            }
        }
        releasedBelow_ = below;
    }

    [[nodiscard]] bool damaged() {
        if (file_ < 0) return false;
        const std::uint64_t first = open_ * (slots_ - 1) + 1;
        std::vector<Record> rest(slots_ - 1);
        if (!readAt(file_, rest.data(), rest.size() * sizeof(Record), sizeof(Record), directory_)) return true;
        for (std::uint64_t sequence = std::max(seen_ + 2, first); sequence < first + rest.size(); ++sequence) {
            const Record& record = rest[sequence - first];
            if (record.seal != 0 && record.seal == record.sealFor(sequence)) return true;
        }
        return laterSegmentHasRecords();
    }

private:
    // The record after `seen_`, or null where none is whole. While nothing is open it starts at the first record of the
    // segment, to read the names defined there, and the rank that the records belong to.
    Result<const Record*> current() {
        if (file_ < 0 || seen_ / (slots_ - 1) != open_) {
            auto opened = openSegment();
            if (!opened) return tl::unexpected<Error>(std::move(opened).error());
            if (!*opened) return nullptr;
        }
        const std::uint64_t index = seen_ - open_ * (slots_ - 1);
        if (bufferCount_ == 0 || index < bufferFirst_ || index >= bufferFirst_ + bufferCount_) {
            const std::size_t wanted = std::min<std::size_t>(kWindowRecords, slots_ - 1 - index);
            auto got = readAt(file_, buffer_.data(), wanted * sizeof(Record), (index + 1) * sizeof(Record), name());
            if (!got) return tl::unexpected<Error>(std::move(got).error());
            bufferFirst_ = index;
            bufferCount_ = *got / sizeof(Record);
            if (bufferCount_ == 0) return nullptr;
        }
        const Record& record = buffer_[index - bufferFirst_];
        const std::uint64_t sequence = seen_ + 1;
        const bool right = (record.seal >> 32) == (sequence & 0xffffffff) && record.seal == record.sealFor(sequence);
        return right ? &record : nullptr;
    }

    Result<bool> openSegment() {
        const bool continues = file_ >= 0;
        closeSegment();
        if (slots_ == 0) {
            const auto numbers = segmentsIn(directory_);
            if (numbers.empty()) return false;
            auto known = learnSize(numbers.front());
            if (!known || !*known) return known;
        }
        const std::uint64_t number = seen_ / (slots_ - 1);
        const fs::path file = journal::segmentFile(directory_, number, ".seg");
        const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
        if (opened < 0) return missing(number, file, errno);
        file_ = opened;
        open_ = number;
        bufferCount_ = 0;
        DASGD_TRY(checkHeader(file));
        if (!continues) seen_ = number * (slots_ - 1);
        rank_.reset();
        return true;
    }

    Result<bool> missing(std::uint64_t number, const fs::path& file, int error) const {
        if (error != ENOENT)
            return fail("cannot open " + file.string() + ": " + std::generic_category().message(error));
        const auto numbers = segmentsIn(directory_);
        // The segment itself may have appeared in between.
        if (numbers.empty() || numbers.back() <= number) return false;
        if (std::binary_search(numbers.begin(), numbers.end(), number)) return false;
        return fail("the journal segment " + file.string() + " is missing, though later ones are there");
    }

    Result<bool> learnSize(std::uint64_t number) {
        const fs::path file = journal::segmentFile(directory_, number, ".seg");
        const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
        if (opened < 0) return false;
        journal::SegmentHeader header;
        auto got = readAt(opened, &header, sizeof header, 0, file);
        ::close(opened);
        if (!got) return tl::unexpected<Error>(std::move(got).error());
        const bool sane = header.slots >= journal::kMinSlots && header.slots <= journal::kMaxSlots;
        if (*got != sizeof header || header.magic != journal::kMagic || header.crc != header.rightCrc() || !sane) {
            return fail(file.string() + " is not a journal segment, or its header is damaged");
        }
        slots_ = header.slots;
        return true;
    }

    Status checkHeader(const fs::path& file) {
        journal::SegmentHeader header;
        auto got = readAt(file_, &header, sizeof header, 0, file);
        if (!got) return tl::unexpected<Error>(std::move(got).error());
        if (*got == sizeof header && header.crc == header.rightCrc() && header.number == open_ &&
            header.slots == slots_) {
            return {};
        }
        closeSegment();
        return fail("the header of the journal segment " + file.string() + " is damaged");
    }

    // Takes one record in; true where it completes an entry that is to be handed out.
    bool digest(const Record& record, bool fresh) {
        if (record.type == RecordType::Continuation) return continueText(record, fresh);
        missingText_ = 0;
        entryIsName_ = record.type == RecordType::Name;
        switch (record.type) {
            case RecordType::Span: digestSpan(record); return fresh;
            case RecordType::Metric: digestMetric(record); return fresh;
            case RecordType::State:
                entry_ = {.type = EventRecord::Type::State,
                          .rank = rank_,
                          .state = static_cast<RankState>(record.a),
                          .step = record.get<std::int64_t>(0)};
                return beginText(record, record.id) && fresh;
            case RecordType::Name: nameId_ = record.id; return beginText(record, record.get<std::uint64_t>(0)) && fresh;
            case RecordType::Rank: digestRank(record); return false;
            default: return false;
        }
    }

    void digestRank(const Record& record) {
        rank_.reset();
        if (record.id != journal::kOwnRank) rank_ = static_cast<int>(record.id);
    }

    void digestSpan(const Record& record) {
        entry_ = {.type = EventRecord::Type::Span, .rank = rank_};
        entry_.span = {.lane = static_cast<Lane>(record.a),
                       .kind = static_cast<SpanKind>(record.b),
                       .step = record.get<std::int64_t>(0),
                       .start = record.get<std::int64_t>(1),
                       .end = record.get<std::int64_t>(2),
                       .bytes = record.get<std::int64_t>(3),
                       .collective = record.get<std::uint64_t>(4),
                       .ranks = record.get<std::int64_t>(5)};
        if (record.id == 0) return;
        if (const auto name = names_.find(record.id); name != names_.end()) entry_.name = name->second;
    }

    void digestMetric(const Record& record) {
        const auto name = names_.find(record.id);
        entry_ = {.type = EventRecord::Type::Metric, .rank = rank_};
        entry_.metric = {.name = name == names_.end() ? std::string_view("unnamed") : std::string_view(name->second),
                         .step = record.get<std::int64_t>(0),
                         .epoch = record.get<double>(1),
                         .wall = record.get<std::int64_t>(2),
                         .samples = record.get<std::int64_t>(3),
                         .bytesSent = record.get<std::int64_t>(4),
                         .value = record.get<double>(5)};
    }

    bool beginText(const Record& record, std::uint64_t length) {
        const std::size_t here = std::min<std::uint64_t>(length, journal::kInlineTextBytes);
        text_.assign(reinterpret_cast<const char*>(record.payload.data()) + 8, here);
        missingText_ = length - here;
        return missingText_ == 0 && endText();
    }

    bool continueText(const Record& record, bool fresh) {
        if (missingText_ == 0) return false;
        const std::size_t here = std::min<std::uint64_t>(missingText_, journal::kPayloadBytes);
        text_.append(reinterpret_cast<const char*>(record.payload.data()), here);
        missingText_ -= here;
        return missingText_ == 0 && endText() && fresh;
    }

    bool endText() {
        if (entryIsName_) {
            names_[nameId_] = text_;
        } else {
            entry_.text = text_;
        }
        return true;
    }

    [[nodiscard]] bool laterSegmentHasRecords() const {
        for (const std::uint64_t number : segmentsIn(directory_)) {
            if (number <= open_) continue;
            const fs::path file = journal::segmentFile(directory_, number, ".seg");
            const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
            Record first;
            const bool got =
                opened >= 0 && readAt(opened, &first, sizeof first, sizeof first, file).value_or(0) == sizeof first;
            if (opened >= 0) ::close(opened);
            const std::uint64_t sequence = number * (slots_ - 1) + 1;
            // The very next record may be the one that was being written.
            if (got && sequence > seen_ + 1 && first.seal == first.sealFor(sequence)) return true;
        }
        return false;
    }

    void closeSegment() {
        if (file_ >= 0) ::close(file_);
        file_ = -1;
    }
    [[nodiscard]] fs::path name() const { return journal::segmentFile(directory_, open_, ".seg"); }

    const fs::path directory_;
    std::uint64_t last_;  // sequence of the last entry handed out
    std::uint64_t seen_;  // sequence of the last record looked at
    std::size_t slots_ = 0;
    std::uint64_t releasedBelow_ = 0;

    int file_ = -1;
    std::uint64_t open_ = 0;
    std::vector<Record> buffer_ = std::vector<Record>(kWindowRecords);
    std::uint64_t bufferFirst_ = 0;
    std::size_t bufferCount_ = 0;

    std::optional<int> rank_;  // rank of the records here; nullopt: the journal's own
    EventRecord entry_;
    bool entryIsName_ = false;
    std::uint32_t nameId_ = 0;
    std::uint64_t missingText_ = 0;
    std::string text_;
    std::unordered_map<std::uint32_t, std::string> names_;
};

JournalReader::JournalReader(fs::path directory, std::uint64_t afterSequence)
    : impl_(std::make_unique<Impl>(std::move(directory), afterSequence)) {}
JournalReader::~JournalReader() = default;
JournalReader::JournalReader(JournalReader&&) noexcept = default;
JournalReader& JournalReader::operator=(JournalReader&&) noexcept = default;

Result<std::size_t> JournalReader::read(std::size_t limit, const std::function<void(const EventRecord&)>& take) {
    return impl_->read(limit, take);
}
std::uint64_t JournalReader::lastSequence() const { return impl_->last(); }
bool JournalReader::damaged() const { return impl_->damaged(); }
void JournalReader::release(std::uint64_t sequence) { impl_->release(sequence); }

}  // namespace dasgd
