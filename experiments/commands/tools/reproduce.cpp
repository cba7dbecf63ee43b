// `dasgd reproduce`: published numbers beside what comes out here.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/base/number_format.h"
#include "experiments/base/process.h"
#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/config/checked_experiment.h"
#include "experiments/tools/published/set_state.h"
#include "experiments/tools/report/run_summary.h"

namespace dasgd::experiments {

namespace {

struct ReproduceOptions {
    std::vector<std::string> sets;
    std::string list = "experiments/published.toml", workspace;
    Markup markup = Markup::Terminal;
    bool json = false;
};

Result<std::string> outputOf(const std::vector<std::string>& arguments) {
    constexpr Ns kPatience = 600'000'000'000;
    DASGD_ASSIGN(ChildProcess child, ChildProcess::start({kOwnProgram, arguments, {}, false}));
    const auto exit = child.awaitEnd(kPatience);
    if (!exit || exit->code != 0 || exit->signal != 0) {
        std::string line;
        for (const std::string& word : arguments) line += " " + word;
        return fail("`dasgd" + line + "` " +
                    (exit ? "ended with " + describeExit(*exit) : "did not end in ten minutes"));
    }
    return child.report();
}

Result<std::vector<PublishedSet>> chosenSets(const ReproduceOptions& options) {
    DASGD_ASSIGN(std::vector<PublishedSet> all, readPublished(options.list));
    if (options.sets.empty()) return all;
    std::vector<PublishedSet> chosen;
    for (const std::string& name : options.sets) {
        const auto found = std::ranges::find(all, name, &PublishedSet::name);
        if (found == all.end()) {
            std::string names;
            for (const PublishedSet& set : all) names += (names.empty() ? "" : ", ") + set.name;
            return fail("no set '" + name + "' in " + options.list + "; it has: " + names);
        }
        chosen.push_back(*found);
    }
    return chosen;
}

// The command that makes the numbers of a set.
std::string commandOf(const SetState& state, const ReproduceOptions& options) {
    const std::filesystem::path folder = std::filesystem::path(options.list).parent_path();
    const std::string file = (folder / state.set.suite).string();
    if (state.set.command.empty())
        return state.set.suite.empty() ? "" : "dasgd run " + file + " --resume -w " + options.workspace;
    std::string command = "dasgd";
    for (const std::string& word : argumentsOf(state.set, file)) command += " " + word;
    return command;
}

std::string publishedText(const PublishedNumber& number) {
    std::string text = shortNumber(number.published.front());
    if (number.published.size() > 1) text += " to " + shortNumber(number.published.back());
    return text;
}

std::string standing(const SetState& state) {
    const auto part = [&](Verdict verdict) {
        const std::size_t count = state.count(verdict);
        return count == 0 ? std::string() : std::to_string(count) + " " + inWords(verdict);
    };
    std::string text;
    for (const Verdict verdict : {Verdict::Agrees, Verdict::Differs, Verdict::NotComparable, Verdict::NotRun}) {
        const std::string words = part(verdict);
        if (!words.empty()) text += (text.empty() ? "" : ", ") + words;
    }
    return text;
}

std::string runsText(const SetState& state) {
    if (state.runs == 0) return state.set.command.empty() ? "none that could be compared" : "by formula, nothing run";
    if (state.missing > 0) return std::to_string(state.missing) + " of " + std::to_string(state.runs) + " runs missing";
    std::string text = std::to_string(state.runs) + (state.runs == 1 ? " run" : " runs") + " of commit";
    for (const std::string& commit : state.commits) text += " " + (commit.empty() ? "(unknown)" : commit.substr(0, 8));
    return text;
}

std::string numbersText(const SetState& state, const ReproduceOptions& options) {
    TextTable table({"", "published", "here", "n", "here ÷ published", "", ""});
    table.leftAlign(5);
    table.leftAlign(6);
    for (std::size_t i = 0; i < state.numbers.size(); ++i) {
        const PublishedNumber& number = state.set.numbers[i];
        const NumberState& here = state.numbers[i];
        table.add({number.what, publishedText(number), shortNumber(here.here),
                   here.runs ? std::to_string(*here.runs) : "–",
                   here.ratio ? NumberFormat{.decimals = 2}.text(here.ratio) : "–", inWords(here.verdict), here.why});
    }
    const bool isMarkdown = options.markup == Markup::Markdown;
    return (isMarkdown ? "## " + state.set.name + "\n\n" : state.set.name + "\n") +
           ownLine(state.set.paper, options.markup) +
           ownLine(runsText(state) + ": " + commandOf(state, options), options.markup) + (isMarkdown ? "" : "\n") +
           table.toString(options.markup) + "\n";
}

std::string textOf(const std::vector<SetState>& states, const ReproduceOptions& options) {
    TextTable table({"set", "state", "runs", "paper"});
    for (const std::size_t column : {1, 2, 3}) table.leftAlign(column);
    std::size_t agree = 0, compared = 0, all = 0;
    for (const SetState& state : states) {
        table.add({state.set.name, standing(state), runsText(state), state.set.paper});
        agree += state.count(Verdict::Agrees);
        compared += state.count(Verdict::Agrees) + state.count(Verdict::Differs);
        all += state.numbers.size();
    }
    std::string text = table.toString(options.markup) + "\n" + std::to_string(agree) + " of " +
                       std::to_string(compared) + " numbers that can be compared now agree; the list has " +
                       std::to_string(all) + ".\n\n";
    for (const SetState& state : states) text += numbersText(state, options);
    return text +
           "A number agrees where it lies within its published interval, widened by the rounding of the print and "
           "the factor of\nits set. n: runs that a number is of, where it is a mean.\n";
}

nlohmann::json jsonOf(const SetState& state, const ReproduceOptions& options) {
    nlohmann::json numbers = nlohmann::json::array();
    for (std::size_t i = 0; i < state.numbers.size(); ++i) {
        const PublishedNumber& number = state.set.numbers[i];
        const NumberState& here = state.numbers[i];
        nlohmann::json json = {{"what", number.what},
                               {"published", number.published},
                               {"here", here.here ? nlohmann::json(jsonNumber(*here.here)) : nlohmann::json()},
                               {"ratio", here.ratio ? nlohmann::json(*here.ratio) : nlohmann::json()},
                               {"runs", here.runs ? nlohmann::json(*here.runs) : nlohmann::json()},
                               {"verdict", inWords(here.verdict)},
                               {"why", here.why}};
        if (here.here && !number.query.empty()) json["query"] = storage::overRuns(state.found, number.query);
        numbers.push_back(std::move(json));
    }
    return {{"set", state.set.name},      {"paper", state.set.paper}, {"command", commandOf(state, options)},
            {"runs", state.runs},         {"missing", state.missing}, {"commits", state.commits},
            {"factor", state.set.factor}, {"numbers", numbers}};
}

int reproduce(const ReproduceOptions& options) {
    const auto sets = chosenSets(options);
    if (!sets) return refuse(sets.error());
    const std::filesystem::path folder = std::filesystem::path(options.list).parent_path();
    std::optional<storage::WorkspaceReader> reader;
    if (std::filesystem::exists(std::filesystem::path(options.workspace) / "lab.db")) {
        auto opened = storage::WorkspaceReader::open(options.workspace);
        if (!opened) return refuse(opened.error());
        reader = std::move(*opened);
    }
    std::vector<SetState> states;
    nlohmann::json json = nlohmann::json::array();
    for (const PublishedSet& set : *sets) {
        auto state = stateOf(set, folder, reader ? &*reader : nullptr, outputOf);
        if (!state) return refuse({set.name + ": " + state.error().message});
        json.push_back(jsonOf(*state, options));
        states.push_back(std::move(*state));
    }
    std::fputs((options.json ? dumpLine(json) + "\n" : textOf(states, options)).c_str(), stdout);
    return kFinished;
}

Action declareReproduce(CLI::App& app) {
    auto options = std::make_shared<ReproduceOptions>();
    app.add_option("SET", options->sets, "Sets of the list; default: all");
    app.add_option("--list", options->list, "The list of published numbers; its suites lie beside it")
        ->capture_default_str();
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--json", options->json, "One JSON array; with the SQL that gives each number");
    addMarkdownOption(app, options->markup);
    app.footer(
        "Reads what the workspace has and runs nothing: the command of each set makes what is missing. Runs count "
        "whose\n"
        "settings are exactly those of the suite; of equal ones the newest.");
    return [options] { return reproduce(*options); };
}

const CommandRegistry::Add kReproduceEntry{{.order = 105,
                                            .name = "reproduce",
                                            .summary = "Published numbers, what comes out here, and whether they agree",
                                            .declare = declareReproduce}};

}  // namespace

}  // namespace dasgd::experiments
