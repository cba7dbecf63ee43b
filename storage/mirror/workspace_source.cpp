#include "storage/mirror/workspace_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

#include "storage/mirror/mirror_codec.h"
#include "storage/mirror/run_document.h"
#include "storage/mirror/run_rows.h"
#include "storage/runs/run_end.h"

namespace dasgd::storage {

namespace fs = std::filesystem;

namespace {

using std::chrono::steady_clock;

// A summary changes with every transaction of the collector. It is told five times a second, and a long one, of many
// ranks or with a large difference to the commit, less often.
constexpr auto kPauseOfDocument = std::chrono::milliseconds(200);
constexpr std::size_t kDocumentBytesPerMs = 500;
constexpr auto kLongestLook = std::chrono::milliseconds(100);
// Between two looks at the runs that have ended: late records may have come (storage/write/late_records.h).
constexpr auto kPauseOfSettled = std::chrono::milliseconds(2000);
// Runs under way are looked at after so many parts of one that has ended.
constexpr int kPartsBetweenLive = 8;

std::size_t sizeOf(const RunDocument& document) {
    std::size_t bytes = document.schema.size();
    for (const auto& rows : document.tables) {
        for (const StoredRow& row : rows) {
            bytes += row.size() * 9;
            for (const StoredValue& value : row) {
                if (const auto* text = std::get_if<std::string>(&value)) bytes += text->size();
            }
        }
    }
    return bytes;
}

// Up to `most` bytes from `offset` on; "" where there is no more, or no such file.
std::string bytesOf(const fs::path& file, std::int64_t offset, std::size_t most) {
    const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (opened < 0) return {};
    struct stat found {};
    std::string bytes;
    if (::fstat(opened, &found) == 0 && S_ISREG(found.st_mode) && found.st_size > offset) {
        bytes.resize(std::min(most, static_cast<std::size_t>(found.st_size - offset)));
        const ssize_t got = ::pread(opened, bytes.data(), bytes.size(), offset);
        bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    }
    ::close(opened);
    return bytes;
}

}  // namespace

class WorkspaceSource::Impl {
public:
    Impl(std::unique_ptr<SourceDatabase> where, Files which)
        : source(std::move(where)),
          files(which),
          database(source->database()),
          tables(database),
          rows(database),
          identity(database.execAndGet("SELECT id FROM workspace LIMIT 1").getString()),
          collected_(database,
                     "SELECT (SELECT sum(sequence) FROM rank_state WHERE run = ?1), "
                     "(SELECT count(*) FROM arrival WHERE run = ?1), error FROM run WHERE id = ?1") {}

    struct Run {
        std::int64_t key = 0;
        std::string id;
        RowPositions told;
        std::uint64_t digest = 0;                       // of the document that was told with all its rows
        bool isKnown = false;                           // the other side has a row of it
        bool live = true;                               // stored as queued or running
        bool settled = false;                           // ended, and told to its end
        std::size_t collected = 0;                      // number of records that were collected by then
        bool behind = false;                            // something was told, and no complete document after it
        std::map<std::string, std::int64_t> fileBytes;  // told of each
        steady_clock::time_point nextDocument;
    };

    void start(const std::vector<KnownRun>& all) {
        known.clear();
        for (const KnownRun& run : all) known.emplace(run.runId, run);
        runs.clear();
        settled.clear();
        passed.clear();
        newestKey = 0;
    }

    Result<std::optional<MirrorPart>> next() {
        return guarded(source->file(), [&]() -> Result<std::optional<MirrorPart>> {
            if (current >= runs.size()) findRuns();
            if (++parts % kPartsBetweenLive == 0) {
                if (auto part = nextOfLive()) return part;
            }
            const auto until = steady_clock::now() + kLongestLook;
            for (; current < runs.size(); ++current) {
                auto part = partOf(runs[current]);
                if (!part.empty()) return std::optional(std::move(part));
                // The next look begins with the next run, however long this one took.
                if (steady_clock::now() > until) return ++current, std::optional(std::move(part));
            }
            const auto ended =
                std::stable_partition(runs.begin(), runs.end(), [](const Run& run) { return !run.settled; });
            std::move(ended, runs.end(), std::back_inserter(settled));
            runs.erase(ended, runs.end());
            return std::optional<MirrorPart>();
        });
    }

