// A packet of a Perfetto trace, taken apart.
#pragma once

#include <cstdint>
#include <string_view>

#include "experiments/tools/traces/protobuf.h"
#include "experiments/tools/traces/track_event.h"

namespace dasgd::experiments {

// A packet's fields. The last of several values of one field counts, as in the format.
struct Packet {
    std::uint64_t sequence = 0, flags = 0, timestamp = 0, clock = 0;
    bool timed = false, cleared = false;
    std::string_view event, interned, defaults, descriptor, clocks, compressed;
    bool hasEvent = false, dropped = false;
};

[[nodiscard]] inline Packet packetOf(std::string_view bytes) {
    Packet packet;
    ProtoReader reader(bytes);
    while (const auto field = reader.next()) {
        switch (field->number) {
            case perfetto::packet::kSequenceId: packet.sequence = field->value; break;
            case perfetto::packet::kSequenceFlags: packet.flags = field->value; break;
            case perfetto::packet::kStateCleared: packet.cleared = field->value != 0; break;
            case perfetto::packet::kDropped: packet.dropped = field->value != 0; break;
            case perfetto::packet::kClockId: packet.clock = field->value; break;
            case perfetto::packet::kTimestamp:
                packet.timestamp = field->value;
                packet.timed = true;
                break;
            case perfetto::packet::kTrackEvent:
                packet.event = field->bytes;
                packet.hasEvent = true;
                break;
            case perfetto::packet::kInternedData: packet.interned = field->bytes; break;
            case perfetto::packet::kDefaults: packet.defaults = field->bytes; break;
            case perfetto::packet::kTrackDescriptor: packet.descriptor = field->bytes; break;
            case perfetto::packet::kClockSnapshot: packet.clocks = field->bytes; break;
            case perfetto::packet::kCompressed: packet.compressed = field->bytes; break;
            default: break;
        }
    }
    packet.cleared = packet.cleared || (packet.flags & perfetto::packet::kFlagCleared) != 0;
    return packet;
}

}  // namespace dasgd::experiments
