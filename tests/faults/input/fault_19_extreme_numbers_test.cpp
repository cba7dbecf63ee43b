// Fault 19: recorded numbers are NaN, ±Inf, the largest and the smallest there are. They are kept as they are, JSON
// and CSV that hold them are read by others, and a training that diverges ends with its rank and step.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/faults/support/fault_case.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/runs.h"

namespace dasgd::test {
namespace {

const std::vector<double> kExtremes{std::numeric_limits<double>::quiet_NaN(),
                                    INFINITY,
                                    -INFINITY,
                                    1e308,
                                    -1e308,
                                    std::numeric_limits<double>::max(),
                                    1e-320,
                                    std::numeric_limits<double>::denorm_min(),
                                    -0.0,
                                    0.1};

// SQLite keeps no sign of zero.
bool sameNumber(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

// The last column of the lines that follow the head.
std::vector<double> lastColumnOf(const std::string& csv) {
    std::vector<double> numbers;
    std::istringstream lines(csv);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
        const char* const begin = line.c_str() + line.rfind(',') + 1;
        char* end = nullptr;
        const double number = std::strtod(begin, &end);
        EXPECT_TRUE(end != begin && std::string(end) == "\r") << line;
        numbers.push_back(number);
    }
    return numbers;
}

// Nothing but JSON: NaN and Infinity are none.
bool isJson(const std::string& text) { return !text.empty() && nlohmann::json::accept(text); }

// Each metric that people see a number of ends with `value`.
class ExtremeRun {
public:
    explicit ExtremeRun(double value) : value_(value) {
        for (const char* name : {"train/loss", "eval/loss", "eval/accuracy", "eval/perplexity", "timing/seconds"}) {
            for (std::size_t step = 0; step < kExtremes.size(); ++step) record(name, step, kExtremes[step]);
            record(name, kExtremes.size(), value);
        }
        run_.finish();
    }

    [[nodiscard]] bool isKept() const {
        auto reader = run_.reader();
        const auto answer = reader.metrics().samples({.runId = run_.runId, .name = "train/loss"});
        bool kept = answer->samples.size() == kExtremes.size() + 1;
        for (std::size_t i = 0; kept && i < kExtremes.size(); ++i) {
            kept = sameNumber(answer->samples[i].value, kExtremes[i]);
        }
        return kept && sameNumber(answer->samples.back().value, value_);
    }
    [[nodiscard]] bool isReadAsCsv() const {
        const Ended ended = ask({"export", run_.runId, "--csv", (run_.folder / "csv").string()});
        EXPECT_EQ(ended.exit, 0) << ended.err;
        const auto numbers = lastColumnOf(contentOf(run_.folder / "csv/train_loss.csv"));
        bool same = numbers.size() == kExtremes.size() + 1;
        for (std::size_t i = 0; same && i < kExtremes.size(); ++i) same = sameNumber(numbers[i], kExtremes[i]);
        return same && sameNumber(numbers.back(), value_);
    }
    [[nodiscard]] bool isReadAsJson() const {
        for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
                 {"list", "--json"}, {"show", run_.runId, "--json"}, {"compare", run_.runId, "--json"}}) {
            const Ended ended = ask(command);
            EXPECT_EQ(ended.exit, 0) << ended.err;
            EXPECT_TRUE(isJson(ended.out)) << command.front() << ": " << ended.out;
            if (ended.exit != 0 || !isJson(ended.out)) return false;
        }
        const std::string trace = (run_.folder / "trace.json").string();
        return ask({"export", run_.runId, "--trace", trace}).exit == 0 && isJson(contentOf(trace));
    }
    // People are told, by a command that ends well.
    [[nodiscard]] bool isShown() const {
        return ask({"list"}).exit == 0 && ask({"show", run_.runId}).exit == 0 &&
               ask({"compare", run_.runId}).exit == 0 && ask({"compare", run_.runId, "--csv"}).exit == 0;
    }
    // By the program that draws without a display.
    [[nodiscard]] bool isDrawn() const {
        if (*kLabProgram == '\0') return true;
        const Ended ended =
            StartedProgram(run_.folder.path(),
                           {"figure", "--runs", run_.runId, "--workspace", workspace(), "--out", "figures"},
                           {{"QT_QPA_PLATFORM", "offscreen"}}, kLabProgram)
                .wait();
        EXPECT_EQ(ended.exit, 0) << ended.err;
        return ended.exit == 0 && std::filesystem::exists(run_.folder / "figures/loss.pdf");
    }

private:
    void record(const char* name, std::size_t step, double value) {
        const auto at = static_cast<std::int64_t>(step);
        run_.rank(0).metric({.name = name, .step = at, .epoch = 0.1, .wall = at * 1000, .value = value});
    }
    [[nodiscard]] std::string workspace() const { return run_.store.paths().root.string(); }
    [[nodiscard]] Ended ask(std::vector<std::string> command) const {
        command.insert(command.end(), {"-w", workspace()});
        return StartedProgram(run_.folder.path(), command, {}).wait();
    }

    OneRun run_;
    double value_;
};

// A learning rate with which the loss grows until it is no number; true where the run says so and keeps what it had.
bool endsWhereItDiverges(const std::string& rate) {
    const DasgdFolder folder;
    folder.write("e.toml", quickExperiment("gloo", 2000));
    const Ended ended = folder.run({"run", "e.toml", "-w", "w", "-q", "--set", "optimizer.learning_rate=" + rate});
    auto reader = storage::WorkspaceReader::open(folder.workspace());
    const storage::RunRow row = reader->runs().list()->front();
    const auto losses = reader->metrics().samples({.runId = row.runId, .name = "train/loss", .rank = 0})->samples;
    const bool said = row.status == "failed" && row.error.find("the training loss of rank ") != std::string::npos &&
                      row.error.find(" at step ") != std::string::npos;
    EXPECT_TRUE(said) << row.status << ", " << row.error;
    // The control: it came that far.
    double largest = 0;
    for (const auto& sample : losses) {
        if (std::isfinite(sample.value)) largest = std::max(largest, sample.value);
    }
    EXPECT_GT(largest, 1e280);
    const bool json = isJson(folder.run({"list", "-w", "w", "--json"}).out);
    EXPECT_TRUE(json);
    return ended.exit == 1 && said && json && largest > 1e280 && reader->checkIntegrity();
}

TEST(Fault19, NumbersAreNoneOrTheLargestOrTheSmallest) {
    int injected = 0, held = 0;
    for (int i = 0; i < faultCount(3, static_cast<int>(kExtremes.size())); ++i) {
        const ExtremeRun run(kExtremes[static_cast<std::size_t>(i)]);
        const bool drawn = i < faultCount(1, static_cast<int>(kExtremes.size())) ? run.isDrawn() : true;
        const bool holds = run.isKept() && run.isReadAsCsv() && run.isReadAsJson() && run.isShown() && drawn;
        EXPECT_TRUE(holds) << kExtremes[static_cast<std::size_t>(i)];
        ++injected;
        held += holds;
    }
    const std::vector<std::string> rates{"1e6", "1e3", "10.0"};
    for (int i = 0; i < faultCount(1, static_cast<int>(rates.size())); ++i) {
        ++injected;
        held += endsWhereItDiverges(rates[static_cast<std::size_t>(i)]);
    }
    reportFault(19, "metrics that are NaN, ±Inf, 1e308, 1e-320; trainings that diverge",
                "kept as they are, JSON and CSV are valid, the run ends with rank and step", injected, held);
}

}  // namespace
}  // namespace dasgd::test
