#include "experiments/tools/traces/import/perfetto_reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <sstream>

#include "experiments/tools/traces/protobuf.h"
#include "experiments/tools/traces/track_event.h"
#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

namespace pf = perfetto;

std::string packet(const ProtoWriter& fields) { return ProtoWriter().message(pf::trace::kPacket, fields).bytes(); }

ProtoWriter event(std::uint64_t type, std::uint64_t track) {
    ProtoWriter writer;
    writer.number(pf::event::kType, type).number(pf::event::kTrack, track);
    return writer;
}

ProtoWriter interned(std::uint32_t field, std::uint64_t id, const char* name) {
    ProtoWriter entry, data;
    entry.number(pf::interned::kId, id).text(pf::interned::kName, name);
    data.message(field, entry);
    return data;
}

// Tracks with a process above, interned names, a clock of the writer that counts microseconds from the one before.
std::string trace() {
    ProtoWriter process, track, thread, clocks, host, own, defaults;
    process.number(pf::descriptor::kPid, 41).text(pf::descriptor::kProcessName, "rank 2");
    track.number(pf::descriptor::kTrack, 7).message(pf::descriptor::kProcess, process);
    thread.number(pf::descriptor::kTrack, 8).number(pf::descriptor::kParent, 7).text(pf::descriptor::kName, "main");
    host.number(pf::clock::kId, 6).number(pf::clock::kTimestamp, 5'000'000);
    own.number(pf::clock::kId, 64).number(pf::clock::kTimestamp, 0).number(pf::clock::kUnitNs, 1000);
    own.number(pf::clock::kIncremental, 1);
    clocks.message(pf::clock::kClocks, host).message(pf::clock::kClocks, own);
    defaults.number(pf::defaults::kClockId, 64);
    const auto at = [](std::uint64_t later) {
        ProtoWriter writer;
        writer.number(pf::packet::kSequenceId, 3).number(pf::packet::kTimestamp, later);
        return writer;
    };
    std::string bytes = packet(ProtoWriter().message(pf::packet::kTrackDescriptor, track));
    bytes += packet(ProtoWriter().message(pf::packet::kTrackDescriptor, thread));
    ProtoWriter first;
    first.number(pf::packet::kSequenceId, 3).number(pf::packet::kSequenceFlags, pf::packet::kFlagCleared);
    bytes += packet(first.message(pf::packet::kClockSnapshot, clocks).message(pf::packet::kDefaults, defaults));
    // The name comes after the event that uses it, in the same packet.
    bytes += packet(at(10)
                        .message(pf::packet::kTrackEvent, event(pf::event::kBegin, 8).number(pf::event::kNameId, 5))
                        .message(pf::packet::kInternedData, interned(pf::interned::kNames, 5, "work")));
    bytes += packet(at(4).message(pf::packet::kTrackEvent, event(pf::event::kEnd, 8)));
    return bytes;
}

TEST(PerfettoReaderTest, ReadsSlicesWithInternedNamesAndIncrementalClocks) {
    const test::TempDir folder;
    TraceNames names;
    TraceSlices slices(names, folder.path());
    std::istringstream bytes(trace());
    readPerfettoTrace(bytes, slices);
    ASSERT_TRUE(slices.close());
    EXPECT_EQ(slices.stoppedAt, "");
    const auto slice = slices.slices().next();
    ASSERT_TRUE(slice);
    EXPECT_EQ(names[slice->name], "work");
    EXPECT_EQ(slice->start, 5'010'000);
    EXPECT_EQ(slice->end, 5'014'000);
    ASSERT_EQ(slices.processes().size(), 1U);
    EXPECT_EQ(slices.processes()[0].name, "rank 2");
    EXPECT_EQ(slices.tracks()[slice->track].name, "main");
}

TEST(PerfettoReaderTest, UnpacksPackets) {
    const test::TempDir folder;
    const std::string plain = trace();
    std::string packed(compressBound(plain.size()), '\0');
    uLongf length = packed.size();
    ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &length, reinterpret_cast<const Bytef*>(plain.data()),
                       plain.size()),
              Z_OK);
    packed.resize(length);
    TraceNames names;
    TraceSlices slices(names, folder.path());
    std::istringstream bytes(packet(ProtoWriter().text(pf::packet::kCompressed, packed)));
    readPerfettoTrace(bytes, slices);
    ASSERT_TRUE(slices.close());
    EXPECT_TRUE(slices.slices().next());
}

TEST(PerfettoReaderTest, SurvivesAnyCutAndAnyNoise) {
    const test::TempDir folder;
    const std::string whole = trace();
    std::mt19937 random(9);
    for (int i = 0; i < 3000; ++i) {
        std::string text = whole.substr(0, static_cast<std::size_t>(i) % (whole.size() + 1));
        if (i % 3 == 0) text = whole;
        for (int k = i % 4; k > 0 && !text.empty(); --k) text[random() % text.size()] = static_cast<char>(random());
        TraceNames names;
        TraceSlices slices(names, folder.path());
        std::istringstream bytes(text);
        readPerfettoTrace(bytes, slices);
        EXPECT_TRUE(slices.close());
    }
}

TEST(PerfettoReaderTest, NeitherWritersNorTheirNamesFillTheMemory) {
    const test::TempDir folder;
    std::string trace;
    const auto writer = [&](std::uint64_t id, std::uint64_t name, const std::string& text) {
        ProtoWriter fields;
        fields.number(pf::packet::kSequenceId, id);
        trace += packet(fields.message(pf::packet::kInternedData, interned(pf::interned::kNames, name, text.c_str())));
    };
    for (std::uint64_t i = 0; i < 70'000; ++i) writer(i, 1, "a");
    const std::string longName(250, 'n');
    for (std::uint64_t i = 0; i < 250'000; ++i) writer(5, i, longName);
    TraceNames names;
    TraceSlices slices(names, folder.path());
    std::istringstream bytes(trace);
    readPerfettoTrace(bytes, slices);
    ASSERT_TRUE(slices.close());
    EXPECT_EQ(slices.dropped["packets of more than 65,536 writers"], 70'000 - 65'536);
    EXPECT_GT(slices.dropped["names beyond 64 MiB of them"], 50'000);
}

}  // namespace
}  // namespace dasgd::experiments
