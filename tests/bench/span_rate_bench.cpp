// Cost of telemetry for the training thread, and how fast one core brings spans from a journal into committed rows,
// next to what SQLite alone can do on the same disk in the same run; then both for many ranks that share a journal,
// next to a journal each. Prints ratios; nothing here is a test.
//   span_rate_bench [millions of spans] [folder]
#include <sched.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/journal/journal.h"
#include "storage/collect/ingest.h"
#include "storage/collect/journal_source.h"
#include "storage/read/span_reader.h"
#include "storage/write/recorder.h"

namespace {

using namespace dasgd;
using namespace dasgd::storage;
namespace fs = std::filesystem;

constexpr int kRanks = 4;
constexpr int kSpansOfStep = 8;
constexpr std::int64_t kStepsOfWindow = 256;
constexpr int kSharingRanks = 1024;
constexpr std::int64_t kStepsOfSharing = 1000;
constexpr int kRounds = 3;

// Wall time, and this thread's processor time: what is left when others use the machine as well.
class Stopwatch {
public:
    [[nodiscard]] double wallS() const { return static_cast<double>(MonotonicClock::rawNow() - wall_) / 1e9; }
    [[nodiscard]] double processorS() const { return static_cast<double>(processor() - processor_) / 1e9; }

private:
    static Ns processor() {
        timespec t{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return t.tv_sec * 1'000'000'000 + t.tv_nsec;
    }
    Ns wall_ = MonotonicClock::rawNow();
    Ns processor_ = processor();
};

struct Rate {
    double wall = 0;
    double processor = 0;
};
Rate rateOf(std::int64_t count, const Stopwatch& watch) {
    const double wall = watch.wallS();
    return {static_cast<double>(count) / wall, static_cast<double>(count) / watch.processorS()};
}

template <class T>
T orDie(Result<T> result) {
    if (!result) {
        std::fprintf(stderr, "%s\n", result.error().message.c_str());
        std::exit(1);
    }
    return std::move(*result);
}

void stayOnOneCore() {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    DASGD_CHECK(sched_setaffinity(0, sizeof set, &set) == 0);
}

// Spans like those of a step of DaSGD: back-to-back phases of some hundred microseconds, one reduce that lies across
// them.
Span spanOf(std::int64_t i) {
    const std::int64_t step = i / kSpansOfStep;
    const auto phase = static_cast<int>(i % kSpansOfStep);
    const Ns start = 1'000'000'000 + i * 137'000;
    const bool reduce = phase == static_cast<int>(SpanKind::Reduce);
    return {.lane = reduce ? Lane::Comm : Lane::Compute,
            .kind = static_cast<SpanKind>(phase),
            .step = step,
            .start = start,
            .end = start + (reduce ? 900'000 : 136'000),
            .bytes = reduce ? 44'700'000 : 0,
            .collective = reduce ? static_cast<std::uint64_t>(step) : 0};
}

// Part of a clean window that ends with span `i`, as a run tells it every kStepsOfWindow steps: what came before it can
// be settled.
Span windowUntil(std::int64_t i) {
    const std::int64_t spans = kStepsOfWindow * kSpansOfStep;
    return {.lane = Lane::Io,
            .kind = SpanKind::Window,
            .step = i / kSpansOfStep,
            .start = spanOf(i + 1 - spans).start,
            .end = spanOf(i + 1).start,
            .bytes = kStepsOfWindow};
}

void sayAll(EventSink& sink, std::int64_t spans) {
    for (std::int64_t i = 0; i < spans; ++i) {
        sink.span(spanOf(i));
        if ((i + 1) % (kStepsOfWindow * kSpansOfStep) == 0) sink.span(windowUntil(i));
    }
}

double writeJournals(const WorkspacePaths& paths, const std::string& runId, std::int64_t spans) {
    double busy = 0;
    for (int rank = 0; rank < kRanks; ++rank) {
        const auto journal = orDie(JournalWriter::create(paths.journal(runId, rank)));
        const Stopwatch watch;
        sayAll(*journal, spans / kRanks);
        busy += watch.processorS();
    }
    return busy;
}

double nsOfMetric(const fs::path& folder, std::int64_t count) {
    const auto journal = orDie(JournalWriter::create(folder));
    const Stopwatch watch;
    for (std::int64_t i = 0; i < count; ++i) {
        journal->metric({.name = "train/loss", .step = i, .wall = i * 1000, .value = 1.0});
    }
    return watch.processorS() * 1e9 / static_cast<double>(count);
}

// Ranks that each write a span and a metric a step, step after step where they share a journal.
struct Shape {
    int ranks = 0;
    bool shared = false;
};
constexpr std::array<Shape, 4> kShapes{{{4, false}, {4, true}, {kSharingRanks, false}, {kSharingRanks, true}}};

struct Cost {
    double writingNs = 0;     // of processor time a record
    double collectingNs = 0;  // the same
};

std::vector<int> firstInts(int count) {
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

void sayStep(EventSink& sink, std::int64_t step) {
    sink.span(spanOf(step));
    sink.metric({.name = "train/step_ms", .step = step, .wall = step * 1000, .value = 1.0});
}

double writeShared(const WorkspacePaths& paths, const std::string& runId, int ranks, std::int64_t steps) {
    const auto journal = orDie(JournalWriter::create(paths.journal(runId, 0)));
    static_cast<void>(journal->of(Rank(ranks - 1)));
    const Stopwatch watch;
    for (std::int64_t step = 0; step < steps; ++step) {
        for (int rank = 0; rank < ranks; ++rank) sayStep(journal->of(Rank(rank)), step);
    }
    return watch.processorS();
}

// Ranks write one after the other: so many writers at once, with their helper threads, are what sharing is there to
// avoid.
double writeApart(const WorkspacePaths& paths, const std::string& runId, int ranks, std::int64_t steps) {
    double busy = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        const auto journal = orDie(JournalWriter::create(paths.journal(runId, rank), {.segmentRecords = 4096}));
        const Stopwatch watch;
        for (std::int64_t step = 0; step < steps; ++step) sayStep(*journal, step);
        busy += watch.processorS();
    }
    return busy;
}

Cost costOf(const fs::path& folder, Shape shape) {
    fs::remove_all(folder);
    auto store = orDie(Store::open(folder));
    const RunInfo info{.runId = store.newRunId("bench"), .config = "bench", .workers = shape.ranks};
    DASGD_CHECK(store.addRun(info));
    constexpr double kRecords = 2.0 * kSharingRanks * kStepsOfSharing;
    const std::int64_t steps = kSharingRanks * kStepsOfSharing / shape.ranks;
    const auto write = shape.shared ? writeShared : writeApart;
    const double writing = write(store.paths(), info.runId, shape.ranks, steps);
    const auto connection = orDie(WriteConnection::open(store.paths()));
    RunIngest ingest(*connection, 1,
                     journalSources(store.paths(), info.runId, firstInts(shape.shared ? 1 : shape.ranks)));
    const Stopwatch watch;
    DASGD_CHECK(ingest.collectAll());
    DASGD_CHECK(ingest.stored() == static_cast<std::int64_t>(kRecords));
    return {writing * 1e9 / kRecords, watch.processorS() * 1e9 / kRecords};
}

void compareSharing(const fs::path& folder) {
    std::array<std::vector<double>, kShapes.size()> writing, collecting;
    for (int round = 0; round < kRounds; ++round) {
        for (std::size_t i = 0; i < kShapes.size(); ++i) {
            const Cost cost = costOf(folder, kShapes[i]);
            writing[i].push_back(cost.writingNs);
            collecting[i].push_back(cost.collectingNs);
        }
    }
    const auto median = [](std::vector<double>& values) {
        std::sort(values.begin(), values.end());
        return values[values.size() / 2];
    };
    for (std::size_t i = 0; i < kShapes.size(); ++i) {
        std::printf("%d ranks, %s: %.0f ns a record to write, %.0f ns to collect (processor time, median of %d)\n",
                    kShapes[i].ranks, kShapes[i].shared ? "one journal" : "a journal each", median(writing[i]),
                    median(collecting[i]), kRounds);
    }
    std::printf("a record of %d ranks in one journal ÷ in a journal each: %.2f to write, %.2f to collect\n",
                kSharingRanks, median(writing[3]) / median(writing[2]), median(collecting[3]) / median(collecting[2]));
}

double nsOfClock() {
    constexpr int kCalls = 2'000'000;
    const Stopwatch watch;
    Ns sum = 0;
    for (int i = 0; i < kCalls; ++i) sum += MonotonicClock::rawNow() & 1;
    DASGD_CHECK(sum >= 0);
    return watch.processorS() * 1e9 / kCalls;
}

// The same rows into the same table by SQLite alone: WAL, one prepared statement, big transactions.
Rate rawRate(const fs::path& file, std::int64_t spans) {
    sqlite3* database = nullptr;
    sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | kUnlocked, nullptr);
    sqlite3_exec(
        database,
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "CREATE TABLE span (id INTEGER PRIMARY KEY, tag INTEGER NOT NULL, step INTEGER NOT NULL, start_ns INTEGER "
        "NOT NULL, duration_ns INTEGER NOT NULL, bytes INTEGER NOT NULL, collective INTEGER NOT NULL)",
        nullptr, nullptr, nullptr);
    sqlite3_stmt* insert = nullptr;
    sqlite3_prepare_v2(database,
                       "INSERT INTO span (tag, step, start_ns, duration_ns, bytes, collective) VALUES (?,?,?,?,?,?)",
                       -1, &insert, nullptr);
    const Stopwatch watch;
    sqlite3_exec(database, "BEGIN", nullptr, nullptr, nullptr);
    for (std::int64_t i = 0; i < spans; ++i) {
        const Span span = spanOf(i);
        sqlite3_bind_int64(insert, 1, static_cast<int>(span.kind));
        sqlite3_bind_int64(insert, 2, span.step);
        sqlite3_bind_int64(insert, 3, span.start);
        sqlite3_bind_int64(insert, 4, span.end - span.start);
        sqlite3_bind_int64(insert, 5, span.bytes);
        sqlite3_bind_int64(insert, 6, static_cast<std::int64_t>(span.collective));
        DASGD_CHECK(sqlite3_step(insert) == SQLITE_DONE);
        sqlite3_reset(insert);
        if (i % 65536 == 65535) sqlite3_exec(database, "COMMIT; BEGIN", nullptr, nullptr, nullptr);
    }
    sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr);
    const Rate rate = rateOf(spans, watch);
    sqlite3_finalize(insert);
    sqlite3_close(database);
    return rate;
}

}  // namespace

