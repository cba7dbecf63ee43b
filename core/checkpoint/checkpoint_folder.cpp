#include "core/checkpoint/checkpoint_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "core/base/digest/sha256.h"
#include "core/base/make_folders.h"
#include "core/base/text/zero_padded.h"
#include "core/base/unfinished_checkpoints.h"
#include "core/checkpoint/disk_file.h"
#include "core/checkpoint/durable_file.h"
#include "core/checkpoint/stored_file.h"

namespace dasgd {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kPrefix = "step-";
// Empty folder in a partial checkpoint; the rank that made it completes the checkpoint. A rank that is killed right
// after that leaves the folder in the whole checkpoint, where it means nothing.
constexpr std::string_view kClaim = "completing";
// Formats of state.json. In format 1 `files` gives each file's size, in format 2 its size and digest.
constexpr int kFormat = 2, kFormatWithoutDigests = 1;
constexpr const char* kOwnDigest = "sha256";
constexpr std::size_t kDigestLength = 64;
constexpr int kMostRanks = 1 << 20;

// Step in the name of a whole checkpoint's folder; nullopt for other names.
std::optional<std::int64_t> stepOf(const std::string& name) {
    if (!name.starts_with(kPrefix)) return std::nullopt;
    std::int64_t step = 0;
    const char* end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + kPrefix.size(), end, step);
    if (read.ec != std::errc() || read.ptr != end || step < 0) return std::nullopt;
    return step;
}

// Step in the name of a folder in which a checkpoint is being made; nullopt for other names.
std::optional<std::int64_t> partialStepOf(const std::string& name) {
    return name.ends_with(kPartialCheckpoint) ? stepOf(name.substr(0, name.size() - kPartialCheckpoint.size()))
                                              : std::nullopt;
}

std::string dumped(const Json& json) { return json.dump(2) + "\n"; }

// The document carries a digest of itself, because a flipped digit still is valid JSON.
std::string toText(const CheckpointState& state) {
    Json files = Json::object();
    for (const auto& [name, file] : state.files) files[name] = {{"bytes", file.bytes}, {"sha256", file.sha256}};
    Json json = {{"format", kFormat},
                 {"run", state.runId},
                 {"step", state.step},
                 {"ranks", state.ranks},
                 {"wall_ns", state.wall},
                 {"collectives", state.collectives},
                 {"config_sha256", state.configHash},
                 {"saved_at", state.savedAt},
                 {"files", std::move(files)}};
    json[kOwnDigest] = sha256Of(dumped(json));
    return dumped(json);
}

bool isIntact(Json json) {
    const auto digest = json.find(kOwnDigest);
    if (digest == json.end()) return false;
    const Json found = *digest;
    json.erase(kOwnDigest);
    return found == sha256Of(dumped(json));
}

// Reads `files` of state.json. Throws Json::exception where it has another form.
std::map<std::string, CheckpointFile> filesOf(const Json& files, bool haveDigests) {
    std::map<std::string, CheckpointFile> all;
    for (const auto& [name, file] : files.items()) {
        CheckpointFile& one = all[name];
        one.bytes = (haveDigests ? file.at("bytes") : file).get<std::int64_t>();
        if (haveDigests) one.sha256 = file.at("sha256").get<std::string>();
    }
    return all;
}

// True where `name` is a plain file name, and the size and the length of the digest are possible.
bool isUsable(const std::string& name, const CheckpointFile& file, bool haveDigests) {
    const bool isName = !name.empty() && name.find('/') == std::string::npos && name.front() != '.';
    return isName && file.bytes >= 0 && file.sha256.size() == (haveDigests ? kDigestLength : 0);
}