    [[nodiscard]] bool isCurrent() const { return std::ranges::none_of(runs, &Run::behind); }

    std::unique_ptr<SourceDatabase> source;
    Files files;
    SQLite::Database& database;
    DocumentTables tables;
    RunRows rows;
    std::string identity;
    std::vector<std::string> passed;

private:
    void findRuns() {
        std::vector<Run> found;
        SQLite::Statement query(database,
                                "SELECT id, run_id, status IN ('queued', 'running') FROM run WHERE id > ? ORDER BY id");
        query.bind(1, newestKey);
        while (query.executeStep()) {
            Run run{.key = query.getColumn(0).getInt64(), .id = query.getColumn(1).getString()};
            run.live = query.getColumn(2).getInt() != 0;
            newestKey = run.key;
            if (take(run)) found.push_back(std::move(run));
        }
        std::ranges::reverse(found);
        addGrown(found);
        runs.insert(runs.begin(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
        std::stable_partition(runs.begin(), runs.end(), [](const Run& run) { return run.live; });
        current = 0;
    }

    // Those that were told to their end, and of which more is here now.
    void addGrown(std::vector<Run>& found) {
        const auto now = steady_clock::now();
        if (settled.empty() || now < nextSettled) return;
        nextSettled = now + kPauseOfSettled;
        const std::int64_t version = database.execAndGet("PRAGMA data_version").getInt64();
        if (std::exchange(settledVersion, version) == version) return;
        const auto grown = std::stable_partition(settled.begin(), settled.end(),
                                                 [&](const Run& run) { return collectedOf(run.key) == run.collected; });
        for (auto run = grown; run != settled.end(); ++run) {
            run->settled = false;
            found.push_back(std::move(*run));
        }
        settled.erase(grown, settled.end());
    }

    // Cheaper than the document: how far each rank's records are here, together, and what is said of them.
    std::size_t collectedOf(std::int64_t runKey) {
        collected_.reset();
        collected_.bind(1, runKey);
        if (!collected_.executeStep()) return 0;
        const std::string all = collected_.getColumn(0).getString() + " " + collected_.getColumn(1).getString() + " " +
                                collected_.getColumn(2).getString();
        collected_.reset();
        return std::hash<std::string>()(all);
    }

    // False: it is to be passed over.
    bool take(Run& run) {
        const auto there = known.find(run.id);
        if (there == known.end()) return true;
        if (there->second.foreign) {
            passed.push_back(run.id);
            return false;
        }
        run.isKnown = true;
        run.told = there->second.taken;
        run.digest = there->second.digest;
        for (const KnownFile& file : there->second.files) run.fileBytes[file.path] = file.bytes;
        return true;
    }

    std::optional<MirrorPart> nextOfLive() {
        for (Run& run : runs) {
            if (!run.live) break;
            auto part = partOf(run);
            if (!part.empty()) return part;
        }
        return std::nullopt;
    }

    MirrorPart partOf(Run& run) {
        MirrorPart part{.runId = run.id};
        const bool due = !run.isKnown || !run.live || steady_clock::now() >= run.nextDocument;
        // Before its status is read: an owner writes that before it lets go.
        const bool mayHaveDied = due && run.live && mayBeLost(source->paths(), run.id);
        const SQLite::Transaction snapshot(database);
        const bool all = rows.read(run.key, run.told, kMostRows, part);
        run.behind = run.behind || !part.empty();
        if (due && (all || !run.isKnown)) addDocument(run, mayHaveDied, all, part);
        return part;
    }

    void addDocument(Run& run, bool mayHaveDied, bool all, MirrorPart& part) {
        RunDocument document = tables.read(run.key);
        const std::string stored = tables.statusOf(document);
        run.live = stored == "queued" || stored == "running";
        if (run.live && mayHaveDied) {
            if (const auto end = endOfLost(database, source->paths(), run.id)) {
                tables.setEnd(document, end->status, end->error);
            }
        }
        const std::uint64_t digest = digestOf(document);
        const bool changed = !run.isKnown || digest != run.digest || part.records() > 0;
        const auto whileLong = std::chrono::milliseconds(sizeOf(document) / kDocumentBytesPerMs);
        run.nextDocument = steady_clock::now() + std::max<std::chrono::milliseconds>(kPauseOfDocument, whileLong);
        // A document that was told as complete has all files before it.
        run.settled = !changed && !run.live;
        if (run.settled) run.collected = collectedOf(run.key);
        const bool complete = all && (run.settled || addFiles(run, part));
        run.behind = !complete;
        if (!changed) return;
        part.document = std::move(document);
        part.digest = digest;
        part.complete = complete;
        run.isKnown = true;
        if (complete) run.digest = digest;
    }

    // False: there is more of them than one part holds.
    bool addFiles(Run& run, MirrorPart& part) {
        if (files == Files::None) return true;
        std::size_t room = kMostFilePartBytes;
        const fs::path folder = source->paths().run(run.id);
        addFile(run, folder, "experiment.toml", room, part);
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(folder / "logs", ignored)) {
            addFile(run, folder, "logs/" + entry.path().filename().string(), room, part);
        }
        return room > 0;
    }

    void addFile(Run& run, const fs::path& folder, const std::string& path, std::size_t& room, MirrorPart& part) {
        if (!isMirroredFile(path)) return;
        std::int64_t& told = run.fileBytes[path];
        const std::int64_t left = kMostFileBytes - told;
        if (left <= 0 || room == 0) return;
        FilePart piece{.path = path, .offset = told};
        piece.bytes = bytesOf(folder / path, told, std::min(room, static_cast<std::size_t>(left)));
        if (piece.bytes.empty()) return;
        room -= piece.bytes.size();
        told += static_cast<std::int64_t>(piece.bytes.size());
        part.files.push_back(std::move(piece));
    }

    SQLite::Statement collected_;
    std::map<std::string, KnownRun> known;
    std::vector<Run> runs;     // under way first, each newest first
    std::vector<Run> settled;  // told to their ends
    steady_clock::time_point nextSettled;
    std::int64_t settledVersion = 0;  // of the database, when they were looked at
    std::size_t current = 0;
    std::int64_t newestKey = 0;
    int parts = 0;
};

WorkspaceSource::WorkspaceSource(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WorkspaceSource::~WorkspaceSource() = default;

Result<std::unique_ptr<WorkspaceSource>> WorkspaceSource::open(const fs::path& where, Files files) {
    DASGD_ASSIGN(auto source, SourceDatabase::open(where));
    const fs::path file = source->file();
    return guarded(file, [&]() -> Result<std::unique_ptr<WorkspaceSource>> {
        return std::unique_ptr<WorkspaceSource>(new WorkspaceSource(std::make_unique<Impl>(std::move(source), files)));
    });
}

const std::string& WorkspaceSource::identity() const { return impl_->identity; }
const WorkspacePaths& WorkspaceSource::paths() const { return impl_->source->paths(); }
void WorkspaceSource::start(const std::vector<KnownRun>& known) { impl_->start(known); }
Result<std::optional<MirrorPart>> WorkspaceSource::next() { return impl_->next(); }
bool WorkspaceSource::isCurrent() const { return impl_->isCurrent(); }
const std::vector<std::string>& WorkspaceSource::passedOver() const { return impl_->passed; }

}  // namespace dasgd::storage
