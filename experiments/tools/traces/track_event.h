// Numbers of the fields of Perfetto's TrackEvent format that traces are read and written with: those of the public
// definitions in protos/perfetto/trace of github.com/google/perfetto (trace.proto, trace_packet.proto,
// clock_snapshot.proto, interned_data/interned_data.proto,
// track_event/{track_event,track_descriptor,process_descriptor,
// thread_descriptor,counter_descriptor,debug_annotation}.proto), named after them.
#pragma once

#include <cstdint>

namespace dasgd::experiments::perfetto {

namespace trace {
inline constexpr std::uint32_t kPacket = 1;
}
namespace packet {
inline constexpr std::uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11,
                               kInternedData = 12, kSequenceFlags = 13, kStateCleared = 41, kDropped = 42,
                               kCompressed = 50, kClockId = 58, kDefaults = 59, kTrackDescriptor = 60;
inline constexpr std::uint64_t kFlagCleared = 1;
}  // namespace packet
namespace defaults {
inline constexpr std::uint32_t kTrackEvent = 11, kClockId = 58, kTrack = 11;
}
namespace clock {
inline constexpr std::uint32_t kClocks = 1, kId = 1, kTimestamp = 2, kIncremental = 3, kUnitNs = 4;
inline constexpr std::uint64_t kFirstOfSequence = 64;  // clocks below are those of the host
}  // namespace clock
namespace event {
inline constexpr std::uint32_t kCategoryId = 3, kAnnotation = 4, kType = 9, kNameId = 10, kTrack = 11, kCategory = 22,
                               kName = 23, kDoubleValue = 44, kFlow = 47, kTerminatingFlow = 48;
inline constexpr std::uint64_t kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4;
}  // namespace event
namespace annotation {
inline constexpr std::uint32_t kNameId = 1, kBool = 2, kUint = 3, kInt = 4, kString = 6, kName = 10;
}
namespace interned {
inline constexpr std::uint32_t kCategories = 1, kNames = 2, kAnnotationNames = 3, kId = 1, kName = 2;
}
namespace descriptor {
inline constexpr std::uint32_t kTrack = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8,
                               kStaticName = 10;
inline constexpr std::uint32_t kPid = 1, kTid = 2, kThreadName = 5, kProcessName = 6;
}  // namespace descriptor

// Names with which our own traces tell what the format has no field for.
inline constexpr const char* kRunMark = "dasgd run";

}  // namespace dasgd::experiments::perfetto
