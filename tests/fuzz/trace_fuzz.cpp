// Traces of other programs. The first byte says how they are read: 'c' Chrome's JSON, 'p' Perfetto's packets, else as
// `dasgd import` does, from a file, compressed or not, that tells its format itself.
#include <filesystem>
#include <sstream>
#include <string>

#include "experiments/tools/traces/import/chrome_reader.h"
#include "experiments/tools/traces/import/perfetto_reader.h"
#include "experiments/tools/traces/import/trace_bytes.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace dasgd;
using namespace dasgd::experiments;
using dasgd::fuzz::require;

void readFile(const test::TempDir& folder, const std::string& content, TraceSlices& slices) {
    const auto bytes = TraceBytes::open(folder.write("trace", content));
    if (!bytes) return require(!bytes.error().message.empty(), "an error says what is wrong");
    const TraceBytes::As as = (*bytes)->guess();
    (*bytes)->readAs(as);
    std::istream stream(bytes->get());
    as == TraceBytes::As::Text ? readChromeTrace(stream, slices) : readPerfettoTrace(stream, slices);
    require((*bytes)->sha256().size() == 64, "a file has a hash");
}

void check(TraceSlices& slices) {
    require(slices.close().has_value(), "slices can be put aside");
    std::int64_t count = 0, ofKinds = 0;
    Slice before;
    while (const auto slice = slices.slices().next()) {
        require(count == 0 || before.start <= slice->start, "slices come by their start");
        require(slice->start <= slice->end, "a slice ends after it begins");
        require(slice->bytes >= 0, "no slice has less than no bytes");
        require(slice->track < slices.tracks().size(), "a slice is on a track");
        static_cast<void>(slices.names()[slice->name].size() + slices.names()[slice->category].size());
        before = *slice;
        ++count;
    }
    require(slices.slices().error().empty() && count == slices.slices().size(), "no slice is lost");
    for (const auto& [kind, number] : slices.kinds()) ofKinds += number;
    require(ofKinds == count, "each slice is counted once");
    for (const TraceTrack& track : slices.tracks()) {
        require(track.process < slices.processes().size(), "a track is of a process");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    static const test::TempDir folder;
    const std::string content = fuzz::textOf(data + 1, size - 1);
    TraceNames names;
    TraceSlices slices(names, folder.path());
    std::istringstream stream(content);
    switch (*data) {
        case 'c': readChromeTrace(stream, slices); break;
        case 'p': readPerfettoTrace(stream, slices); break;
        default: readFile(folder, content, slices); break;
    }
    check(slices);
    return 0;
}
