#include "experiments/tools/published/published.h"

#include <algorithm>
#include <sstream>

#include "core/base/schema/toml_reader.h"

namespace dasgd::experiments {

namespace {

// Entries of an array of tables; an array of anything else is an error.
Result<std::vector<const Value*>> tablesOf(const Value& parent, std::string_view key) {
    std::vector<const Value*> tables;
    const Value* list = parent.find(key);
    if (!list) return tables;
    const auto* entries = list->as<Value::Array>();
    if (!entries) return list->error("'" + std::string(key) + "' is written as [[" + std::string(key) + "]]");
    for (const Value& entry : *entries) {
        if (!entry.isTable()) return entry.error("an entry of '" + std::string(key) + "' is a table");
        tables.push_back(&entry);
    }
    return tables;
}

}  // namespace

std::optional<FieldError> PublishedNumber::check() const {
    if (published.empty() || published.size() > 2 || published.front() > published.back())
        return FieldError{"published",
                          "'" + what + "' needs one published number, or the lower and the upper end of an interval"};
    if (published.front() <= 0)
        return FieldError{"published", "'" + what + "' is compared by a ratio: it must be above 0"};
    if (factor > 0 && factor < 1) return FieldError{"factor", "the factor of '" + what + "' is 1 or more"};
    if (!query.empty() && !pointer.empty())
        return FieldError{"query", "'" + what + "' has a query or a pointer, not both"};
    if (query.empty() && pointer.empty() && why.empty())
        return FieldError{"what", "'" + what + "' has neither query nor pointer: say why it cannot be compared"};
    return std::nullopt;
}

std::optional<FieldError> PublishedSet::check() const {
    if (name.empty() || paper.empty()) return FieldError{"name", "a set has a name and its paper"};
    return std::nullopt;
}

Result<std::vector<PublishedSet>> readPublished(const std::filesystem::path& file) {
    DASGD_ASSIGN(const Value document, readTomlFile(file));
    std::vector<PublishedSet> sets;
    DASGD_ASSIGN(const std::vector<const Value*> tables, tablesOf(document, "set"));
    for (const Value* table : tables) {
        PublishedSet& set = sets.emplace_back();
        DASGD_TRY(readFields(*table, set, {"number"}));
        if (std::ranges::count(sets, set.name, &PublishedSet::name) > 1)
            return table->error("there are two sets of the name '" + set.name + "'");
        DASGD_ASSIGN(const std::vector<const Value*> numbers, tablesOf(*table, "number"));
        if (numbers.empty()) return table->error("'" + set.name + "' has no [[set.number]]");
        for (const Value* each : numbers) {
            PublishedNumber& number = set.numbers.emplace_back();
            DASGD_TRY(readFields(*each, number));
            if (!number.query.empty() && set.suite.empty())
                return each->error("'" + number.what + "' queries runs, and its set names no suite");
            if (!number.pointer.empty() && set.command.empty())
                return each->error("'" + number.what + "' has a pointer, and its set no command");
        }
    }
    if (sets.empty()) return document.error("no [[set]] in " + file.string());
    return sets;
}

std::vector<std::string> argumentsOf(const PublishedSet& set, const std::string& file) {
    std::vector<std::string> arguments;
    std::istringstream words(set.command);
    for (std::string word; words >> word;) arguments.push_back(word == "{suite}" ? file : word);
    return arguments;
}

std::string inWords(Verdict verdict) {
    switch (verdict) {
        case Verdict::Agrees: return "agrees";
        case Verdict::Differs: return "differs";
        case Verdict::NotRun: return "not run";
        case Verdict::NotComparable: return "cannot be compared";
    }
    return {};
}

NumberState judge(const PublishedSet& set, const PublishedNumber& number, double here) {
    const double least = number.published.front(), most = number.published.back();
    const double factor = number.factor > 0 ? number.factor : set.factor;
    NumberState state{.here = here, .runs = {}, .ratio = 1, .why = {}};
    if (here < least || number.atMost) state.ratio = here / least;
    if (here > most) state.ratio = here / most;
    const bool isEnough = number.atMost || here >= (least - number.rounding) / factor;
    const bool agrees = isEnough && here <= (most + number.rounding) * factor;
    state.verdict = agrees ? Verdict::Agrees : Verdict::Differs;
    state.why = number.why.empty() && !agrees ? set.why : number.why;
    return state;
}

}  // namespace dasgd::experiments
