#include "storage/mirror/mirror_sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "storage/levels/level_writer.h"
#include "storage/mirror/row_writer.h"
#include "storage/mirror/run_document.h"
#include "storage/write/store_impl.h"

namespace dasgd::storage {

namespace fs = std::filesystem;

namespace {

constexpr auto kPauseOfHeard = std::chrono::seconds(5);

bool hasEnded(const std::string& status) { return status != "queued" && status != "running"; }

// Writes the bytes of `part` that follow those in the file. If the file is shorter than the part's offset, nothing is
// written, and the rest waits until the other side is asked anew.
Status append(const fs::path& file, const FilePart& part) {
    const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    const auto failed = [&] {
        return fail("cannot write " + file.string() + ": " + std::generic_category().message(errno));
    };
    if (opened < 0) return failed();
    struct stat found {};
    Status done;
    const bool follows = ::fstat(opened, &found) == 0 && found.st_size >= part.offset;
    std::size_t written = 0;
    while (follows && written < part.bytes.size()) {
        const ssize_t got = ::pwrite(opened, part.bytes.data() + written, part.bytes.size() - written,
                                     part.offset + static_cast<off_t>(written));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            done = failed();
            break;
        }
        written += static_cast<std::size_t>(got);
    }
    ::close(opened);
    return done;
}

std::vector<KnownFile> filesOf(const fs::path& folder) {
    std::vector<KnownFile> files;
    std::error_code error;
    const auto add = [&](const std::string& path) {
        const auto bytes = fs::file_size(folder / path, error);
        if (!error) files.push_back({path, static_cast<std::int64_t>(bytes)});
    };
    add("experiment.toml");
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder / "logs", ignored)) {
        add("logs/" + entry.path().filename().string());
    }
    return files;
}

}  // namespace

bool isRemote(const std::string& origin) { return origin.starts_with("ssh://"); }

class MirrorSink::Impl {
public:
    Impl(std::unique_ptr<WriteConnection> opened, MirrorOrigin whose)
        : connection_(std::move(opened)),
          database_(connection_->database()),
          origin_(std::move(whose)),
          tables_(database_) {}

    // The row of the other workspace. What is reached over ssh stays so, also where a copy of it is imported.
    Status introduce() {
        return inTransaction([&]() -> Status {
            SQLite::Statement add(
                database_,
                "INSERT INTO mirror_source (workspace, origin, program, heard_at) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (workspace) DO UPDATE SET origin = excluded.origin, "
                "program = excluded.program, heard_at = excluded.heard_at "
                "WHERE excluded.origin LIKE 'ssh://%' OR origin NOT LIKE 'ssh://%'");
            add.bind(1, origin_.workspace);
            add.bind(2, origin_.origin);
            add.bind(3, origin_.program);
            add.bind(4, utcNow());
            add.exec();
            SQLite::Statement query(database_, "SELECT id FROM mirror_source WHERE workspace = ?");
            query.bind(1, origin_.workspace);
            query.executeStep();
            source_ = query.getColumn(0).getInt64();
            return {};
        });
    }

    Result<std::vector<KnownRun>> known() {
        return guarded(connection_->paths().database(), [&]() -> Result<std::vector<KnownRun>> {
            SQLite::Statement query(database_,
                                    "SELECT run_id, ifnull(source, 0), metric, span, event, digest, "
                                    "status IN ('queued', 'running') FROM run LEFT JOIN mirror_run ON run = run.id");
            std::vector<KnownRun> runs;
            while (query.executeStep()) {
                KnownRun& run = runs.emplace_back(KnownRun{.runId = query.getColumn(0).getString()});
                run.foreign = query.getColumn(1).getInt64() != source_;
                if (run.foreign) continue;
                run.taken = {query.getColumn(2).getInt64(), query.getColumn(3).getInt64(),
                             query.getColumn(4).getInt64()};
                run.digest = static_cast<std::uint64_t>(query.getColumn(5).getInt64());
                const bool goesOn = query.getColumn(6).getInt() != 0 || run.digest == 0;
                if (goesOn) run.files = filesOf(connection_->paths().run(run.runId));
            }
            return runs;
        });
    }

    Status check(const MirrorPart& part) const {
        if (part.document) {
            DASGD_TRY(tables_.check(*part.document, part.runId));
            DASGD_TRY(checkTexts(*part.document, part.runId));
        }
        return part.files.empty() ? Status{} : checkFiles(part);
    }

