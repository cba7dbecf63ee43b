// `dasgd diff`: in what two runs differ, their settings and the code that they ran.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/analysis/runs/configuration.h"
#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/run/record/repository.h"
#include "storage/read/run_reader.h"

namespace dasgd::experiments {

namespace {

struct DiffOptions {
    std::array<std::string, 2> runs;
    std::string workspace, repository;
    bool json = false;
};

struct DifferingSetting {
    std::string key;
    std::array<std::optional<std::string>, 2> values;  // nullopt: the run has no such setting
};

struct Difference {
    std::array<storage::RunDetail, 2> runs;
    std::vector<DifferingSetting> settings;
    std::string between;  // the diff between their commits; "" where these are the same or it is not known
    std::string unknown;  // reason for which the diff is not known; "" without one
};

std::vector<DifferingSetting> differingSettings(const storage::RunRow& here, const storage::RunRow& there) {
    const std::array<Settings, 2> settings{settingsOf(here.config), settingsOf(there.config)};
    std::set<std::string> keys;
    for (const Settings& one : settings) {
        for (const auto& [key, value] : one) keys.insert(key);
    }
    std::vector<DifferingSetting> differing;
    for (const std::string& key : keys) {
        DifferingSetting setting{.key = key, .values = {}};
        for (std::size_t i = 0; i < settings.size(); ++i) {
            if (const auto found = settings[i].find(key); found != settings[i].end()) setting.values[i] = found->second;
        }
        if (setting.values[0] != setting.values[1]) differing.push_back(std::move(setting));
    }
    return differing;
}

// From the repository that is named, else from that of the workspace, else of the working folder: runs of both commits
// were most likely started in one of them.
void readCode(const DiffOptions& options, Difference& out) {
    const std::string& from = out.runs[0].row.gitCommit;
    const std::string& to = out.runs[1].row.gitCommit;
    if (from == to) {
        if (from.empty()) out.unknown = "no commit was recorded: whether the code is the same is not known";
        return;
    }
    if (from.empty() || to.empty()) {
        out.unknown = "of " + out.runs[from.empty() ? 0 : 1].row.runId + " no commit was recorded";
        return;
    }
    std::vector<std::filesystem::path> folders{options.repository};
    if (options.repository.empty()) folders = {options.workspace, "."};
    for (const std::filesystem::path& folder : folders) {
        auto diff = diffOfCommits(folder, from, to);
        if (diff) {
            out.between = std::move(*diff);
            out.unknown.clear();
            return;
        }
        if (out.unknown.empty()) out.unknown = diff.error().message;
    }
}

Result<Difference> load(const DiffOptions& options) {
    DASGD_ASSIGN(auto reader, storage::RunReader::open(options.workspace));
    Difference out;
    for (std::size_t i = 0; i < out.runs.size(); ++i) {
        DASGD_ASSIGN(out.runs[i], reader.detail(options.runs[i]));
    }
    out.settings = differingSettings(out.runs[0].row, out.runs[1].row);
    readCode(options, out);
    return out;
}

nlohmann::json jsonOf(const Difference& difference) {
    nlohmann::json json;
    nlohmann::json& code = json["code"];
    for (const char* list : {"commits", "dirty", "uncommitted"}) code[list] = nlohmann::json::array();
    for (const storage::RunDetail& run : difference.runs) {
        json["runs"].push_back(run.row.runId);
        code["commits"].push_back(run.row.gitCommit);
        code["dirty"].push_back(run.gitDirty);
        code["uncommitted"].push_back(run.gitDirtyDiff);
    }
    code["between"] = difference.unknown.empty() ? nlohmann::json(difference.between) : nlohmann::json();
    code["unknown"] = difference.unknown;
    json["settings"] = nlohmann::json::array();
    for (const DifferingSetting& setting : difference.settings) {
        nlohmann::json values = nlohmann::json::array();
        for (const auto& value : setting.values) values.push_back(value ? nlohmann::json(*value) : nlohmann::json());
        json["settings"].push_back({{"key", setting.key}, {"values", std::move(values)}});
    }
    return json;
}

std::string settingsText(const Difference& difference) {
    if (difference.settings.empty()) return "the same settings\n";
    std::size_t width = 0;
    for (const DifferingSetting& setting : difference.settings) width = std::max(width, setting.key.size());
    std::string out = "settings that differ\n";
    for (const DifferingSetting& setting : difference.settings) {
        out += "  " + printable(setting.key) + std::string(width - setting.key.size(), ' ');
        for (std::size_t i = 0; i < setting.values.size(); ++i) {
            out += (i > 0 ? "  →  " : "  ") + printable(setting.values[i].value_or("not set"));
        }
        out += "\n";
    }
    return out;
}

// Each line as a terminal may print it.
std::string diffText(const std::string& diff) { return diff.empty() ? "" : printableLines(diff, "\n") + "\n"; }

std::string codeText(const Difference& difference) {
    const auto& [here, there] = difference.runs;
    const bool sameChanges = here.gitDirty == there.gitDirty && here.gitDirtyDiff == there.gitDirtyDiff;
    std::string out = "code: ";
    if (here.row.gitCommit != there.row.gitCommit) {
        const auto named = [](const std::string& commit) {
            return commit.empty() ? "not recorded" : printable(commit);
        };
        out += "commits " + named(here.row.gitCommit) + " and " + named(there.row.gitCommit) + "\n";
    } else if (!here.row.gitCommit.empty()) {
        out += "commit " + printable(here.row.gitCommit) + " of both" +
               (!sameChanges    ? ", with other uncommitted changes"
                : here.gitDirty ? ", with the same uncommitted changes"
                                : "") +
               "\n";
    }
    if (!difference.unknown.empty()) {
        const bool names = here.row.gitCommit != there.row.gitCommit;
        out += printable(difference.unknown) +
               (names ? "; name a repository that has both commits with --repository FOLDER\n" : "\n");
    }
    out += diffText(difference.between);
    for (const storage::RunDetail& run : difference.runs) {
        if (sameChanges || run.gitDirtyDiff.empty()) continue;
        out += "\nuncommitted in " + printable(run.row.runId) + "\n" + diffText(run.gitDirtyDiff);
    }
    return out;
}

std::string textOf(const Difference& difference) {
    return printable(difference.runs[0].row.runId) + "  →  " + printable(difference.runs[1].row.runId) + "\n" +
           settingsText(difference) + codeText(difference);
}

Action declareDiff(CLI::App& app) {
    auto options = std::make_shared<DiffOptions>();
    app.add_option("RUN", options->runs[0], "Run id, or the beginning of one")->required();
    app.add_option("OTHER", options->runs[1], "The run that it is held against")->required();
    addWorkspaceOption(app, options->workspace);
    app.add_option("--repository", options->repository,
                   "Folder of the git repository that has the commits of both; default: that of the workspace, else of "
                   "the working folder");
    app.add_flag("--json", options->json, "As one JSON object");
    return [options] {
        const auto difference = load(*options);
        if (!difference) return refuse(difference.error());
        std::fputs(options->json ? (dumpLine(jsonOf(*difference)) + "\n").c_str() : textOf(*difference).c_str(),
                   stdout);
        return static_cast<int>(kFinished);
    };
}

const CommandRegistry::Add kDiffEntry{
    {.order = 95, .name = "diff", .summary = "In what two runs differ: settings and code", .declare = declareDiff}};

}  // namespace

}  // namespace dasgd::experiments