int main(int argc, char** argv) {
    const std::int64_t spans = (argc > 1 ? std::atoll(argv[1]) : 4) * 1'000'000;
    const fs::path folder = argc > 2 ? fs::path(argv[2]) : fs::temp_directory_path() / "dasgd-span-rate";
    fs::remove_all(folder);

    auto store = orDie(Store::open(folder / "workspace"));
    const RunInfo info{.runId = store.newRunId("bench"), .config = "bench", .workers = kRanks};
    if (const Status added = store.addRun(info); !added) return 1;
    const double writing = writeJournals(store.paths(), info.runId, spans);
    const double metric = nsOfMetric(folder / "metrics", 1'000'000);

    stayOnOneCore();
    const Rate raw = rawRate(folder / "raw.db", spans);
    const auto connection = orDie(WriteConnection::open(store.paths()));
    RunIngest ingest(*connection, 1, journalSources(store.paths(), info.runId, {0, 1, 2, 3}));
    const Stopwatch watch;
    if (const Status collected = ingest.collectAll(); !collected) {
        std::fprintf(stderr, "%s\n", collected.error().message.c_str());
        return 1;
    }
    const Rate rate = rateOf(spans, watch);

    auto reader = orDie(SpanReader::open(folder / "workspace"));
    DASGD_CHECK(orDie(reader.count(info.runId)) >= spans);
    std::printf(
        "training thread, processor time: %.0f ns a span record, %.0f ns a metric record, %.0f ns a clock reading\n",
        writing * 1e9 / static_cast<double>(spans), metric, nsOfClock());
    std::printf("journal -> committed rows, one core: %.0f spans/s, %.0f a second of processor time\n", rate.wall,
                rate.processor);
    std::printf("SQLite alone, the same rows, one core: %.0f rows/s, %.0f a second of processor time\n", raw.wall,
                raw.processor);
    std::printf("ratio to SQLite alone: %.2f, by processor time %.2f\n", rate.wall / raw.wall,
                rate.processor / raw.processor);
    compareSharing(folder / "sharing");
    fs::remove_all(folder);
    return 0;
}