    Status apply(const MirrorPart& part) {
        DASGD_TRY(check(part));
        std::error_code error;
        const fs::path& root = connection_->paths().root;
        const auto disk = fs::space(root, error);
        if (!error && disk.available < kLeastFreeBytes) {
            return fail("the disk of " + root.string() + " has less than " + inMiB(kLeastFreeBytes) +
                        " free, which no run of another workspace may use; free some, and take the runs again");
        }
        const Status done = inTransaction([&] { return store(part); });
        if (!done) {
            rows_.reset();
            written_ = 0;
        }
        stored_ += std::exchange(written_, 0);
        return done;
    }

    Status heard() {
        if (std::chrono::steady_clock::now() - heard_ < kPauseOfHeard) return {};
        return inTransaction([&]() -> Status {
            markHeard();
            return {};
        });
    }

    [[nodiscard]] std::int64_t stored() const { return stored_; }
    [[nodiscard]] std::vector<std::string> touched() const { return {touched_.begin(), touched_.end()}; }

private:
    static Status checkTexts(const RunDocument& document, const std::string& runId) {
        const auto fits = [](const StoredRow& row) {
            return std::ranges::none_of(row, [](const StoredValue& value) {
                const auto* text = std::get_if<std::string>(&value);
                return text && text->size() > kMostTextBytes;
            });
        };
        const bool all =
            document.schema.size() <= kMostTextBytes &&
            std::ranges::all_of(document.tables, [&](const auto& rows) { return std::ranges::all_of(rows, fits); });
        if (all) return {};
        return fail("run " + runId + " has a text of more than " + inMiB(kMostTextBytes) +
                    " (its configuration or another one), which is not taken");
    }

    Status checkFiles(const MirrorPart& part) const {
        std::map<std::string, std::int64_t> bytes;
        for (const KnownFile& file : filesOf(connection_->paths().run(part.runId))) bytes[file.path] = file.bytes;
        std::int64_t all = 0;
        for (const FilePart& file : part.files) {
            const auto size = static_cast<std::int64_t>(file.bytes.size());
            if (file.offset > kMostFileBytes - size) {
                return fail("run " + part.runId + ": more than " + inMiB(kMostFileBytes) + " of " + file.path +
                            " came, which are not taken");
            }
            std::int64_t& known = bytes[file.path];
            known = std::max(known, file.offset + size);
        }
        for (const auto& [path, size] : bytes) all += size;
        if (bytes.size() <= kMostFiles && all <= kMostFilesBytes) return {};
        return fail("run " + part.runId + ": more than " + std::to_string(kMostFiles) + " files or " +
                    inMiB(kMostFilesBytes) + " of them came, which are not taken");
    }

