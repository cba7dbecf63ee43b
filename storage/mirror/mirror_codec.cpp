#include "storage/mirror/mirror_codec.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/base/event.h"
#include "storage/base/workspace.h"
#include "storage/mirror/bytes.h"

namespace dasgd::storage {

namespace {

constexpr std::int32_t kMostMirroredRank = (1 << 20) - 1;
constexpr std::int32_t kMostState = 4;
constexpr auto kLanes = static_cast<std::int64_t>(kLaneNames.size());
constexpr auto kPartKinds = static_cast<std::int64_t>(kSpanKindNames.size());
constexpr std::size_t kMostValues = std::size_t{1} << 21;  // one may take forty times its bytes
constexpr std::uint8_t kHasDocument = 1, kIsComplete = 2;

// The order of the alternatives of StoredValue.
enum class ValueType : std::uint8_t { Null, Integer, Real, Text };

void putValue(ByteWriter& out, const StoredValue& value) {
    out.put(static_cast<std::uint8_t>(value.index()));
    if (const auto* integer = std::get_if<std::int64_t>(&value)) out.put(*integer);
    if (const auto* real = std::get_if<double>(&value)) out.put(*real);
    if (const auto* text = std::get_if<std::string>(&value)) out.putText(*text);
}

template <class T>
bool getAs(ByteReader& in, StoredValue& value) {
    return in.get(value.emplace<T>());
}

bool getValue(ByteReader& in, StoredValue& value) {
    ValueType type{};
    if (!in.get(type)) return false;
    switch (type) {
        case ValueType::Null: return true;
        case ValueType::Integer: return getAs<std::int64_t>(in, value);
        case ValueType::Real: return getAs<double>(in, value);
        case ValueType::Text: return in.getText(value.emplace<std::string>());
        default: return false;
    }
}

// `each` reads one; at least `leastBytes` of it.
template <class T, class Each>
bool getAll(ByteReader& in, std::vector<T>& all, std::size_t leastBytes, Each&& each) {
    std::size_t count = 0;
    if (!in.getCount(count, leastBytes)) return false;
    for (std::size_t i = 0; i < count; ++i) {
        if (!each(all.emplace_back())) return false;
    }
    return true;
}

template <class T, class Each>
void putAll(ByteWriter& out, const std::vector<T>& all, Each&& each) {
    out.putCount(all.size());
    for (const T& one : all) each(one);
}

void putDocument(ByteWriter& out, const RunDocument& document) {
    putAll(out, document.tables, [&](const auto& rows) {
        putAll(out, rows, [&](const StoredRow& row) {
            putAll(out, row, [&](const StoredValue& value) { putValue(out, value); });
        });
    });
    out.putText(document.schema);
}

bool getDocument(ByteReader& in, RunDocument& document) {
    std::size_t values = 0;
    const auto row = [&](StoredRow& one) {
        return getAll(in, one, 1, [&](StoredValue& value) { return ++values <= kMostValues && getValue(in, value); });
    };
    return getAll(in, document.tables, 4, [&](auto& rows) { return getAll(in, rows, 4, row); }) &&
           in.getText(document.schema);
}

// Calls `each` with the fields of a row, in their order, until it answers false; whether it never did.
bool fieldsOf(auto& metric, auto&& each) requires requires { metric.epoch; }
{
    return each(metric.id) && each(metric.name) && each(metric.rank) && each(metric.step) && each(metric.epoch) &&
           each(metric.wall) && each(metric.samples) && each(metric.bytesSent) && each(metric.value);
}
bool fieldsOf(auto& span, auto&& each) requires requires { span.collective; }
{
    return each(span.id) && each(span.tag) && each(span.step) && each(span.start) && each(span.duration) &&
           each(span.bytes) && each(span.collective);
}
bool fieldsOf(auto& event, auto&& each) requires requires { event.state; }
{ return each(event.id) && each(event.rank) && each(event.state) && each(event.step); }

void putFields(ByteWriter& out, const auto& row) {
    fieldsOf(row, [&](auto value) {
        out.put(value);
        return true;
    });
}
bool getFields(ByteReader& in, auto& row) {
    return fieldsOf(row, [&](auto& value) { return in.get(value); });
}

constexpr std::size_t kMetricBytes = 64, kSpanBytes = 56, kEventBytes = 28, kLabelBytes = 12, kFileBytes = 16;

bool getRows(ByteReader& in, MirrorPart& part) {
    return getAll(in, part.names, 4, [&](std::string& name) { return in.getText(name); }) &&
           getAll(in, part.metrics, kMetricBytes, [&](MirroredMetric& row) { return getFields(in, row); }) &&
           getAll(in, part.spans, kSpanBytes, [&](MirroredSpan& row) { return getFields(in, row); }) &&
           getAll(in, part.labels, kLabelBytes,
                  [&](SpanLabel& label) { return in.get(label.span) && in.getText(label.name); }) &&
           getAll(in, part.events, kEventBytes,
                  [&](MirroredEvent& row) { return getFields(in, row) && in.getText(row.text); }) &&
           getAll(in, part.files, kFileBytes, [&](FilePart& file) {
               return in.getText(file.path) && in.get(file.offset) && in.getText(file.bytes);
           });
}

template <class Row>
bool idsGrow(const std::vector<Row>& rows) {
    std::int64_t last = 0;
    return std::all_of(rows.begin(), rows.end(), [&](const Row& row) { return row.id > std::exchange(last, row.id); });
}

// "" where it can be taken.
std::string whatIsWrong(const MirrorPart& part) {
    if (!isRunId(part.runId)) return "the id of its run";
    if (part.complete && !part.document) return "its end";
    if (!idsGrow(part.metrics) || !idsGrow(part.spans) || !idsGrow(part.events)) return "the order of its rows";
    for (const MirroredMetric& row : part.metrics) {
        if (row.name >= part.names.size() || row.rank < -1 || row.rank > kMostMirroredRank) return "a metric";
    }
    const auto hasTag = [](const MirroredSpan& row) {
        return row.tag >= 0 && (row.tag >> 8) <= kMostMirroredRank && ((row.tag >> 6) & 3) < kLanes &&
               (row.tag & 63) < kPartKinds;
    };
    if (!std::ranges::all_of(part.spans, hasTag)) return "a span";
    for (const MirroredEvent& row : part.events) {
        if (row.rank < -1 || row.rank > kMostMirroredRank || row.state < 0 || row.state > kMostState) return "a state";
    }
    const auto isTold = [&](const SpanLabel& label) {
        return std::ranges::binary_search(part.spans, label.span, {}, &MirroredSpan::id);
    };
    if (!std::ranges::all_of(part.labels, isTold)) return "the name of a span";
    const auto isFile = [](const FilePart& file) { return isMirroredFile(file.path) && file.offset >= 0; };
    return std::ranges::all_of(part.files, isFile) ? "" : "a file";
}

}  // namespace

bool isMirroredFile(std::string_view path) {
    constexpr std::string_view kLogs = "logs/";
    if (path == "experiment.toml") return true;
    return path.starts_with(kLogs) && isRunId(std::string(path.substr(kLogs.size())));
}

std::string encode(const MirrorPart& part) {
    std::string bytes;
    ByteWriter out(bytes);
    out.putText(part.runId);
    out.put(static_cast<std::uint8_t>((part.document ? kHasDocument : 0) | (part.complete ? kIsComplete : 0)));
    out.put(part.digest);
    if (part.document) putDocument(out, *part.document);
    putAll(out, part.names, [&](const std::string& name) { out.putText(name); });
    putAll(out, part.metrics, [&](const MirroredMetric& row) { putFields(out, row); });
    putAll(out, part.spans, [&](const MirroredSpan& row) { putFields(out, row); });
    putAll(out, part.labels, [&](const SpanLabel& label) {
        out.put(label.span);
        out.putText(label.name);
    });
    putAll(out, part.events, [&](const MirroredEvent& row) {
        putFields(out, row);
        out.putText(row.text);
    });
    putAll(out, part.files, [&](const FilePart& file) {
        out.putText(file.path);
        out.put(file.offset);
        out.putText(file.bytes);
    });
    return bytes;
}

Result<MirrorPart> decodePart(std::string_view bytes) {
    MirrorPart part;
    ByteReader in(bytes);
    std::uint8_t flags = 0;
    bool whole = in.getText(part.runId) && in.get(flags) && in.get(part.digest) && flags <= 3;
    if (whole && (flags & kHasDocument) != 0) whole = getDocument(in, part.document.emplace());
    part.complete = (flags & kIsComplete) != 0;
    if (!whole || !getRows(in, part) || !in.empty()) return fail("a part of a run is damaged: it is not whole");
    if (const std::string wrong = whatIsWrong(part); !wrong.empty()) {
        return fail("a part of a run is damaged: " + wrong + " is none");
    }
    return part;
}

std::string encode(const std::vector<KnownRun>& runs) {
    std::string bytes;
    ByteWriter out(bytes);
    putAll(out, runs, [&](const KnownRun& run) {
        out.putText(run.runId);
        out.put(static_cast<std::uint8_t>(run.foreign ? 1 : 0));
        if (run.foreign) return;
        out.put(run.taken);
        out.put(run.digest);
        putAll(out, run.files, [&](const KnownFile& file) {
            out.putText(file.path);
            out.put(file.bytes);
        });
    });
    return bytes;
}

Result<std::vector<KnownRun>> decodeKnown(std::string_view bytes) {
    static_assert(std::is_trivially_copyable_v<RowPositions> && sizeof(RowPositions) == 24);
    std::vector<KnownRun> runs;
    ByteReader in(bytes);
    const auto file = [&](KnownFile& one) { return in.getText(one.path) && in.get(one.bytes); };
    const bool whole = getAll(in, runs, 5, [&](KnownRun& run) {
        std::uint8_t foreign = 0;
        if (!in.getText(run.runId) || !in.get(foreign) || foreign > 1) return false;
        run.foreign = foreign == 1;
        return run.foreign || (in.get(run.taken) && in.get(run.digest) && getAll(in, run.files, 12, file));
    });
    if (!whole || !in.empty()) return fail("the list of known runs is damaged: it is not whole");
    return runs;
}

std::uint64_t digestOf(const RunDocument& document) {
    std::string bytes;
    ByteWriter out(bytes);
    putDocument(out, document);
    std::uint64_t hash = 14'695'981'039'346'656'037ULL;  // FNV-1a
    for (const char each : bytes) hash = (hash ^ static_cast<unsigned char>(each)) * 1'099'511'628'211ULL;
    return hash == 0 ? 1 : hash;
}

}  // namespace dasgd::storage
