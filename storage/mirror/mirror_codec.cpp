#include "storage/mirror/mirror_codec.h"

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

#include "core/base/bytes.h"
#include "core/base/event.h"
#include "storage/base/workspace.h"

namespace dasgd::storage {

namespace {

constexpr std::int32_t kMostMirroredRank = (1 << 20) - 1;
constexpr std::int32_t kMostState = 4;
constexpr auto kLanes = static_cast<std::int64_t>(kLaneNames.size());
constexpr auto kPartKinds = static_cast<std::int64_t>(kSpanKindNames.size());
constexpr std::size_t kMostValues = std::size_t{1} << 21;  // one may take forty times its bytes
constexpr std::uint8_t kHasDocument = 1, kIsComplete = 2;

constexpr std::size_t kMetricBytes = 64, kSpanBytes = 56, kEventBytes = 28, kLabelBytes = 12, kFileBytes = 16,
                      kKnownBytes = 5;

template <class Bytes>
bool layout(Bytes& bytes, WrittenOrRead<StoredValue> auto& value) {
    static const StoredValue kEmpty[] = {std::monostate(), std::int64_t{0}, 0.0, std::string()};
    std::size_t type = value.index();
    if (!bytes.oneOf(type, std::size(kEmpty))) return false;
    if constexpr (Bytes::kReads) value = kEmpty[type];
    return std::visit(
        [&](auto& held) {
            if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
                return true;
            else
                return bytes(held);
        },
        value);
}

template <class Bytes>
bool layout(Bytes& bytes, WrittenOrRead<RunDocument> auto& document) {
    std::size_t read = 0;
    const auto value = [&](auto& one) { return (!Bytes::kReads || ++read <= kMostValues) && layout(bytes, one); };
    const auto row = [&](auto& values) { return bytes.list(values, 1, value); };
    const auto table = [&](auto& rows) { return bytes.list(rows, 4, row); };
    return bytes.list(document.tables, 4, table) && bytes(document.schema);
}

bool layout(auto& bytes, WrittenOrRead<MirroredMetric> auto& row) {
    return bytes(row.id, row.name, row.rank, row.step, row.epoch, row.wall, row.samples, row.bytesSent, row.value);
}
bool layout(auto& bytes, WrittenOrRead<MirroredSpan> auto& row) {
    return bytes(row.id, row.tag, row.step, row.start, row.duration, row.bytes, row.collective);
}
bool layout(auto& bytes, WrittenOrRead<SpanLabel> auto& label) { return bytes(label.span, label.name); }
bool layout(auto& bytes, WrittenOrRead<MirroredEvent> auto& row) {
    return bytes(row.id, row.rank, row.state, row.step, row.text);
}
bool layout(auto& bytes, WrittenOrRead<FilePart> auto& file) { return bytes(file.path, file.offset, file.bytes); }

template <class Bytes>
bool layout(Bytes& bytes, WrittenOrRead<MirrorPart> auto& part) {
    auto flags = static_cast<std::uint8_t>((part.document ? kHasDocument : 0) | (part.complete ? kIsComplete : 0));
    if (!bytes(part.runId, flags, part.digest) || flags > (kHasDocument | kIsComplete)) return false;
    if constexpr (Bytes::kReads) {
        if ((flags & kHasDocument) != 0) part.document.emplace();
        part.complete = (flags & kIsComplete) != 0;
    }
    const auto each = [&](auto& one) { return layout(bytes, one); };
    return (!part.document || layout(bytes, *part.document)) &&
           bytes.list(part.names, 4, [&](auto& name) { return bytes(name); }) &&
           bytes.list(part.metrics, kMetricBytes, each) && bytes.list(part.spans, kSpanBytes, each) &&
           bytes.list(part.labels, kLabelBytes, each) && bytes.list(part.events, kEventBytes, each) &&
           bytes.list(part.files, kFileBytes, each);
}

bool layout(auto& bytes, WrittenOrRead<KnownRun> auto& run) {
    if (!bytes(run.runId) || !bytes.oneOf(run.foreign, 2)) return false;
    return run.foreign || (bytes(run.taken.metric, run.taken.span, run.taken.event, run.digest) &&
                           bytes.list(run.files, 12, [&](auto& file) { return bytes(file.path, file.bytes); }));
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
    layout(out, part);
    return bytes;
}

Result<MirrorPart> decodePart(std::string_view bytes) {
    MirrorPart part;
    ByteReader in(bytes);
    if (!layout(in, part) || !in.empty()) return fail("a part of a run is damaged: it is not whole");
    if (const std::string wrong = whatIsWrong(part); !wrong.empty()) {
        return fail("a part of a run is damaged: " + wrong + " is none");
    }
    return part;
}

std::string encode(const std::vector<KnownRun>& runs) {
    std::string bytes;
    ByteWriter out(bytes);
    out.list(runs, kKnownBytes, [&](const KnownRun& run) { return layout(out, run); });
    return bytes;
}

Result<std::vector<KnownRun>> decodeKnown(std::string_view bytes) {
    std::vector<KnownRun> runs;
    ByteReader in(bytes);
    const bool whole = in.list(runs, kKnownBytes, [&](KnownRun& run) { return layout(in, run); });
    if (!whole || !in.empty()) return fail("the list of known runs is damaged: it is not whole");
    return runs;
}

std::uint64_t digestOf(const RunDocument& document) {
    std::string bytes;
    ByteWriter out(bytes);
    layout(out, document);
    std::uint64_t hash = 14'695'981'039'346'656'037ULL;  // FNV-1a
    for (const char each : bytes) hash = (hash ^ static_cast<unsigned char>(each)) * 1'099'511'628'211ULL;
    return hash == 0 ? 1 : hash;
}

}  // namespace dasgd::storage
