#include "experiments/config/cluster_profile.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

#include "core/base/schema/toml_reader.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

constexpr const char* kEnvironmentTable = "environment";
constexpr const char* kSlurmTable = "slurm";
constexpr std::size_t kMostWordBytes = 4096;

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool isVariable(const std::string& name) {
    return !name.empty() && !isDigit(name.front()) &&
           std::ranges::all_of(name, [](char c) { return isLetter(c) || isDigit(c); });
}

bool isSlurmOption(const std::string& name) {
    return !name.empty() && name.front() != '-' &&
           std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || isDigit(c) || c == '-'; });
}

bool isOneLine(const std::string& text) {
    return text.size() <= kMostWordBytes &&
           std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

// The options of a job that the launcher itself decides on.
constexpr std::string_view kOwnOptions[] = {"array",           "error",     "job-name", "nodes", "ntasks",
                                            "ntasks-per-node", "output",    "parsable", "wait",  "wrap",
                                            "test-only",       "open-mode", "requeue",  "export"};

Result<std::string> wordOf(const Value& value, const std::string& name) {
    std::string word;
    if (const auto* text = value.as<std::string>()) {
        word = *text;
    } else if (const auto* number = value.as<std::int64_t>()) {
        word = std::to_string(*number);
    } else {
        return value.error(name + " must be a string or an integer, found " + std::string(value.typeName()));
    }
    if (!isOneLine(word)) return value.error(name + " must be one line without control characters");
    return word;
}

// The keys of a table are the user's. `isName`: what a key may be.
Status readWords(const Value& document, const char* table, bool (*isName)(const std::string&), const char* refusal,
                 ClusterProfile::Words& out) {
    const Value* found = document.find(table);
    if (!found) return {};
    if (!found->isTable()) {
        return found->error(std::string(table) + " must be a table, found " + std::string(found->typeName()));
    }
    for (const auto& [key, value] : *found->as<Value::Table>()) {
        const std::string name = std::string(table) + "." + key;
        if (!isName(key)) return fail(value.keyPosition().prefix() + "'" + key + "' " + refusal);
        const bool* const flag = value.as<bool>();
        if (flag && table == std::string_view(kSlurmTable)) {
            if (*flag) out.emplace_back(key, "");
            continue;
        }
        DASGD_ASSIGN(std::string word, wordOf(value, name));
        if (word.empty() && table == std::string_view(kSlurmTable)) {
            return value.error(name + " is empty; write `" + key + " = true` for an option without a value");
        }
        out.emplace_back(key, std::move(word));
    }
    return {};
}

Status checkSlurmKeys(const Value& document, const ClusterProfile& profile) {
    for (const auto& [key, word] : profile.slurm) {
        if (std::ranges::find(kOwnOptions, key) == std::end(kOwnOptions)) continue;
        const Value* const value = document.find(kSlurmTable)->find(key);
        return fail(value->keyPosition().prefix() + "dasgd says itself what --" + key +
                    " is; leave it out (ranks_per_host decides how ranks are placed)");
    }
    return {};
}

bool isProfileName(const std::string& name) {
    return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos && isOneLine(name);
}

std::string known(const std::vector<fs::path>& folders) {
    std::set<std::string> names;
    for (const fs::path& folder : folders) {
        // An experiment beside the profiles would be listed as well: only what reads as a profile counts.
        std::error_code code;
        for (const auto& entry : fs::directory_iterator(folder, code)) {
            if (entry.path().extension() != ".toml" || !readClusterProfile(entry.path())) continue;
            names.insert(entry.path().stem().string());
        }
    }
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string ranksText(const RanksPlace& place) {
    if (place.count == 1) return "rank " + std::to_string(place.first);
    return "ranks " + std::to_string(place.first) + " to " + std::to_string(place.first + place.count - 1);
}

}  // namespace

std::optional<FieldError> ClusterProfile::check() const {
    if (kind == kSsh && hosts.empty()) {
        return FieldError{"kind", "a cluster that is reached over ssh needs hosts, as hosts = [\"node1\", \"node2\"]"};
    }
    if (kind != kSsh && !hosts.empty()) {
        return FieldError{"hosts", "hosts are of kind \"ssh\"; this is \"" + kind + "\", which has none to name"};
    }
    if (kind == kLocal) {
        // Ranks of this host are started as the experiment says, and talk over loopback.
        const std::pair<const char*, bool> others[] = {{"ranks_per_host", ranksPerHost > 0},
                                                       {"gpus", gpus > 0},
                                                       {"interface", !interface.empty()},
                                                       {"port", port > 0},
                                                       {"jobs", !jobs.empty()},
                                                       {"dasgd", dasgd != ClusterProfile().dasgd},
                                                       {"ssh", !ssh.options.empty()}};
        for (const auto& [field, given] : others) {
            if (given) {
                return FieldError{field, std::string(field) +
                                             " is of hosts that ranks are started on; this is \"local\", the host at "
                                             "hand: leave it out"};
            }
        }
    }
    std::set<std::string> seen;
    for (const std::string& host : hosts) {
        const auto parsed = parseSshHost(host);
        if (!parsed) return FieldError{"hosts", parsed.error().message};
        if (!seen.insert(host).second)
            return FieldError{"hosts", "'" + host + "' is there twice; raise ranks_per_host"};
    }
    const std::pair<const char*, const std::string*> lines[] = {
        {"interface", &interface}, {"workspace", &workspace}, {"jobs", &jobs}, {"dasgd", &dasgd}};
    for (const auto& [field, text] : lines) {
        if (!isOneLine(*text)) return FieldError{field, std::string(field) + " must be one line of text"};
    }
    if (dasgd.empty()) return FieldError{"dasgd", "dasgd is the path of the program there; leave it out for `dasgd`"};
    if (dasgd.front() == '-') return FieldError{"dasgd", "'" + dasgd + "' is no path of a program"};
    return std::nullopt;
}

std::vector<SshHost> ClusterProfile::sshHosts() const {
    std::vector<SshHost> all;
    for (const std::string& host : hosts) all.push_back(parseSshHost(host).value());
    return all;
}

Result<ClusterProfile> readClusterProfile(const fs::path& file) {
    DASGD_ASSIGN(const Value document, readTomlFile(file));
    ClusterProfile profile;
    DASGD_TRY(readFields(document, profile, {kEnvironmentTable, kSlurmTable}));
    DASGD_TRY(readWords(document, kEnvironmentTable, isVariable, "is no name of an environment variable",
                        profile.environment));
    DASGD_TRY(readWords(document, kSlurmTable, isSlurmOption,
                        "is no option of sbatch: small letters, digits and '-', as partition or cpus-per-task",
                        profile.slurm));
    if (profile.kind != ClusterProfile::kSlurm && document.find(kSlurmTable)) {
        return document.find(kSlurmTable)->error("[slurm] is of kind \"slurm\"; this is \"" + profile.kind + "\"");
    }
    DASGD_TRY(checkSlurmKeys(document, profile));
    profile.name = file.stem().string();
    profile.file = file;
    return profile;
}

std::vector<fs::path> clusterFolders(const fs::path& besideExperiment, const EnvironmentLookup& environment) {
    std::vector<fs::path> folders{besideExperiment.empty() ? fs::path(".") : besideExperiment};
    const auto config = environment("XDG_CONFIG_HOME");
    const auto home = environment("HOME");
    if (config && !config->empty()) {
        folders.push_back(fs::path(*config) / "dasgd" / "clusters");
    } else if (home && !home->empty()) {
        folders.push_back(fs::path(*home) / ".config" / "dasgd" / "clusters");
    }
    return folders;
}

Result<ClusterProfile> findClusterProfile(const std::string& name, const std::vector<fs::path>& folders) {
    if (!isProfileName(name)) return fail("'" + name + "' is no name of a cluster: NAME.toml is a file");
    for (const fs::path& folder : folders) {
        const fs::path file = folder / (name + ".toml");
        std::error_code code;
        if (fs::exists(file, code)) return readClusterProfile(file);
    }
    const std::string others = known(folders);
    std::string places;
    for (const fs::path& folder : folders)
        places += (places.empty() ? "" : " or ") + (folder / (name + ".toml")).string();
    return fail("there is no cluster '" + name + "': " + places + " would describe it; " +
                (others.empty() ? "there is none yet" : "there are " + others) +
                " (experiments/cluster/starting-ranks.md shows one)");
}

Result<std::vector<RanksPlace>> placeRanks(const ClusterProfile& profile, int ranks) {
    std::vector<std::size_t> all(profile.hosts.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return placeRanks(profile, ranks, all);
}

Result<std::vector<RanksPlace>> placeRanks(const ClusterProfile& profile, int ranks,
                                           const std::vector<std::size_t>& on) {
    const auto hosts = static_cast<std::int64_t>(on.size());
    const std::int64_t each = profile.ranksPerHost > 0 ? profile.ranksPerHost : (ranks + hosts - 1) / hosts;
    if (each * hosts < ranks) {
        return fail("cluster '" + profile.name + "' has room for " + std::to_string(each * hosts) + " ranks, " +
                    std::to_string(each) + " on each of " + std::to_string(hosts) + " hosts, but cluster.workers is " +
                    std::to_string(ranks) + "; add `--set cluster.workers=" + std::to_string(each * hosts) +
                    "`, or change ranks_per_host in " + profile.file.string());
    }
    std::vector<RanksPlace> places;
    for (int first = 0; first < ranks; first += static_cast<int>(each)) {
        places.push_back({on[places.size()], first, static_cast<int>(std::min<std::int64_t>(each, ranks - first))});
    }
    return places;
}

std::string placementText(const ClusterProfile& profile, const std::vector<RanksPlace>& places) {
    std::string text;
    for (const RanksPlace& place : places) {
        text += (text.empty() ? "" : ", ") + ranksText(place) + " on " + profile.hosts[place.host];
    }
    return text;
}

}  // namespace dasgd::experiments
