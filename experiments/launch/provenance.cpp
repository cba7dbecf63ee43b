#include "experiments/launch/provenance.h"

#include <gloo/config.h>
#include <sys/utsname.h>
#include <torch/headeronly/version.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "core/base/host_name.h"
#include "experiments/base/process.h"
#include "experiments/launch/hardware.h"
#include "storage/run_reader.h"

namespace dasgd::experiments {

namespace {

constexpr Ns kGitPatience = 5'000'000'000;
constexpr std::size_t kMaxDiffBytes = 1 << 20;

using Words = std::vector<std::string>;

struct Setting {
    std::string key, value;
};
using Settings = std::vector<Setting>;

// The repository may be anyone's: nothing that its configuration names is run, nothing is fetched, and it is not
// locked. Settings go by the environment: a key on the command line ends at its first "=".
std::optional<std::string> git(const std::filesystem::path& folder, Settings settings, const Words& command) {
    settings.push_back({"core.fsmonitor", "false"});
    settings.push_back({"core.hooksPath", "/dev/null"});
    Words words{"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1",
                "GIT_CONFIG_COUNT=" + std::to_string(settings.size())};
    for (std::size_t i = 0; i < settings.size(); ++i) {
        const std::string number = std::to_string(i);
        words.push_back("GIT_CONFIG_KEY_" + number + "=" + settings[i].key);
        words.push_back("GIT_CONFIG_VALUE_" + number + "=" + settings[i].value);
    }
    words.insert(words.end(), {"git", "--no-optional-locks", "-C", folder.string()});
    words.insert(words.end(), command.begin(), command.end());
    return outputOf("env", words, kMaxDiffBytes, kGitPatience);
}

// Filters are programs that git runs on files to compare them. An empty one is none; files that need theirs are then
// compared as they lie there.
Settings withoutFilters(const std::filesystem::path& folder) {
    const auto names = git(folder, {}, {"config", "--null", "--name-only", "--get-regexp", "^filter\\."});
    Settings settings;
    std::istringstream each(names.value_or(""));
    for (std::string name; std::getline(each, name, '\0');) {
        settings.push_back({name, name.ends_with(".required") ? "false" : ""});
    }
    return settings;
}

std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of(" \n\r\t") + 1);
    return text;
}

void addGit(const std::filesystem::path& folder, Provenance& out) {
    const auto commit = git(folder, {}, {"rev-parse", "HEAD"});
    if (!commit) return;
    out.gitCommit = trimmed(*commit);
    const Settings settings = withoutFilters(folder);
    // A submodule has a configuration of its own: of it only the commit is looked at.
    const char* const submodules = "--ignore-submodules=dirty";
    const auto status = git(folder, settings, {"status", "--porcelain", "--untracked-files=no", submodules});
    out.gitDirty = !status || !trimmed(*status).empty();
    if (!out.gitDirty) return;
    out.gitDirtyDiff =
        git(folder, settings, {"diff", "--no-ext-diff", "--no-textconv", submodules, "HEAD"}).value_or("");
    if (out.gitDirtyDiff.size() >= kMaxDiffBytes) out.gitDirtyDiff += "\n[cut off after 1 MiB]\n";
}

}  // namespace

std::string cpuModel() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        const auto colon = line.find(':');
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    utsname kernel{};
    ::uname(&kernel);
    return kernel.machine;
}

std::string versionsJson() {
    utsname kernel{};
    ::uname(&kernel);
    // Gloo itself is inside LibTorch; what is compiled here are Debian's headers of it.
    const nlohmann::json versions = {
        {"LibTorch", TORCH_VERSION},
        {"Gloo headers", std::to_string(GLOO_VERSION_MAJOR) + "." + std::to_string(GLOO_VERSION_MINOR) + "." +
                             std::to_string(GLOO_VERSION_PATCH)},
        {"SQLite", storage::sqliteVersion()},
        {"zlib", ::zlibVersion()},
        {"compiler", "g++ " __VERSION__},
        {"kernel", std::string(kernel.sysname) + " " + kernel.release}};
    return versions.dump();
}

Provenance collectProvenance(const std::filesystem::path& near) {
    Provenance out;
    out.host = hostName();
    out.cpu = cpuModel();
    out.hardware = hardware();
    out.versions = versionsJson();
    addGit(near.empty() ? "." : near, out);
    if (out.gitCommit.empty()) addGit(".", out);
    return out;
}

}  // namespace dasgd::experiments
