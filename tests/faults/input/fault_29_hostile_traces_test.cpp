// Fault 29: traces that are imported have bytes that are no UTF-8, slices without an end or across another one,
// instants past 2⁵³, an end that is missing, or 2 GB. What can be read is read, the rest is counted and said, and
// memory does not grow with the file.
#include <sys/resource.h>

#include <random>

#include "storage/read/workspace_reader.h"
#include "tests/faults/support/fault_case.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::test {
namespace {

struct TraceFault {
    std::vector<std::string> events;  // beside those that are whole
    std::string said;
    bool hasEnd = true;  // of the file
    int wholeOnes = 0;   // of `events`
};

std::string sliceAt(const std::string& ts, const std::string& more) {
    return R"({"cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":)" + ts + more + "}";
}

const std::vector<TraceFault> kTraceFaults{
    {{"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\xFF\xFE\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":3}"},
     "2 bytes that are not UTF-8",
     true,
     1},
    {{sliceAt("1", R"(,"ph":"B")"), sliceAt("2", R"(,"ph":"B")")}, "2 slices without an end"},
    {{R"({"ph":"X","cat":"cpu_op","name":"x","pid":1,"tid":2,"ts":10,"dur":100})",
      R"({"ph":"X","cat":"cpu_op","name":"y","pid":1,"tid":2,"ts":60,"dur":100})"},
     "1 slices that overlap another one of their thread",
     true,
     2},
    {{sliceAt("1152921504606846976", R"(,"ph":"X","dur":8)")}, "1 slices without an instant that can be read"},
    {{sliceAt("9007199254740993", R"(,"ph":"X","dur":8)")}, "1 slices more than a day away from all others"},
    {{R"({"ph":"X", nonsense})"}, "1 events that are no JSON"},
    {{}, "it is cut off at byte", false}};

// Slices of one thread, one after the other.
void writeTrace(const std::filesystem::path& file, std::int64_t slices, const TraceFault& fault) {
    std::ofstream out(file, std::ios::binary);
    out << R"({"schemaVersion":1,"distributedInfo":{"rank":0,"world_size":1},"traceEvents":[)";
    for (std::int64_t i = 0; i < slices; ++i) {
        out << (i == 0 ? "\n" : ",\n") << sliceAt(std::to_string(1000 + 10 * i), R"(,"ph":"X","dur":8)");
    }
    for (const std::string& event : fault.events) out << ",\n" << event;
    out << (fault.hasEnd ? "]}" : "");
}

// Memory at its peak of the largest program that was waited for.
long peakKiBOfPrograms() {
    rusage use{};
    ::getrusage(RUSAGE_CHILDREN, &use);
    return use.ru_maxrss;
}

std::int64_t spansIn(const DasgdFolder& folder) {
    auto reader = storage::WorkspaceReader::open(folder.workspace());
    const auto rows = reader ? reader->runs().list() : tl::unexpected(Error{});
    return rows && !rows->empty() ? reader->spans().count(rows->front().runId).value_or(-1) : -1;
}

bool isImported(const TraceFault& fault, std::int64_t slices) {
    const DasgdFolder folder;
    writeTrace(folder.path() / "t.json", slices, fault);
    const Ended ended = folder.run({"import", "t.json", "-w", "w"});
    EXPECT_EQ(ended.exit, 0) << ended.err;
    const bool said = ended.out.find(fault.said) != std::string::npos;
    EXPECT_TRUE(said) << fault.said << " is missing in: " << ended.out;
    EXPECT_EQ(spansIn(folder), slices + fault.wholeOnes) << fault.said;
    return ended.exit == 0 && said && spansIn(folder) == slices + fault.wholeOnes;
}

// A file of about so many bytes, whose import may take no more memory than a small one and what its buffers are.
bool isImportedInBoundedMemory(std::int64_t bytes) {
    constexpr long kMoreKiB = 300 << 10;
    EXPECT_TRUE(isImported({.said = "1 rank"}, 100));
    const long small = peakKiBOfPrograms();
    const std::int64_t slices = bytes / static_cast<std::int64_t>(sliceAt("1000000000", R"(,"ph":"X","dur":8)").size());
    const bool imported = isImported({.said = "1 rank"}, slices);
    const long grown = peakKiBOfPrograms() - small;
    EXPECT_LT(grown, kMoreKiB);
    return imported && grown < kMoreKiB;
}

TEST(Fault29, TracesAreLargeOrBroken) {
    std::mt19937 random(29);
    int injected = 0, held = 0;
    for (int i = 0; i < faultCount(static_cast<int>(kTraceFaults.size()), 140); ++i) {
        ++injected;
        held += isImported(kTraceFaults[static_cast<std::size_t>(i) % kTraceFaults.size()], 50 + random() % 5000);
    }
    ++injected;
    held += isImportedInBoundedMemory(std::int64_t{faultCount(24, 2048)} << 20);
    reportFault(29, "traces: no UTF-8, no end, overlaps, ts past 2⁵³, cut off, no JSON; one of 2 GB in full",
                "read as far as they go, the rest counted and said, bounded memory", injected, held);
}

}  // namespace
}  // namespace dasgd::test