// Checks that every rank has a file, and that every file has the size with which it was written.
Status checkSizes(const Checkpoint& checkpoint) {
    for (int rank = 0; rank < checkpoint.state.ranks; ++rank) {
        if (checkpoint.state.files.contains(CheckpointFolder::rankFileName(Rank(rank)))) continue;
        return fail(checkpoint.folder.string() + ": holds nothing of rank " + std::to_string(rank));
    }
    for (const auto& [name, file] : checkpoint.state.files) {
        std::error_code code;
        const auto found = fs::file_size(checkpoint.folder / name, code);
        if (code) return fail((checkpoint.folder / name).string() + ": " + code.message());
        if (found == static_cast<std::uintmax_t>(file.bytes)) continue;
        return fail((checkpoint.folder / name).string() + ": has " + std::to_string(found) +
                    " bytes; it was written with " + std::to_string(file.bytes));
    }
    return {};
}

Result<std::string> digestOf(const fs::path& file) {
    DASGD_ASSIGN(const DiskFile opened, DiskFile::open(file));
    return opened.sha256();
}

// Identity of a file by its own metadata, as "rank 1 of step 40 of run x"; "" where the metadata does not tell.
std::string identityOf(const fs::path& file) {
    const auto stored = StoredFile::open(file);
    if (!stored) return {};
    const auto& texts = stored->metadata();
    if (!texts.contains("run") || !texts.contains("step")) return {};
    const auto rank = texts.find("rank");
    return (rank == texts.end() ? "the model" : "rank " + rank->second) + " of step " + texts.at("step") + " of run " +
           texts.at("run");
}

// Renames the folder first, so that a half-removed one is never taken for a checkpoint.
Status removeCheckpoint(const fs::path& folder) {
    fs::path going = folder;
    going += kRemovedCheckpoint;
    std::error_code code;
    fs::rename(folder, going, code);
    if (!code) fs::remove_all(going, code);
    if (code) return fail(folder.string() + ": cannot be removed: " + code.message());
    return {};
}

// Collects errors that leave the checkpoint whole.
class Troubles {
public:
    void note(const Status& status) {
        if (!status) text_ += (text_.empty() ? "" : "; ") + status.error().message;
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    std::string text_;
};

}  // namespace

Result<CheckpointState> readCheckpointState(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return fail(file.string() + ": is missing");
    std::ostringstream text;
    text << in.rdbuf();
    const Json json = Json::parse(text.str(), nullptr, false);
    const std::string damaged = file.string() + ": is damaged: it is not what a checkpoint's state.json holds";
    try {
        const bool haveDigests = json.at("format") != kFormatWithoutDigests;
        if (haveDigests && json.at("format") != kFormat) {
            return fail(file.string() + ": is of a newer version of dasgd; update it");
        }
        if (haveDigests && !isIntact(json)) return fail(damaged);
        const Json &step = json.at("step"), &ranks = json.at("ranks");
        // State files of older runs do not have this number.
        const Json collectives = json.value("collectives", Json(0U));
        const bool counts = step.is_number_unsigned() && ranks.is_number_unsigned() && ranks > 0 &&
                            ranks <= kMostRanks && json.at("wall_ns").is_number_integer() &&
                            collectives.is_number_unsigned() &&
                            collectives <= std::numeric_limits<std::uint32_t>::max();
        const std::map<std::string, CheckpointFile> files = filesOf(json.at("files"), haveDigests);
        const bool usable = std::ranges::all_of(
            files, [&](const auto& file) { return isUsable(file.first, file.second, haveDigests); });
        if (!counts || !usable) return fail(damaged);
        return CheckpointState{.runId = json.at("run"),
                               .step = json.at("step"),
                               .ranks = json.at("ranks"),
                               .configHash = json.at("config_sha256"),
                               .wall = json.at("wall_ns"),
                               .collectives = collectives,
                               .savedAt = json.at("saved_at"),
                               .files = files};
    } catch (const Json::exception&) {
        return fail(damaged);
    }
}

std::string CheckpointFolder::rankFileName(Rank rank) {
    return "rank-" + zeroPadded(static_cast<std::uint64_t>(rank.value()), 4) + ".safetensors";
}

