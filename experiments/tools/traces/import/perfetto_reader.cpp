#include "experiments/tools/traces/import/perfetto_reader.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiments/tools/traces/import/perfetto_packet.h"
#include "experiments/tools/traces/protobuf.h"
#include "experiments/tools/traces/track_event.h"

namespace dasgd::experiments {

namespace {

namespace pf = perfetto;

// Limits for all writers together.
constexpr std::size_t kMostInterned = 64 << 20;  // bytes of names and of what keeps them
constexpr std::size_t kInternedNode = 112;       // bytes beside a name
constexpr std::size_t kMostSequences = 65'536;
constexpr std::size_t kMostClocks = 262'144;

using Interned = std::map<std::pair<std::uint32_t, std::uint64_t>, std::string>;  // by field and id

// State that the packets of one writer share.
struct Sequence {
    struct Clock {
        Ns offset = 0, newest = 0;
        std::uint64_t unit = 1;
        bool incremental = false;
    };
    Interned names;
    std::map<std::uint64_t, Clock> clocks;
    std::uint64_t clock = 0, track = 0;  // of packets that name none
};

struct Track {
    std::string process;
    std::uint64_t parent = 0;
    bool counter = false;
};

struct Annotations {
    std::map<std::string, std::pair<std::int64_t, std::string>, std::less<>> values;
    [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t otherwise) const {
        const auto found = values.find(name);
        return found == values.end() ? otherwise : found->second.first;
    }
    [[nodiscard]] std::string text(std::string_view name) const {
        const auto found = values.find(name);
        return found == values.end() ? std::string() : found->second.second;
    }
};

class PerfettoEvents {
public:
    explicit PerfettoEvents(TraceSlices& slices) : slices_(slices) {}

    void packet(std::string_view bytes, int depth = 0) {
        const Packet packet = packetOf(bytes);
        if (sequences_.size() >= kMostSequences && !sequences_.contains(packet.sequence))
            return void(++slices_.dropped["packets of more than 65,536 writers"]);
        Sequence& sequence = sequences_[packet.sequence];
        if (packet.cleared) {
            for (const auto& [id, name] : sequence.names) internedBytes_ -= name.size() + kInternedNode;
            sequence = {};
        }
        if (packet.dropped) ++slices_.dropped["gaps that the recorder reported"];
        if (!packet.compressed.empty()) return unpack(packet.compressed, depth);
        if (!packet.defaults.empty()) readDefaults(packet.defaults, sequence);
        if (!packet.interned.empty()) readInterned(packet.interned, sequence);
        if (!packet.clocks.empty()) readClocks(packet.clocks, sequence);
        if (!packet.descriptor.empty()) readDescriptor(packet.descriptor);
        if (packet.hasEvent) readEvent(packet, sequence);
    }

private:
    void unpack(std::string_view bytes, int depth) {
        if (depth > 0) return void(++slices_.dropped["packed packets inside of packed ones"]);
        z_stream stream{};
        if (::inflateInit(&stream) != Z_OK) return;
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream.avail_in = static_cast<uInt>(bytes.size());
        std::string text;
        std::vector<char> part(1 << 16);
        int outcome = Z_OK;
        while (outcome == Z_OK && text.size() < kLargestPacket) {
            stream.next_out = reinterpret_cast<Bytef*>(part.data());
            stream.avail_out = static_cast<uInt>(part.size());
            outcome = ::inflate(&stream, Z_NO_FLUSH);
            text.append(part.data(), part.size() - stream.avail_out);
        }
        ::inflateEnd(&stream);
        if (outcome != Z_STREAM_END) ++slices_.dropped["packed packets that are damaged or too large"];
        ProtoReader packets(text);
        while (const auto field = packets.next()) {
            if (field->number == pf::trace::kPacket && field->hasLength) packet(field->bytes, depth + 1);
        }
    }

    static void readDefaults(std::string_view bytes, Sequence& sequence) {
        ProtoReader reader(bytes);
        while (const auto field = reader.next()) {
            if (field->number == pf::defaults::kClockId) sequence.clock = field->value;
            if (field->number != pf::defaults::kTrackEvent) continue;
            ProtoReader event(field->bytes);
            while (const auto inner = event.next()) {
                if (inner->number == pf::defaults::kTrack) sequence.track = inner->value;
            }
        }
    }

    void readInterned(std::string_view bytes, Sequence& sequence) {
        ProtoReader reader(bytes);
        while (const auto field = reader.next()) {
            if (field->number > pf::interned::kAnnotationNames) continue;
            std::uint64_t id = 0;
            std::string_view name;
            ProtoReader entry(field->bytes);
            while (const auto inner = entry.next()) {
                if (inner->number == pf::interned::kId) id = inner->value;
                if (inner->number == pf::interned::kName) name = inner->bytes;
            }
            name = name.substr(0, TraceNames::kLongest);
            const auto known = sequence.names.find({field->number, id});
            if (known != sequence.names.end()) {
                const std::size_t others = internedBytes_ - known->second.size();
                if (others + name.size() > kMostInterned) continue;
                internedBytes_ = others + name.size();
                known->second = name;
            } else if (internedBytes_ + name.size() + kInternedNode <= kMostInterned) {
                internedBytes_ += name.size() + kInternedNode;
                sequence.names.emplace(std::pair(field->number, id), name);
            } else {
                ++slices_.dropped["names beyond 64 MiB of them"];
            }
        }
    }

