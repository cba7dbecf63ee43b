#include "experiments/transport/mirror/workspace_import.h"

#include <array>
#include <chrono>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>

#include "storage/mirror/mirror_sink.h"
#include "storage/mirror/workspace_source.h"

namespace dasgd::experiments {

namespace fs = std::filesystem;

namespace {

constexpr auto kPauseForSummary = std::chrono::milliseconds(20);
constexpr std::string_view kDatabaseMagic = "SQLite format 3";

// Copies what a run's folder has and ours lacks, or has of another size. Neither side's links are followed.
class FolderCopy {
public:
    explicit FolderCopy(std::vector<std::string>& notCopied) : notCopied_(notCopied) {}

    void copyFile(const fs::path& from, const fs::path& to) {
        std::error_code error;
        if (fs::symlink_status(from, error).type() != fs::file_type::regular) return;
        const auto bytes = fs::file_size(from, error);
        if (error || (fs::exists(to, error) && fs::file_size(to, error) == bytes)) return;
        fs::create_directories(to.parent_path(), error);
        const fs::path made = to.string() + ".new";
        if (!error) fs::copy_file(from, made, fs::copy_options::overwrite_existing, error);
        if (!error) fs::rename(made, to, error);
        if (error) notCopied_.push_back(from.string() + ": " + error.message());
    }

    void copyFolder(const fs::path& from, const fs::path& to) {
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(from, error)) {
            const fs::path name = entry.path().filename();
            const auto type = entry.symlink_status(error).type();
            if (type == fs::file_type::directory && name.extension() != ".partial") {
                copyFolder(entry.path(), to / name);
            } else if (type == fs::file_type::regular) {
                copyFile(entry.path(), to / name);
            }
        }
    }

    // checkpoints/latest names one of the folders beside it.
    void copyLatest(const fs::path& from, const fs::path& to) {
        std::error_code error;
        const fs::path target = fs::read_symlink(from / "latest", error);
        if (error || target.has_parent_path() || target.empty() || !fs::is_directory(to / target, error)) return;
        fs::remove(to / "latest", error);
        fs::create_symlink(target, to / "latest", error);
        if (error) notCopied_.push_back((from / "latest").string() + ": " + error.message());
    }

private:
    std::vector<std::string>& notCopied_;
};

void copyRun(const fs::path& from, const fs::path& to, bool checkpoints, FolderCopy& copy) {
    copy.copyFile(from / "experiment.toml", to / "experiment.toml");
    for (const char* folder : {"logs", "artefacts"}) copy.copyFolder(from / folder, to / folder);
    if (!checkpoints) return;
    copy.copyFile(from / "model.safetensors", to / "model.safetensors");
    copy.copyFolder(from / "checkpoints", to / "checkpoints");
    copy.copyLatest(from / "checkpoints", to / "checkpoints");
}

Status checkOther(const WorkspaceImportOptions& options) {
    std::error_code error;
    const fs::path own = storage::WorkspacePaths{options.workspace}.database();
    const fs::path other =
        fs::is_directory(options.from, error) ? storage::WorkspacePaths{options.from}.database() : options.from;
    if (!fs::equivalent(own, other, error) || error) return {};
    return fail(options.from.string() + " is the workspace that the runs would go to; name another one with -w");
}

// False: it was asked to end. Runs that are refused are passed over, each with its reason in `notCopied`.
Result<bool> takeRows(const WorkspaceImportOptions& options, storage::WorkspaceSource& source,
                      storage::MirrorSink& sink, std::vector<std::string>& notCopied) {
    std::set<std::string> refused;
    for (;;) {
        if (options.cancelled && options.cancelled()) return false;
        DASGD_ASSIGN(const auto part, source.next());
        if (!part && source.isCurrent()) return true;
        if (!part) std::this_thread::sleep_for(kPauseForSummary);
        if (!part || part->empty() || refused.contains(part->runId)) continue;
        if (const Status fits = sink.check(*part); !fits) {
            refused.insert(part->runId);
            notCopied.push_back(fits.error().message);
            continue;
        }
        DASGD_TRY(sink.apply(*part));
    }
}

}  // namespace

bool isWorkspaceOrDatabase(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) return true;
    if (!fs::is_regular_file(path, error)) return false;
    std::ifstream file(path, std::ios::binary);
    std::array<char, kDatabaseMagic.size()> magic{};
    file.read(magic.data(), magic.size());
    return file && std::string_view(magic.data(), magic.size()) == kDatabaseMagic;
}

Result<WorkspaceImportOutcome> importWorkspace(const WorkspaceImportOptions& options) {
    DASGD_TRY(checkOther(options));
    DASGD_ASSIGN(const auto source,
                 storage::WorkspaceSource::open(options.from, storage::WorkspaceSource::Files::None));
    std::error_code error;
    const fs::path named = fs::weakly_canonical(options.from, error);
    DASGD_ASSIGN(const auto sink,
                 storage::MirrorSink::open(options.workspace,
                                           {.workspace = source->identity(), .origin = named.string(), .program = ""}));
    DASGD_ASSIGN(const auto known, sink->known());
    source->start(known);
    WorkspaceImportOutcome outcome;
    DASGD_ASSIGN(const bool whole, takeRows(options, *source, *sink, outcome.notCopied));
    outcome.cancelled = !whole;
    outcome.runs = sink->touched();
    outcome.records = sink->stored();
    outcome.passedOver = source->passedOver();
    // Runs that were taken before are included: their folders may have changed, or checkpoints may be asked for now.
    DASGD_ASSIGN(const auto here, sink->known());
    FolderCopy copy(outcome.notCopied);
    for (const storage::KnownRun& run : here) {
        if (run.foreign || outcome.cancelled) continue;
        copyRun(source->paths().run(run.runId), storage::WorkspacePaths{options.workspace}.run(run.runId),
                options.checkpoints, copy);
        outcome.cancelled = options.cancelled && options.cancelled();
    }
    return outcome;
}

}  // namespace dasgd::experiments
