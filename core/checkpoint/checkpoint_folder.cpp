#include "core/checkpoint/checkpoint_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "core/base/zero_padded.h"
#include "core/checkpoint/durable_file.h"

namespace dasgd {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kPrefix = "step-", kPartial = ".partial", kGoing = ".removed";
constexpr std::string_view kClaim = "completing";
constexpr int kFormat = 1;
constexpr int kMostRanks = 1 << 20;

// The step of a folder's name, where it is one of a whole checkpoint.
std::optional<std::int64_t> stepOf(const std::string& name) {
    if (!name.starts_with(kPrefix)) return std::nullopt;
    std::int64_t step = 0;
    const char* end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + kPrefix.size(), end, step);
    if (read.ec != std::errc() || read.ptr != end || step < 0) return std::nullopt;
    return step;
}

Json toJson(const CheckpointState& state) {
    return {{"format", kFormat},
            {"run", state.runId},
            {"step", state.step},
            {"ranks", state.ranks},
            {"wall_ns", state.wall},
            {"collectives", state.collectives},
            {"config_sha256", state.configHash},
            {"saved_at", state.savedAt},
            {"files", state.files}};
}

Status checkFiles(const Checkpoint& checkpoint) {
    for (int rank = 0; rank < checkpoint.state.ranks; ++rank) {
        if (checkpoint.state.files.contains(CheckpointFolder::rankFileName(Rank(rank)))) continue;
        return fail(checkpoint.folder.string() + ": holds nothing of rank " + std::to_string(rank));
    }
    for (const auto& [name, bytes] : checkpoint.state.files) {
        std::error_code code;
        const auto found = fs::file_size(checkpoint.folder / name, code);
        if (code) return fail((checkpoint.folder / name).string() + ": " + code.message());
        if (found == static_cast<std::uintmax_t>(bytes)) continue;
        return fail((checkpoint.folder / name).string() + ": has " + std::to_string(found) +
                    " bytes; it was written with " + std::to_string(bytes));
    }
    return {};
}

// Its state goes first: what is left of it is no checkpoint, whenever this ends.
void removeCheckpoint(const fs::path& folder) {
    fs::path going = folder;
    going += kGoing;
    std::error_code ignored;
    fs::rename(folder, going, ignored);
    fs::remove_all(going, ignored);
}

template <class Predicate>
void removeNamed(const fs::path& folder, Predicate isMeant) {
    std::vector<fs::path> meant;
    std::error_code code;
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
        if (isMeant(entry->path().filename().string())) meant.push_back(entry->path());
    }
    for (const fs::path& path : meant) fs::remove_all(path, code);
}

}  // namespace

Result<CheckpointState> readCheckpointState(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return fail(file.string() + ": is missing");
    std::ostringstream text;
    text << in.rdbuf();
    const Json json = Json::parse(text.str(), nullptr, false);
    const std::string damaged = file.string() + ": is damaged: it is not what a checkpoint's state.json holds";
    try {
        if (json.at("format") != kFormat) return fail(file.string() + ": is of a newer version of dasgd; update it");
        const Json &step = json.at("step"), &ranks = json.at("ranks");
        // Those of older runs do not say.
        const Json collectives = json.value("collectives", Json(0U));
        const bool counts = step.is_number_unsigned() && ranks.is_number_unsigned() && ranks > 0 &&
                            ranks <= kMostRanks && json.at("wall_ns").is_number_integer() &&
                            collectives.is_number_unsigned() &&
                            collectives <= std::numeric_limits<std::uint32_t>::max() &&
                            std::ranges::all_of(json.at("files"), &Json::is_number_unsigned);
        if (!counts) return fail(damaged);
        return CheckpointState{.runId = json.at("run"),
                               .step = json.at("step"),
                               .ranks = json.at("ranks"),
                               .configHash = json.at("config_sha256"),
                               .wall = json.at("wall_ns"),
                               .collectives = collectives,
                               .savedAt = json.at("saved_at"),
                               .files = json.at("files")};
    } catch (const Json::exception&) {
        return fail(damaged);
    }
}

std::string CheckpointFolder::rankFileName(Rank rank) {
    return "rank-" + zeroPadded(static_cast<std::uint64_t>(rank.value()), 4) + ".safetensors";
}