    // Clocks of a writer, against the host's clock in the same snapshot.
    void readClocks(std::string_view bytes, Sequence& sequence) {
        struct One {
            std::uint64_t id = 0, at = 0, unit = 1;
            bool incremental = false;
        };
        std::vector<One> clocks;
        ProtoReader reader(bytes);
        while (const auto field = reader.next()) {
            if (field->number != pf::clock::kClocks) continue;
            One one;
            ProtoReader entry(field->bytes);
            while (const auto inner = entry.next()) {
                if (inner->number == pf::clock::kId) one.id = inner->value;
                if (inner->number == pf::clock::kTimestamp) one.at = inner->value;
                if (inner->number == pf::clock::kUnitNs) one.unit = std::max<std::uint64_t>(1, inner->value);
                if (inner->number == pf::clock::kIncremental) one.incremental = inner->value != 0;
            }
            clocks.push_back(one);
        }
        const auto host = std::find_if(clocks.begin(), clocks.end(),
                                       [](const One& one) { return one.id < pf::clock::kFirstOfSequence; });
        if (host == clocks.end()) return;
        for (const One& one : clocks) {
            if (one.id < pf::clock::kFirstOfSequence) continue;
            if (!sequence.clocks.contains(one.id) && clocks_++ >= kMostClocks) continue;
            const auto own = static_cast<Ns>(one.at * one.unit);
            sequence.clocks[one.id] = {static_cast<Ns>(host->at * host->unit - one.at * one.unit), own, one.unit,
                                       one.incremental};
        }
    }

    void readDescriptor(std::string_view bytes) {
        std::uint64_t id = 0, parent = 0;
        std::string name, process, thread;
        bool counter = false, isProcess = false;
        ProtoReader reader(bytes);
        while (const auto field = reader.next()) {
            switch (field->number) {
                case pf::descriptor::kTrack: id = field->value; break;
                case pf::descriptor::kParent: parent = field->value; break;
                case pf::descriptor::kName:
                case pf::descriptor::kStaticName: name = field->bytes; break;
                case pf::descriptor::kCounter: counter = true; break;
                case pf::descriptor::kProcess:
                    isProcess = true;
                    readMember(field->bytes, pf::descriptor::kProcessName, process, name);
                    break;
                case pf::descriptor::kThread:
                    readMember(field->bytes, pf::descriptor::kThreadName, process, thread);
                    break;
                default: break;
            }
        }
        if (tracks_.size() > TraceSlices::kMostTracks) return;
        if (process.empty() && parent != 0) process = processOf(parent);
        tracks_[id] = {process, parent, counter};
        if (isProcess) slices_.nameProcess(process, name);
        if (!isProcess && !counter) {
            slices_.nameThread(process, std::to_string(id), name.empty() ? thread : name);
        }
    }

    static void readMember(std::string_view bytes, std::uint32_t nameField, std::string& process, std::string& name) {
        ProtoReader reader(bytes);
        while (const auto field = reader.next()) {
            if (field->number == pf::descriptor::kPid)
                process = std::to_string(static_cast<std::int64_t>(field->value));
            if (field->number == nameField && field->hasLength) name = field->bytes;
        }
    }

    // The process of the track, or of its nearest ancestor that has one.
    std::string processOf(std::uint64_t track) const {
        for (int depth = 0; depth < 16; ++depth) {
            const auto found = tracks_.find(track);
            if (found == tracks_.end()) break;
            if (!found->second.process.empty() || found->second.parent == track) return found->second.process;
            track = found->second.parent;
        }
        return {};
    }

    std::optional<Ns> instantOf(const Packet& packet, Sequence& sequence) {
        if (!packet.timed) return std::nullopt;
        const std::uint64_t id = packet.clock != 0 ? packet.clock : sequence.clock;
        if (id < pf::clock::kFirstOfSequence) {
            if (packet.timestamp > static_cast<std::uint64_t>(std::numeric_limits<Ns>::max())) return std::nullopt;
            return static_cast<Ns>(packet.timestamp);
        }
        const auto known = sequence.clocks.find(id);
        if (known == sequence.clocks.end()) return std::nullopt;
        Sequence::Clock& clock = known->second;
        const auto own = static_cast<Ns>(packet.timestamp * clock.unit);
        // Sums without a sign, as a damaged file may hold anything.
        const auto at =
            static_cast<std::uint64_t>(clock.incremental ? clock.newest : 0) + static_cast<std::uint64_t>(own);
        clock.newest = static_cast<Ns>(at);
        return static_cast<Ns>(at + static_cast<std::uint64_t>(clock.offset));
    }

