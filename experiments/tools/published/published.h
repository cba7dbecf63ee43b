// Published numbers, and how each comes out here: the list behind `dasgd reproduce`, read from a TOML file. Every
// number is either a query over the runs of a suite, or a place in what a command of `dasgd` prints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/schema/fields.h"

namespace dasgd::experiments {

struct PublishedNumber {
    std::string what;
    std::vector<double> published;  // one number, or the two ends of an interval
    double rounding = 0;
    double factor = 0;
    bool atMost = false;
    std::string query, pointer, why;

    void visit(auto&& f) {
        f(what, "what", {.help = "Name of the number, with its unit"});
        f(published, "published", {.help = "The number, or the two ends of an interval"});
        f(rounding, "rounding", {.min = 0, .help = "Half a unit of the last digit that is printed"});
        f(factor, "factor", {.min = 0, .help = "As of the set; 0: the set's"});
        f(atMost, "at_most", {.help = "Published as a bound: \"up to\". What is smaller agrees"});
        f(query, "query",
          {.help =
               "Query over suite_runs, which is run_list with `label` for the suite's finished runs: the number, and "
               "as a second column how many runs it is of"});
        f(pointer, "pointer", {.help = "JSON pointer into what the set's command prints"});
        f(why, "why", {.help = "What limits the comparison, or, without query and pointer, why there is none"});
    }
    [[nodiscard]] std::optional<FieldError> check() const;
};

struct PublishedSet {
    std::string name, paper, suite, command, results;
    double factor = 1.15;
    std::string why;
    std::vector<PublishedNumber> numbers = {};  // in the file `number`: an array of tables

    void visit(auto&& f) {
        f(name, "name", {.help = "Name of the set"});
        f(paper, "paper", {.help = "Source of the numbers"});
        f(suite, "suite", {.help = "Experiment beside the list whose runs are queried"});
        f(command, "command", {.help = "Arguments of a `dasgd` that prints JSON; {suite} is the suite's file"});
        f(results, "results", {.help = "Document beside the list that says what was assumed"});
        f(factor, "factor", {.min = 1, .help = "A number agrees where it is at most so many times larger or smaller"});
        f(why, "why", {.help = "Why numbers of the set do not agree, where they have no reason of their own"});
    }
    [[nodiscard]] std::optional<FieldError> check() const;
};

// Errors carry file:line:column: syntax, unknown keys, numbers without a source, sets of one name.
[[nodiscard]] Result<std::vector<PublishedSet>> readPublished(const std::filesystem::path& file);

// Words of the set's command, with the suite's file in the place of {suite}.
[[nodiscard]] std::vector<std::string> argumentsOf(const PublishedSet& set, const std::string& file);

// Where a number stands that came out here.
enum class Verdict : std::uint8_t { Agrees, Differs, NotRun, NotComparable };
[[nodiscard]] std::string inWords(Verdict verdict);

struct NumberState {
    Verdict verdict = Verdict::NotRun;
    std::optional<double> here;
    std::optional<std::int64_t> runs;  // that it is of, where the query says it
    std::optional<double> ratio;       // here ÷ published; of an interval to its nearer end, 1 within it
    std::string why;                   // what limits the comparison
};

// `here` beside what was published: it agrees within the interval, widened by the rounding and then by the factor.
[[nodiscard]] NumberState judge(const PublishedSet& set, const PublishedNumber& number, double here);

}  // namespace dasgd::experiments