fs::path Checkpoint::rankFile(Rank rank) const { return folder / CheckpointFolder::rankFileName(rank); }
fs::path Checkpoint::modelFile() const { return folder / CheckpointFolder::kModelFile; }

fs::path CheckpointFolder::whole(std::int64_t step) const {
    return folder_ / (std::string(kPrefix) + std::to_string(step));
}

fs::path CheckpointFolder::partial(std::int64_t step) const {
    fs::path folder = whole(step);
    return folder += kPartial;
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
    DASGD_TRY(checkFiles(found));
    return found;
}

Result<CheckpointFolder::Latest> CheckpointFolder::latest() const {
    Latest latest;
    std::vector<std::int64_t> all = steps();
    for (auto step = all.rbegin(); step != all.rend(); ++step) {
        auto found = at(*step);
        if (found) {
            latest.checkpoint = std::move(*found);
            return latest;
        }
        latest.passedOver.push_back(found.error().message);
    }
    std::string damaged;
    for (const std::string& problem : latest.passedOver) damaged += "; " + problem;
    return fail(folder_.string() + ": there is no checkpoint" + (damaged.empty() ? "" : " that can be read") + damaged);
}

Result<fs::path> CheckpointFolder::begin(std::int64_t step) const {
    std::error_code code;
    fs::create_directories(partial(step), code);
    if (code) return fail(partial(step).string() + ": cannot be made: " + code.message());
    return partial(step);
}

bool CheckpointFolder::claim(std::int64_t step, int ranks) const {
    std::error_code code;
    for (int rank = 0; rank < ranks; ++rank) {
        if (!fs::exists(partial(step) / rankFileName(Rank(rank)), code)) return false;
    }
    // Two ranks may have found all files; one of them makes this folder.
    return ::mkdir((partial(step) / kClaim).c_str(), 0755) == 0;
}

Status CheckpointFolder::complete(CheckpointState state, int keep) const {
    const fs::path making = partial(state.step);
    std::error_code code;
    state.files.clear();
    for (fs::directory_iterator entry(making, code), end; !code && entry != end; entry.increment(code)) {
        if (!entry->is_regular_file(code)) continue;
        state.files[entry->path().filename().string()] = static_cast<std::int64_t>(entry->file_size(code));
    }
    if (code) return fail(making.string() + ": " + code.message());
    DASGD_TRY(writeDurably(making / kStateFile, toJson(state).dump(2) + "\n"));
    fs::remove(making / kClaim, code);
    DASGD_TRY(syncFolder(making));
    // A step that was saved before, by a run that went on from here, gives way.
    if (fs::exists(whole(state.step), code)) removeCheckpoint(whole(state.step));
    fs::rename(making, whole(state.step), code);
    if (code) return fail(making.string() + ": cannot be renamed: " + code.message());
    DASGD_TRY(syncFolder(folder_));
    DASGD_TRY(pointLatestTo(state.step));
    std::vector<std::int64_t> kept = steps();
    for (std::size_t i = 0; i + static_cast<std::size_t>(keep) < kept.size(); ++i) {
        if (kept[i] != state.step) removeCheckpoint(whole(kept[i]));
    }
    removePartialBefore(state.step);
    return {};
}

// Ranks save one step after the other: one that all have come past was lost by some of them.
void CheckpointFolder::removePartialBefore(std::int64_t step) const {
    removeNamed(folder_, [step](const std::string& name) {
        if (!name.ends_with(kPartial)) return false;
        const auto its = stepOf(name.substr(0, name.size() - kPartial.size()));
        return its && *its < step;
    });
}

Status CheckpointFolder::pointLatestTo(std::int64_t step) const {
    const fs::path aside = folder_ / (std::string(kLatest) + ".writing");
    std::error_code code;
    fs::remove(aside, code);
    fs::create_directory_symlink(whole(step).filename(), aside, code);
    if (!code) fs::rename(aside, folder_ / kLatest, code);
    if (code) return fail((folder_ / kLatest).string() + ": cannot be moved: " + code.message());
    return syncFolder(folder_);
}

void CheckpointFolder::sweep() const {
    removeNamed(folder_, [](const std::string& name) { return name.ends_with(kPartial) || name.ends_with(kGoing); });
}

}  // namespace dasgd