    void readAnnotation(std::string_view bytes, const Sequence& sequence, Annotations& to) {
        std::string name;
        std::pair<std::int64_t, std::string> value;
        ProtoReader reader(bytes);
        while (const auto field = reader.next()) {
            switch (field->number) {
                case pf::annotation::kNameId:
                    name = nameOf(sequence, pf::interned::kAnnotationNames, field->value);
                    break;
                case pf::annotation::kName: name = field->bytes; break;
                case pf::annotation::kBool:
                case pf::annotation::kUint:
                case pf::annotation::kInt: value.first = static_cast<std::int64_t>(field->value); break;
                case pf::annotation::kString: value.second = field->bytes; break;
                default: break;
            }
        }
        to.values[name] = std::move(value);
    }

    static std::string nameOf(const Sequence& sequence, std::uint32_t kind, std::uint64_t id) {
        const auto found = sequence.names.find({kind, id});
        return found == sequence.names.end() ? std::string() : found->second;
    }

    void readEvent(const Packet& packet, Sequence& sequence) {
        std::uint64_t type = 0, track = sequence.track;
        std::string name, category;
        Annotations annotations;
        ProtoReader reader(packet.event);
        while (const auto field = reader.next()) {
            switch (field->number) {
                case pf::event::kType: type = field->value; break;
                case pf::event::kTrack: track = field->value; break;
                case pf::event::kName: name = field->bytes; break;
                case pf::event::kCategory: category = field->bytes; break;
                case pf::event::kNameId: name = nameOf(sequence, pf::interned::kNames, field->value); break;
                case pf::event::kCategoryId:
                    category = nameOf(sequence, pf::interned::kCategories, field->value);
                    break;
                case pf::event::kAnnotation: readAnnotation(field->bytes, sequence, annotations); break;
                default: break;
            }
        }
        const auto at = instantOf(packet, sequence);
        if (type == pf::event::kInstant && name == pf::kRunMark) return readRun(annotations);
        const std::string thread = std::to_string(track);
        const std::string process = processOf(track);
        slices_.take(
            {.phase = phaseOf(type),
             .name = name,
             .category = category,
             .process = process,
             .thread = thread,
             .at = at,
             .step = annotations.number("step", -1),
             .bytes = std::max<std::int64_t>(0, annotations.number("bytes", 0)),
             .collective = static_cast<std::uint64_t>(std::max<std::int64_t>(0, annotations.number("collective", 0)))});
    }

    static TraceEvent::Phase phaseOf(std::uint64_t type) {
        using Phase = TraceEvent::Phase;
        constexpr std::array<Phase, 5> kPhases{Phase::Other, Phase::Begin, Phase::End, Phase::Mark, Phase::Counter};
        return type < kPhases.size() ? kPhases[type] : Phase::Other;
    }

    void readRun(const Annotations& run) {
        slices_.origin.run = run.text("run");
        slices_.origin.experiment = run.text("experiment");
        slices_.origin.algorithm = run.text("algorithm");
        if (run.values.contains("steps")) slices_.origin.steps = run.number("steps", 0);
        slices_.origin.simulated = run.number("simulated", 0) != 0;
        slices_.origin.base = run.number("origin", 0);
    }

    TraceSlices& slices_;
    std::map<std::uint64_t, Sequence> sequences_;
    std::size_t internedBytes_ = 0;
    std::size_t clocks_ = 0;
    std::map<std::uint64_t, Track> tracks_;
};

// nullopt: the file ends, or holds no varint here.
std::optional<std::uint64_t> varintOf(std::streambuf& from) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        const int byte = from.sbumpc();
        if (byte == std::char_traits<char>::eof()) return std::nullopt;
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    return std::nullopt;
}

bool skip(std::streambuf& from, std::uint64_t length) {
    std::array<char, 4096> part{};
    while (length > 0) {
        const auto wanted = static_cast<std::streamsize>(std::min<std::uint64_t>(length, part.size()));
        if (from.sgetn(part.data(), wanted) != wanted) return false;
        length -= static_cast<std::uint64_t>(wanted);
    }
    return true;
}

}  // namespace

void readPerfettoTrace(std::istream& bytes, TraceSlices& slices) {
    PerfettoEvents events(slices);
    std::streambuf& from = *bytes.rdbuf();
    std::string packet;
    for (std::int64_t read = 0; from.sgetc() != std::char_traits<char>::eof(); ++read) {
        const auto tag = varintOf(from);
        const bool isPacket = tag && *tag == (pf::trace::kPacket << 3 | 2);
        const auto length = isPacket ? varintOf(from) : std::nullopt;
        bool whole = length.has_value();
        if (whole && *length > kLargestPacket) {
            ++slices.dropped["packets of more than 64 MiB"];
            whole = skip(from, *length);
            if (whole) continue;
        } else if (whole) {
            packet.resize(*length);
            const auto wanted = static_cast<std::streamsize>(*length);
            whole = from.sgetn(packet.data(), wanted) == wanted;
        }
        if (!whole) {
            slices.stoppedAt =
                (tag && !isPacket ? "it is no Perfetto trace after packet " : "it is cut off in packet ") +
                std::to_string(read + (tag && !isPacket ? 0 : 1));
            return;
        }
        events.packet(packet);
    }
}

}  // namespace dasgd::experiments