fs::path Checkpoint::rankFile(Rank rank) const { return folder / CheckpointFolder::rankFileName(rank); }
fs::path Checkpoint::modelFile() const { return folder / CheckpointFolder::kModelFile; }

bool CheckpointState::hasDigests() const {
    return std::ranges::none_of(files, [](const auto& file) { return file.second.sha256.empty(); });
}

Status Checkpoint::checkFile(const std::string& name) const {
    const fs::path file = folder / name;
    const auto written = state.files.find(name);
    if (written == state.files.end()) return fail(file.string() + ": is no file of this checkpoint");
    if (written->second.sha256.empty()) return {};
    DASGD_ASSIGN(const std::string digest, digestOf(file));
    if (digest == written->second.sha256) return {};
    const std::string claim = identityOf(file);
    return fail(file.string() + ": is not what was written for step " + std::to_string(state.step) + " of run " +
                state.runId + ": its SHA-256 differs" + (claim.empty() ? "" : "; it says that it is " + claim));
}

Status checkIsOfRun(const fs::path& file, const std::string& run, const std::string& expected) {
    if (run == expected) return {};
    return fail(file.string() + ": is of run " + run + ", not of run " + expected);
}

fs::path CheckpointFolder::whole(std::int64_t step) const {
    return folder_ / (std::string(kPrefix) + std::to_string(step));
}

fs::path CheckpointFolder::partial(std::int64_t step) const {
    fs::path folder = whole(step);
    return folder += kPartialCheckpoint;
}

std::vector<std::int64_t> CheckpointFolder::steps() const {
    std::vector<std::int64_t> steps;
    std::error_code code;
    for (fs::directory_iterator entry(folder_, code), end; !code && entry != end; entry.increment(code)) {
        if (const auto step = stepOf(entry->path().filename().string())) steps.push_back(*step);
    }
    std::ranges::sort(steps);
    return steps;
}

Result<Checkpoint> CheckpointFolder::at(std::int64_t step) const {
    Checkpoint found{.folder = whole(step)};
    std::error_code ignored;
    if (!fs::is_directory(found.folder, ignored)) {
        return fail(folder_.string() + ": there is no checkpoint of step " + std::to_string(step));
    }
    DASGD_ASSIGN(found.state, readCheckpointState(found.folder / kStateFile));
    if (found.state.step != step) {
        return fail(found.folder.string() + ": holds step " + std::to_string(found.state.step));
    }
    DASGD_TRY(checkSizes(found));
    return found;
}

Result<Checkpoint> CheckpointFolder::checkedAt(std::int64_t step, const Condition& condition) const {
    DASGD_ASSIGN(Checkpoint found, at(step));
    if (condition) DASGD_TRY(condition(found));
    for (const auto& [name, file] : found.state.files) DASGD_TRY(found.checkFile(name));
    return found;
}

Result<CheckpointFolder::Latest> CheckpointFolder::latest(std::optional<std::int64_t> most,
                                                          const Condition& condition) const {
    Latest latest;
    std::vector<std::int64_t> all = steps();
    std::erase_if(all, [&](std::int64_t step) { return most && step > *most; });
    for (auto step = all.rbegin(); step != all.rend(); ++step) {
        auto found = checkedAt(*step, condition);
        if (found) {
            latest.checkpoint = std::move(*found);
            return latest;
        }
        latest.passedOver.push_back(found.error().message);
    }
    std::string problems;
    for (const std::string& problem : latest.passedOver) problems += "; " + problem;
    return fail(folder_.string() + ": there is no checkpoint" + (problems.empty() ? "" : " that can be used") +
                problems);
}

Result<fs::path> CheckpointFolder::begin(std::int64_t step) const {
    const std::error_code code = makeFoldersBelow(folder_.parent_path(), folder_.filename() / partial(step).filename());
    if (code) return fail(partial(step).string() + ": cannot be made: " + code.message());
    return partial(step);
}

