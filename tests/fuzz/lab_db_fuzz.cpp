// lab.db as a damaged disk or another program may leave it. An input is one of three: a whole database; "sums:" and a
// level of detail as the database holds it; or edits of a small one, a line each, "table.column ROW VALUE", where the
// value is as in SQL, or "@PLACE BYTE": one byte of what is there.
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/metric_names.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/runs.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace dasgd;
using namespace dasgd::storage;
using dasgd::fuzz::require;
using dasgd::test::orDie;

constexpr const char* kRun = "run-a";
constexpr std::string_view kWholeDatabase = "SQLite format 3", kSums = "sums:";
// Place in a database's header that says whether it has a WAL, which one in memory cannot have.
constexpr std::size_t kJournalMode = 18;

struct Column {
    std::string table, column;
};

std::string bytesOf(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void record(EventSink& rank, int number) {
    rank.state(RankState::Running, 0, "");
    for (std::int64_t step = 0; step < 12; ++step) {
        const Ns at = 10'000'000 * (step + 1);
        const auto collective = static_cast<std::uint64_t>(step) + 1;
        rank.span({.kind = SpanKind::Forward, .step = step, .start = at, .end = at + 2'000'000});
        rank.span({.kind = SpanKind::Backward, .step = step, .start = at + 2'000'000, .end = at + 6'000'000});
        rank.span({.lane = Lane::Comm,
                   .kind = SpanKind::Reduce,
                   .step = step,
                   .start = at + 1'000'000 * number,
                   .end = at + 8'000'000,
                   .bytes = 4096,
                   .collective = collective});
        rank.span({.kind = SpanKind::Wait, .step = step, .start = at + 6'000'000, .end = at + 8'000'000});
        rank.metric({.name = metrics::kTrainLoss, .step = step, .epoch = 0.1, .wall = at, .samples = 64 * step});
    }
    rank.span({.lane = Lane::Io, .kind = SpanKind::Window, .step = 12, .start = 0, .end = 130'000'000, .bytes = 12});
    rank.state(RankState::Finished, 12, "");
}

// Adds a level of detail, as LevelWriter does to longer runs.
void addLevel(SQLite::Database& database, SpanReader& reader) {
    LevelBuilder builder;
    std::vector<SpanRow> rows = orDie(reader.touching(kRun, {INT64_MIN / 4, INT64_MAX / 4}));
    for (const SpanRow& row : rows) builder.add(row.rank, row.span);
    const std::string sums = encode(builder.build(16));
    SQLite::Statement insert(database,
                             "INSERT INTO span_node (id, run, parent, level, rows, width_ns, min_start, max_end, "
                             "entries, sums) VALUES (1, 1, 0, 1, ?, ?, 0, 130000000, 16, ?)");
    insert.bind(1, static_cast<std::int64_t>(rows.size()));
    insert.bind(2, std::int64_t{1} << 20);
    insert.bind(3, sums.data(), static_cast<int>(sums.size()));
    insert.exec();
    database.exec("UPDATE span_chunk SET node = 1");
    database.exec("INSERT INTO span_name VALUES (1, 'aten::mm')");
    database.exec("INSERT INTO span_label VALUES (1, 1)");
}

// A workspace with one finished run, and its database as an image that edits begin with.
struct Base {
    Base() {
        test::OneRun run(2, kRun, folder.path());
        for (int rank = 0; rank < 2; ++rank) record(run.rank(rank), rank);
        run.rank(0).metric({.name = metrics::kEvalLoss, .step = 12, .wall = 140'000'000, .value = 0.5});
        run.finish();
        const std::filesystem::path made = run.store.paths().database();
        SQLite::Database database(made.string(), SQLite::OPEN_READWRITE);
        WorkspaceReader reader = run.reader();
        addLevel(database, reader.spans());
        database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        SQLite::Statement query(database,
                                "SELECT t.name, c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c "
                                "WHERE t.type = 'table' ORDER BY 1, 2");
        while (query.executeStep()) {
            columns.push_back({query.getColumn(0).getString(), query.getColumn(1).getString()});
        }
        image = bytesOf(made);
        std::filesystem::create_directories(workspace());
    }
    [[nodiscard]] std::filesystem::path workspace() const { return folder / "fuzzed"; }

    test::TempDir folder;
    std::vector<Column> columns;
    std::string image;
};

const Base& base() {
    static const Base kBase;
    return kBase;
}

// SQL of the edit that a line asks for; "" where it asks for none.
std::string statementOf(const std::string& line) {
    std::istringstream words(line);
    std::string name;
    int row = 0;
    if (!(words >> name >> row) || row < 0) return {};
    std::string value;
    std::getline(words >> std::ws, value);
    const auto found = std::ranges::find_if(
        base().columns, [&](const Column& known) { return known.table + "." + known.column == name; });
    if (found == base().columns.end() || value.empty()) return {};
    const std::string here = "\"" + found->column + "\"";
    std::string to = "?1";
    if (unsigned place = 0, byte = 0; std::sscanf(value.c_str(), "@%u %u", &place, &byte) == 2) {
        const std::string blob = "CAST(" + here + " AS BLOB)";
        to = "CAST(substr(" + blob + ", 1, " + std::to_string(place) + ") || ?1 || substr(" + blob + ", " +
             std::to_string(std::size_t{place} + 2) + ") AS BLOB)";
    }
    // Tables without rowids are small: all their rows are edited.
    const bool hasRows = found->table != "span_chunk" && found->table != "rank_meter" && found->table != "arrival" &&
                         found->table != "rank_state" && found->table != "run_hardware";
    return "UPDATE OR IGNORE \"" + found->table + "\" SET " + here + " = " + to +
           (hasRows ? " WHERE rowid = " + std::to_string(row + 1) : "");
}

int valueOf(char hex) { return hex <= '9' ? hex - '0' : (hex | 32) - 'a' + 10; }

void bindValue(sqlite3_stmt* statement, const std::string& value) {
    const char* end = value.data() + value.size();
    std::int64_t integer = 0;
    if (unsigned place = 0, byte = 0; std::sscanf(value.c_str(), "@%u %u", &place, &byte) == 2) {
        const char one = static_cast<char>(byte & 0xff);
        sqlite3_bind_blob(statement, 1, &one, 1, SQLITE_TRANSIENT);
    } else if (std::from_chars(value.data(), end, integer).ptr == end) {
        sqlite3_bind_int64(statement, 1, integer);
    } else if (value == "null") {
        sqlite3_bind_null(statement, 1);
    } else if (value.starts_with("x'")) {
        std::string blob;
        for (std::size_t i = 2; i + 1 < value.size() && std::isxdigit(static_cast<unsigned char>(value[i])) != 0 &&
                                std::isxdigit(static_cast<unsigned char>(value[i + 1])) != 0;
             i += 2) {
            blob += static_cast<char>(valueOf(value[i]) * 16 + valueOf(value[i + 1]));
        }
        sqlite3_bind_blob(statement, 1, blob.data(), static_cast<int>(blob.size()), SQLITE_TRANSIENT);
    } else if (value.front() == '\'') {
        sqlite3_bind_text(statement, 1, value.data() + 1, static_cast<int>(value.size()) - 1, SQLITE_TRANSIENT);
    } else {
        sqlite3_bind_double(statement, 1, std::strtod(value.c_str(), nullptr));
    }
}

std::string edited(const std::string& lines) {
    std::string image = base().image;
    image[kJournalMode] = image[kJournalMode + 1] = 1;
    sqlite3* memory = nullptr;
    require(sqlite3_open(":memory:", &memory) == SQLITE_OK, "a database in memory");
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> owner(memory, sqlite3_close);
    const auto size = static_cast<sqlite3_int64>(image.size());
    // The image may grow.
    auto* bytes = static_cast<unsigned char*>(sqlite3_malloc64(image.size()));
    std::memcpy(bytes, image.data(), image.size());
    require(sqlite3_deserialize(memory, "main", bytes, size, size,
                                SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK,
            "the database is read into memory");
    sqlite3_exec(memory, "PRAGMA ignore_check_constraints = ON", nullptr, nullptr, nullptr);
    std::istringstream stream(lines);
    for (std::string line; std::getline(stream, line);) {
        const std::string sql = statementOf(line);
        sqlite3_stmt* statement = nullptr;
        if (sql.empty() || sqlite3_prepare_v2(memory, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) continue;
        std::istringstream words(line);
        std::string skipped, value;
        std::getline(words >> skipped >> skipped >> std::ws, value);
        bindValue(statement, value);
        sqlite3_step(statement);
        sqlite3_finalize(statement);
    }
    sqlite3_int64 length = 0;
    const std::unique_ptr<unsigned char, void (*)(void*)> out(sqlite3_serialize(memory, "main", &length, 0),
                                                              sqlite3_free);
    image.assign(reinterpret_cast<const char*>(out.get()), static_cast<std::size_t>(length));
    image[kJournalMode] = image[kJournalMode + 1] = 2;
    return image;
}

// Code that draws spans looks up the names of their kinds and lanes.
void checkSpan(const Span& span) {
    require(static_cast<std::size_t>(span.kind) < kSpanKindNames.size(), "a span is of a kind that there is");
    require(static_cast<std::size_t>(span.lane) < kLaneNames.size(), "a span is in a lane that there is");
}

void checkLevel(const SpanLevel& level) {
    require(level.lanes.empty() || level.lanes.back().spansEnd == level.spans.size(), "each span is in a lane");
    require(level.lanes.empty() || level.lanes.back().cellsEnd == level.cells.size(), "each cell is in a lane");
    for (const Span& span : level.spans) checkSpan(span);
    for (const LevelCell& cell : level.cells) static_cast<void>(level.startOf(cell) + nameOf(cell.kind).size());
    const std::string bytes = encode(level);
    const auto again = decode(bytes);
    require(again && encode(*again) == bytes, "a level that was written is read as the same");
    LevelBuilder coarser;
    coarser.add(level);
    static_cast<void>(coarser.build(8));
}

void readSpans(SpanReader& reader, const std::string& id) {
    const TimeRange all{INT64_MIN / 4, INT64_MAX / 4};
    if (const auto spans = reader.touching(id, all, 1000)) {
        for (const SpanRow& row : *spans) checkSpan(row.span);
        if (!spans->empty()) static_cast<void>(reader.name(id, spans->front()));
    }
    static_cast<void>(reader.named(id, {0, 50'000'000}));
    static_cast<void>(reader.each(id, [](const SpanRow& row) {
        checkSpan(row.span);
        return true;
    }));
    static_cast<void>(reader.extent(id));
    static_cast<void>(reader.count(id));
    std::vector<SpanPart> parts = reader.roots(id).value_or(std::vector<SpanPart>());
    for (std::size_t i = 0; i < parts.size() && i < 8; ++i) {
        const SpanPart part = parts[i];
        if (const auto level = reader.level(part)) checkLevel(*level);
        static_cast<void>(reader.labels(part));
        static_cast<void>(reader.rows(part, 1));
        if (const auto inner = reader.parts(id, part)) parts.insert(parts.end(), inner->begin(), inner->end());
    }
}

void readRun(WorkspaceReader& reader, const std::string& id) {
    static_cast<void>(reader.runs().detail(id));
    static_cast<void>(reader.runs().lost(id));
    static_cast<void>(reader.runs().ranks(id));
    static_cast<void>(reader.runs().newestInstant(id));
    if (const auto names = reader.metrics().names(id)) {
        for (std::size_t i = 0; i < names->size() && i < 4; ++i) {
            static_cast<void>(reader.metrics().samples({.runId = id, .name = (*names)[i]}));
            static_cast<void>(reader.metrics().samples({.runId = id, .name = (*names)[i], .rank = 1, .afterRowid = 5}));
        }
    }
    readSpans(reader.spans(), id);
}

void read(const std::string& image) {
    const std::filesystem::path workspace = base().workspace();
    for (const char* old : {"lab.db-wal", "lab.db-shm", "lab.db"}) std::filesystem::remove(workspace / old);
    std::ofstream(workspace / "lab.db", std::ios::binary) << image;
    auto reader = WorkspaceReader::open(workspace);
    if (!reader) return require(!reader.error().message.empty(), "an error says what is wrong");
    static_cast<void>(reader->dataVersion());
    const auto runs = reader->runs().list();
    if (!runs) return require(!runs.error().message.empty(), "an error says what is wrong");
    if (!runs->empty()) readRun(*reader, runs->front().runId);
}

// A line for any column.
std::string anyLine(unsigned seed) {
    static const std::vector<std::string> kValues{"0",
                                                  "1",
                                                  "-1",
                                                  "3",
                                                  "63",
                                                  "200",
                                                  "255",
                                                  "4095",
                                                  "2147483647",
                                                  "2147483648",
                                                  "-2147483648",
                                                  "4294967295",
                                                  "9223372036854775807",
                                                  "-9223372036854775808",
                                                  "4611686018427387904",
                                                  "1e308",
                                                  "-1e19",
                                                  "0.5",
                                                  "null",
                                                  "'",
                                                  "'text",
                                                  "'run-b",
                                                  "x'00",
                                                  "x'ff80808080808080808001",
                                                  "@0 255",
                                                  "@3 128"};
    std::minstd_rand random(seed);
    const auto pick = [&](std::size_t count) { return random() % count; };
    const Column& column = base().columns[pick(base().columns.size())];
    std::string value = kValues[pick(kValues.size())];
    if (pick(4) == 0) value = "@" + std::to_string(pick(120)) + " " + std::to_string(pick(256));
    return column.table + "." + column.column + " " + std::to_string(pick(12)) + " " + value + "\n";
}

}  // namespace

// Keeps what kind of input it is, and adds lines that mean something.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    const std::string before = fuzz::textOf(data, size);
    if (before.starts_with(kSums)) {
        return kSums.size() + LLVMFuzzerMutate(data + kSums.size(), size - kSums.size(), most - kSums.size());
    }
    if (before.starts_with(kWholeDatabase) || seed % 4 == 0) return LLVMFuzzerMutate(data, size, most);
    const std::string line = anyLine(seed / 4);
    if (size + line.size() + 1 > most) return LLVMFuzzerMutate(data, size, most);
    if (size > 0 && data[size - 1] != '\n') data[size++] = '\n';
    std::memcpy(data + size, line.data(), line.size());
    return size + line.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string input = fuzz::textOf(data, size);
    if (input.starts_with(kSums)) {
        const auto level = decode(std::string_view(input).substr(kSums.size()));
        if (level) checkLevel(*level);
    } else {
        read(input.starts_with(kWholeDatabase) ? input : edited(input));
    }
    return 0;
}