    static std::string inMiB(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

    struct Taken {
        std::int64_t run = 0, source = 0;  // 0: there is no such run; it is of this workspace
        RowPositions rows;
    };

    template <class Work>
    Status inTransaction(Work&& work) {
        return guarded(connection_->paths().database(), [&]() -> Status {
            DASGD_ASSIGN(const auto transaction, WriteTransaction::begin(*connection_));
            DASGD_TRY(work());
            transaction->commit();
            return {};
        });
    }

    Taken find(const std::string& runId) {
        SQLite::Statement query(database_,
                                "SELECT run.id, ifnull(source, 0), ifnull(metric, 0), ifnull(span, 0), "
                                "ifnull(event, 0) FROM run LEFT JOIN mirror_run ON run = run.id WHERE run_id = ?");
        query.bind(1, runId);
        if (!query.executeStep()) return {};
        return {query.getColumn(0).getInt64(),
                query.getColumn(1).getInt64(),
                {query.getColumn(2).getInt64(), query.getColumn(3).getInt64(), query.getColumn(4).getInt64()}};
    }

    // Uses the positions in lab.db and not those in memory: another process may take from the same workspace.
    Status store(const MirrorPart& part) {
        Taken taken = find(part.runId);
        if (taken.run != 0 && taken.source != source_) return {};
        if (taken.run == 0 && !part.document) {
            return fail("rows came of a run " + part.runId + " that was not told before; start the mirror again");
        }
        DASGD_TRY(storeFiles(part));
        if (taken.run == 0) taken.run = addRun(part);
        if (!rows_) rows_ = std::make_unique<RowWriter>(database_);
        written_ = rows_->write(taken.run, part, taken.rows);
        if (part.document) storeDocument(taken.run, part);
        storePosition(taken, part);
        settleLevels(taken.run, part);
        markHeard();
        touched_.insert(part.runId);
        return {};
    }

    Status storeFiles(const MirrorPart& part) const {
        const fs::path folder = connection_->paths().run(part.runId);
        std::error_code error;
        fs::create_directories(folder / "logs", error);
        if (error) return fail("cannot make the folder " + folder.string() + ": " + error.message());
        for (const FilePart& file : part.files) DASGD_TRY(append(folder / file.path, file));
        return {};
    }

    std::int64_t addRun(const MirrorPart& part) {
        const std::int64_t key = tables_.insert(*part.document);
        SQLite::Statement add(database_, "INSERT INTO mirror_run (run, source) VALUES (?, ?)");
        add.bind(1, key);
        add.bind(2, source_);
        add.exec();
        return key;
    }

    // A run has no end before its record is whole.
    void storeDocument(std::int64_t run, const MirrorPart& part) {
        RunDocument document = *part.document;
        if (!part.complete && hasEnded(tables_.statusOf(document))) tables_.setEnd(document, "running", "");
        tables_.replace(run, document);
    }

    // The digest is of a document that speaks of every row that is here.
    void storePosition(const Taken& taken, const MirrorPart& part) {
        if (!part.document && part.records() == 0) return;
        SQLite::Statement write(database_,
                                "UPDATE mirror_run SET metric = ?, span = ?, event = ?, digest = ? WHERE run = ?");
        write.bind(1, taken.rows.metric);
        write.bind(2, taken.rows.span);
        write.bind(3, taken.rows.event);
        write.bind(4, part.complete ? static_cast<std::int64_t>(part.digest) : std::int64_t{0});
        write.bind(5, taken.run);
        write.exec();
    }

    void settleLevels(std::int64_t run, const MirrorPart& part) {
        const bool ends = part.document && part.complete && hasEnded(tables_.statusOf(*part.document));
        if (part.spans.empty() && !ends) return;
        SQLite::Statement query(database_, "SELECT workers FROM run WHERE id = ?");
        query.bind(1, run);
        query.executeStep();
        LevelWriter levels(database_, run, query.getColumn(0).getInt());
        if (ends) {
            static_cast<void>(levels.finish());
        } else {
            levels.settle(LevelWriter::Rows::OfAnyCollector);
        }
    }

    void markHeard() {
        if (std::chrono::steady_clock::now() - heard_ < kPauseOfHeard) return;
        SQLite::Statement mark(database_, "UPDATE mirror_source SET heard_at = ? WHERE id = ?");
        mark.bind(1, utcNow());
        mark.bind(2, source_);
        mark.exec();
        heard_ = std::chrono::steady_clock::now();
    }

    std::unique_ptr<WriteConnection> connection_;
    SQLite::Database& database_;
    const MirrorOrigin origin_;
    DocumentTables tables_;
    std::unique_ptr<RowWriter> rows_;
    std::int64_t source_ = 0;
    std::int64_t stored_ = 0, written_ = 0;
    std::set<std::string> touched_;
    std::chrono::steady_clock::time_point heard_;
};

MirrorSink::MirrorSink(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MirrorSink::~MirrorSink() = default;

Result<std::unique_ptr<MirrorSink>> MirrorSink::open(const fs::path& workspace, MirrorOrigin origin) {
    // It makes the folder and takes in what dead owners left.
    DASGD_ASSIGN(const Store store, Store::open(workspace));
    DASGD_ASSIGN(auto connection, WriteConnection::open(store.paths()));
    const fs::path file = store.paths().database();
    return guarded(file, [&]() -> Result<std::unique_ptr<MirrorSink>> {
        auto impl = std::make_unique<Impl>(std::move(connection), std::move(origin));
        DASGD_TRY(impl->introduce());
        return std::unique_ptr<MirrorSink>(new MirrorSink(std::move(impl)));
    });
}

Result<std::vector<KnownRun>> MirrorSink::known() { return impl_->known(); }
Status MirrorSink::check(const MirrorPart& part) const { return impl_->check(part); }
Status MirrorSink::apply(const MirrorPart& part) { return impl_->apply(part); }
Status MirrorSink::heard() { return impl_->heard(); }
std::int64_t MirrorSink::stored() const { return impl_->stored(); }
std::vector<std::string> MirrorSink::touched() const { return impl_->touched(); }

}  // namespace dasgd::storage