Result<bool> CheckpointFolder::claim(std::int64_t step, int ranks) const {
    std::error_code code;
    for (int rank = 0; rank < ranks; ++rank) {
        if (!fs::exists(partial(step) / rankFileName(Rank(rank)), code)) return false;
    }
    // Several ranks may find that all files are there; mkdir succeeds for one of them.
    const fs::path mark = partial(step) / kClaim;
    if (::mkdir(mark.c_str(), 0755) == 0) return true;
    // EEXIST: another rank claimed the checkpoint. ENOENT: that rank has completed it already and renamed the folder.
    if (errno == EEXIST || errno == ENOENT) return false;
    return fail(mark.string() + ": cannot be made: " + std::generic_category().message(errno));
}

Result<std::string> CheckpointFolder::complete(CheckpointState state, int keep) const {
    const fs::path making = partial(state.step);
    std::error_code code;
    state.files.clear();
    for (fs::directory_iterator entry(making, code), end; !code && entry != end; entry.increment(code)) {
        if (!entry->is_regular_file(code)) continue;
        DASGD_ASSIGN(std::string digest, digestOf(entry->path()));
        state.files[entry->path().filename().string()] = {static_cast<std::int64_t>(entry->file_size(code)),
                                                          std::move(digest)};
    }
    if (code) return fail(making.string() + ": " + code.message());
    DASGD_TRY(writeDurably(making / kStateFile, toText(state)));
    Troubles troubles;
    troubles.note(syncFolder(making));
    // A run that resumed from an earlier step saves later steps again; the new checkpoint replaces the old one.
    if (fs::exists(whole(state.step), code)) DASGD_TRY(removeCheckpoint(whole(state.step)));
    fs::rename(making, whole(state.step), code);
    if (code) return fail(making.string() + ": cannot be renamed: " + code.message());
    // The checkpoint is complete now, so later errors are only collected: after an early return no old checkpoint would
    // be removed. The claim goes last: without it in the partial folder, another rank could claim the checkpoint again.
    fs::remove(whole(state.step) / kClaim, code);
    troubles.note(syncFolder(folder_));
    troubles.note(pointLatestTo(state.step));
    std::vector<std::int64_t> kept = steps();
    for (std::size_t i = 0; i + static_cast<std::size_t>(keep) < kept.size(); ++i) {
        if (kept[i] != state.step) troubles.note(removeCheckpoint(whole(kept[i])));
    }
    troubles.note(removePartialBefore(state.step));
    return troubles.take();
}

// Ranks save steps in ascending order, so a partial checkpoint before a complete one will never be completed.
Status CheckpointFolder::removePartialBefore(std::int64_t step) const {
    return removeEntriesNamed(folder_, [step](const std::string& name) {
        const auto its = partialStepOf(name);
        return its && *its < step;
    });
}

void CheckpointFolder::giveUp(std::int64_t step, Rank rank) const {
    static_cast<void>(removeEntriesNamed(folder_, [&](const std::string& name) {
        const auto its = partialStepOf(name);
        std::error_code ignored;
        return its && (*its == step || (*its < step && !fs::exists(folder_ / name / rankFileName(rank), ignored)));
    }));
}

Status CheckpointFolder::pointLatestTo(std::int64_t step) const {
    const fs::path aside = folder_ / (std::string(kLatest) + std::string(kFileBeingWritten));
    std::error_code code;
    fs::remove(aside, code);
    fs::create_directory_symlink(whole(step).filename(), aside, code);
    if (!code) fs::rename(aside, folder_ / kLatest, code);
    if (code) return fail((folder_ / kLatest).string() + ": cannot be moved: " + code.message());
    return syncFolder(folder_);
}

void CheckpointFolder::sweep() const { static_cast<void>(removeUnfinishedCheckpoints(folder_)); }

}  // namespace dasgd
