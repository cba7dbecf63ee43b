#include "core/journal/record_frame.h"

#include <cstdint>

#include "core/base/bytes.h"

namespace dasgd {

namespace {

constexpr std::uint32_t kNoRank = 0xffffffff;
constexpr std::uint32_t kMostRank = (std::uint32_t{1} << 20) - 1;
constexpr std::size_t kTypes = 3, kStates = 5;

template <class Bytes>
bool layout(Bytes& bytes, WrittenOrRead<EventRecord> auto& record) {
    std::uint32_t rank = record.rank ? static_cast<std::uint32_t>(*record.rank) : kNoRank;
    if (!bytes(record.sequence, rank) || !bytes.oneOf(record.type, kTypes)) return false;
    if constexpr (Bytes::kReads) {
        if (rank != kNoRank && rank > kMostRank) return false;
        if (rank != kNoRank) record.rank = static_cast<int>(rank);
    }
    auto& span = record.span;
    auto& metric = record.metric;
    switch (record.type) {
        case EventRecord::Type::Span:
            return bytes.oneOf(span.lane, kLaneNames.size()) && bytes.oneOf(span.kind, kSpanKindNames.size()) &&
                   bytes(span.step, span.start, span.end, span.bytes, span.collective, span.ranks, record.name);
        case EventRecord::Type::Metric:
            return bytes(metric.name, metric.step, metric.epoch, metric.wall, metric.samples, metric.bytesSent,
                         metric.value);
        case EventRecord::Type::State: return bytes.oneOf(record.state, kStates) && bytes(record.step, record.text);
    }
    return false;
}

}  // namespace

void appendRecord(std::string& frame, const EventRecord& record) {
    ByteWriter bytes(frame);
    layout(bytes, record);
}

Result<std::size_t> readRecords(std::string_view frame, const std::function<void(const EventRecord&)>& take) {
    std::size_t count = 0;
    std::uint64_t last = 0;
    for (ByteReader bytes(frame); !bytes.empty(); ++count) {
        EventRecord record;
        if (!layout(bytes, record) || record.sequence <= last) {
            return fail("a frame of records is damaged at record " + std::to_string(count + 1) + " of it");
        }
        last = record.sequence;
    }
    for (ByteReader bytes(frame); !bytes.empty();) {
        EventRecord record;
        static_cast<void>(layout(bytes, record));
        take(record);
    }
    return count;
}

}  // namespace dasgd
