// The segment files of a journal. A second one begins where the first, by its header, ends.
#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/journal/journal.h"
#include "core/journal/journal_format.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_dir.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace dasgd;
using dasgd::fuzz::require;
using journal::kSlotBytes;
using journal::Record;
using journal::SegmentHeader;

template <class T>
T partOf(const std::uint8_t* from) {
    T part;
    std::memcpy(&part, from, sizeof part);
    return part;
}

// Number of bytes of the input that are the first segment.
std::size_t firstSegment(const std::uint8_t* data, std::size_t size) {
    if (size < kSlotBytes) return size;
    const std::uint64_t slots = partOf<SegmentHeader>(data).slots;
    const bool sane = slots >= journal::kMinSlots && slots <= journal::kMaxSlots;
    return sane ? std::min<std::size_t>(size, slots * kSlotBytes) : size;
}

// Makes every checksum right, so that what the records say is read.
void seal(std::uint8_t* data, std::size_t size, std::uint64_t number) {
    if (size < kSlotBytes) return;
    auto header = partOf<SegmentHeader>(data);
    header.crc = header.rightCrc();
    std::memcpy(data, &header, sizeof header);
    for (std::size_t slot = 1; (slot + 1) * kSlotBytes <= size; ++slot) {
        auto record = partOf<Record>(data + slot * kSlotBytes);
        if (record.type == journal::RecordType{}) continue;  // where nothing was written yet
        record.seal = record.sealFor(number * (header.slots - 1) + slot);
        std::memcpy(data + slot * kSlotBytes, &record, sizeof record);
    }
}

struct Entry {
    std::uint64_t sequence = 0;
    std::string fields, names;
    bool operator==(const Entry&) const = default;
};

template <class... Numbers>
std::string bitsOf(const Numbers&... numbers) {
    std::string bits;
    (bits.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
    return bits;
}

Entry entryOf(const EventRecord& record) {
    Entry entry{.sequence = record.sequence};
    entry.fields = bitsOf(record.type, record.rank.value_or(-1));
    switch (record.type) {
        case EventRecord::Type::Span:
            entry.fields += bitsOf(record.span.lane, record.span.kind, record.span.step, record.span.start,
                                   record.span.end, record.span.bytes, record.span.collective, record.span.ranks);
            entry.names = record.name;
            break;
        case EventRecord::Type::Metric:
            entry.fields += bitsOf(record.metric.step, record.metric.epoch, record.metric.wall, record.metric.samples,
                                   record.metric.bytesSent, record.metric.value);
            entry.names = record.metric.name;
            break;
        case EventRecord::Type::State:
            entry.fields += bitsOf(record.state, record.step) + std::string(record.text);
            break;
    }
    return entry;
}

// `failed`: whether the reader came upon an error, which is none of the entries before it.
std::vector<Entry> readAll(JournalReader& reader, std::size_t atOnce, bool& failed) {
    std::vector<Entry> entries;
    for (;;) {
        std::size_t taken = 0;
        const auto read = reader.read(atOnce, [&](const EventRecord& record) {
            entries.push_back(entryOf(record));
            ++taken;
        });
        failed = !read;
        require(failed || *read == taken, "the answer counts the entries");
        require(taken <= atOnce, "no more than were asked for");
        if (failed || taken == 0) return entries;
    }
}

void check(const std::filesystem::path& folder, std::size_t segments, std::uint64_t slots) {
    bool failed = false;
    JournalReader whole(folder);
    const std::vector<Entry> all = readAll(whole, 1'000'000, failed);
    for (std::size_t i = 0; i < all.size(); ++i) {
        require(all[i].sequence > (i == 0 ? 0 : all[i - 1].sequence), "sequences grow");
    }
    require(all.empty() || whole.lastSequence() >= all.back().sequence, "the last sequence is of what was taken");
    // The check takes as much memory as a whole segment has by its header: up to 1 GiB, and seconds.
    if (!failed && slots <= 4096) static_cast<void>(whole.damaged());

    JournalReader inParts(folder);
    require(readAll(inParts, 3, failed) == all, "parts are the whole");
    if (all.empty()) return;
    const std::size_t half = all.size() / 2;
    JournalReader later(folder, all[half].sequence);
    std::vector<Entry> rest = readAll(later, 1'000'000, failed);
    std::vector<Entry> expected(all.begin() + static_cast<std::ptrdiff_t>(half) + 1, all.end());
    // A writer repeats its names in every segment; the segments read here may not.
    for (auto* entries : {&rest, &expected}) {
        for (Entry& entry : *entries) entry.names.resize(segments == 1 ? entry.names.size() : 0);
    }
    require(rest == expected, "who goes on after an entry reads the entries after it");
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, most);
    if (seed % 4 == 0) return size;
    const std::size_t first = firstSegment(data, size);
    seal(data, first, 0);
    seal(data + first, size - first, 1);
    return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const test::TempDir folder;
    const std::size_t first = firstSegment(data, size);
    const auto second = journal::segmentFile(folder.path(), 1, ".seg");
    std::filesystem::remove(second);
    folder.write(journal::segmentFile({}, 0, ".seg").string(), fuzz::textOf(data, first));
    if (first < size) folder.write(second.filename().string(), fuzz::textOf(data + first, size - first));
    check(folder.path(), first == size ? 1 : 2, size < kSlotBytes ? 0 : partOf<SegmentHeader>(data).slots);
    return 0;
}
