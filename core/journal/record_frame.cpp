#include "core/journal/record_frame.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

namespace dasgd {

namespace {

static_assert(std::endian::native == std::endian::little, "frames hold little-endian numbers as they are");

constexpr std::uint32_t kNoRank = 0xffffffff;
constexpr std::uint32_t kMostRank = (std::uint32_t{1} << 20) - 1;

template <class T>
void put(std::string& out, T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out.append(bytes, sizeof(T));
}

void putText(std::string& out, std::string_view text) {
    put(out, static_cast<std::uint32_t>(text.size()));
    out.append(text);
}

class Bytes {
public:
    explicit Bytes(std::string_view bytes) : rest_(bytes) {}
    [[nodiscard]] bool empty() const { return rest_.empty(); }

    template <class T>
    bool get(T& value) {
        if (rest_.size() < sizeof(T)) return false;
        std::memcpy(&value, rest_.data(), sizeof(T));
        rest_.remove_prefix(sizeof(T));
        return true;
    }
    bool getText(std::string_view& text) {
        std::uint32_t size = 0;
        if (!get(size) || rest_.size() < size) return false;
        text = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return true;
    }
    // Reads one byte that numbers one of `count` values.
    template <class E>
    bool getOneOf(E& value, std::size_t count) {
        std::uint8_t number = 0;
        if (!get(number) || number >= count) return false;
        value = static_cast<E>(number);
        return true;
    }

private:
    std::string_view rest_;
};

constexpr std::size_t kTypes = 3, kStates = 5;

// Calls `each` with the numbers of a span or a metric, 8 bytes each and in the order of a frame, until it answers
// false. Returns true where it never did.
bool numbersOf(auto& span, auto&& each) requires requires { span.collective; }
{
    return each(span.step) && each(span.start) && each(span.end) && each(span.bytes) && each(span.collective) &&
           each(span.ranks);
}
bool numbersOf(auto& metric, auto&& each) requires requires { metric.epoch; }
{
    return each(metric.step) && each(metric.epoch) && each(metric.wall) && each(metric.samples) &&
           each(metric.bytesSent) && each(metric.value);
}

void putNumbers(std::string& out, const auto& of) {
    numbersOf(of, [&](auto value) {
        put(out, value);
        return true;
    });
}

bool getNumbers(Bytes& bytes, auto& of) {
    return numbersOf(of, [&](auto& value) { return bytes.get(value); });
}

bool getSpan(Bytes& bytes, EventRecord& record) {
    Span& span = record.span;
    return bytes.getOneOf(span.lane, kLaneNames.size()) && bytes.getOneOf(span.kind, kSpanKindNames.size()) &&
           getNumbers(bytes, span) && bytes.getText(record.name);
}

bool getMetric(Bytes& bytes, EventRecord& record) {
    return bytes.getText(record.metric.name) && getNumbers(bytes, record.metric);
}

std::optional<EventRecord> next(Bytes& bytes) {
    EventRecord record;
    std::uint32_t rank = 0;
    if (!bytes.get(record.sequence) || !bytes.get(rank) || !bytes.getOneOf(record.type, kTypes)) return std::nullopt;
    if (rank != kNoRank) {
        if (rank > kMostRank) return std::nullopt;
        record.rank = static_cast<int>(rank);
    }
    bool whole = false;
    switch (record.type) {
        case EventRecord::Type::Span: whole = getSpan(bytes, record); break;
        case EventRecord::Type::Metric: whole = getMetric(bytes, record); break;
        case EventRecord::Type::State:
            whole = bytes.getOneOf(record.state, kStates) && bytes.get(record.step) && bytes.getText(record.text);
            break;
    }
    return whole ? std::optional(record) : std::nullopt;
}

}  // namespace

void appendRecord(std::string& frame, const EventRecord& record) {
    put(frame, record.sequence);
    put(frame, record.rank ? static_cast<std::uint32_t>(*record.rank) : kNoRank);
    put(frame, static_cast<std::uint8_t>(record.type));
    switch (record.type) {
        case EventRecord::Type::Span:
            put(frame, static_cast<std::uint8_t>(record.span.lane));
            put(frame, static_cast<std::uint8_t>(record.span.kind));
            putNumbers(frame, record.span);
            putText(frame, record.name);
            break;
        case EventRecord::Type::Metric:
            putText(frame, record.metric.name);
            putNumbers(frame, record.metric);
            break;
        case EventRecord::Type::State:
            put(frame, static_cast<std::uint8_t>(record.state));
            put(frame, record.step);
            putText(frame, record.text);
            break;
    }
}

Result<std::size_t> readRecords(std::string_view frame, const std::function<void(const EventRecord&)>& take) {
    std::size_t count = 0;
    std::uint64_t last = 0;
    for (Bytes bytes(frame); !bytes.empty(); ++count) {
        const auto record = next(bytes);
        if (!record || record->sequence <= last) {
            return fail("a frame of records is damaged at record " + std::to_string(count + 1) + " of it");
        }
        last = record->sequence;
    }
    for (Bytes bytes(frame); !bytes.empty();) take(*next(bytes));
    return count;
}

}  // namespace dasgd
