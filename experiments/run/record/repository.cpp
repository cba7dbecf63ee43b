#include "experiments/run/record/repository.h"

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "experiments/base/process.h"

namespace dasgd::experiments {

namespace {

constexpr Ns kGitPatience = 5'000'000'000;
constexpr std::size_t kMaxDiffBytes = 1 << 20;

using GitWords = std::vector<std::string>;

struct GitSetting {
    std::string key, value;
};
using GitSettings = std::vector<GitSetting>;

// Settings go by the environment: a key on the command line ends at its first "=".
std::optional<std::string> git(const std::filesystem::path& folder, GitSettings settings, const GitWords& command) {
    settings.push_back({"core.fsmonitor", "false"});
    settings.push_back({"core.hooksPath", "/dev/null"});
    GitWords words{"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1",
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
GitSettings withoutFilters(const std::filesystem::path& folder) {
    const auto names = git(folder, {}, {"config", "--null", "--name-only", "--get-regexp", "^filter\\."});
    GitSettings settings;
    std::istringstream each(names.value_or(""));
    for (std::string name; std::getline(each, name, '\0');) {
        settings.push_back({name, name.ends_with(".required") ? "false" : ""});
    }
    return settings;
}

// A submodule has a configuration of its own: of it only the commit is looked at.
constexpr const char* kSubmodules = "--ignore-submodules=dirty";
// Arguments of `git diff` that ignore what the repository's configuration says about submodules, external programs and
// text conversion.
GitWords diffOf(std::initializer_list<std::string> what) {
    GitWords words{"diff",      "--no-ext-diff", "--no-textconv", "--submodule=short",
                   kSubmodules, "--no-color",    "--no-relative"};
    words.insert(words.end(), what);
    return words;
}

std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of(" \n\r\t") + 1);
    return text;
}

std::string cutOff(std::string diff) {
    if (diff.size() >= kMaxDiffBytes) diff += "\n[cut off after 1 MiB]\n";
    return diff;
}

// A record may name anything; what is no hash would be an option or a branch to git.
bool isHash(std::string_view text) {
    return text.size() >= 7 && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

}  // namespace

std::optional<std::string> commitIn(const std::filesystem::path& folder) {
    const auto commit = git(folder, {}, {"rev-parse", "HEAD"});
    return commit ? std::optional(trimmed(*commit)) : std::nullopt;
}

UncommittedChanges uncommittedIn(const std::filesystem::path& folder) {
    const GitSettings settings = withoutFilters(folder);
    const auto status = git(folder, settings, {"status", "--porcelain", "--untracked-files=no", kSubmodules});
    if (status && trimmed(*status).empty()) return {};
    const auto diff = git(folder, settings, diffOf({"HEAD"}));
    return {.any = true, .diff = cutOff(diff.value_or(""))};
}

Result<std::string> diffOfCommits(const std::filesystem::path& folder, const std::string& from, const std::string& to) {
    if (!git(folder, {}, {"rev-parse", "--git-dir"})) return fail(folder.string() + " is in no git repository");
    for (const std::string& commit : {from, to}) {
        if (!isHash(commit)) return fail("'" + commit + "' is no hash of a commit");
        if (!git(folder, {}, {"cat-file", "-e", commit + "^{commit}"})) {
            return fail("the repository at " + folder.string() + " has no commit " + commit);
        }
    }
    auto diff = git(folder, {}, diffOf({from, to, "--"}));
    if (!diff) return fail("git gave no diff of " + from + " and " + to + " at " + folder.string());
    return cutOff(std::move(*diff));
}

}  // namespace dasgd::experiments
