#include "experiments/tools/calibrate/nccl_tests.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "core/base/schema/input_file.h"
#include "core/base/text/printable.h"
#include "experiments/tools/calibrate/calibration_file.h"

namespace dasgd::experiments {

namespace {

using Words = std::vector<std::string_view>;

constexpr std::array<std::pair<std::string_view, Collective>, 5> kPrograms{
    {{"all_reduce_perf", Collective::AllReduce},
     {"reduce_scatter_perf", Collective::ReduceScatter},
     {"all_gather_perf", Collective::AllGather},
     {"sendrecv_perf", Collective::SendReceive},
     {"alltoall_perf", Collective::AllToAll}}};

std::string_view programOf(Collective collective) {
    return std::ranges::find(kPrograms, collective, [](const auto& program) { return program.second; })->first;
}

Words wordsOf(std::string_view line) {
    constexpr std::string_view kBlank = " \t\r";
    Words words;
    for (auto from = line.find_first_not_of(kBlank); from != std::string_view::npos;) {
        const auto to = std::min(line.find_first_of(kBlank, from), line.size());
        words.push_back(line.substr(from, to - from));
        from = line.find_first_not_of(kBlank, to);
    }
    return words;
}

// A line without what mpirun --tag-output puts before it: "[1,0]<stdout>:".
std::string_view withoutTag(std::string_view line) {
    const auto end = line.find(">:");
    const bool tagged = line.starts_with('[') && end != std::string_view::npos &&
                        line.substr(0, end).find("]<std") != std::string_view::npos;
    return tagged ? line.substr(end + 2) : line;
}

template <class Number>
std::optional<Number> numberOf(std::string_view word) {
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
}

// A printed number and half a unit of its last digit: "12.50" is 12.5 ± 0.005, "1.2e+07" is 12,000,000 ± 500,000.
struct Printed {
    double value = 0;
    double half = 0;
};
std::optional<Printed> printedNumber(std::string_view word) {
    const auto value = numberOf<double>(word);
    if (!value || !std::isfinite(*value) || *value < 0) return std::nullopt;
    const auto exponentAt = word.find('e');
    const std::string_view digits = word.substr(0, exponentAt);
    const auto point = digits.find('.');
    const double decimals = point == std::string_view::npos ? 0 : static_cast<double>(digits.size() - point - 1);
    double exponent = 0;
    if (exponentAt != std::string_view::npos) {
        std::string_view power = word.substr(exponentAt + 1);
        if (power.starts_with('+')) power.remove_prefix(1);
        exponent = numberOf<int>(power).value_or(0);
    }
    return Printed{*value, 0.5 * std::pow(10, exponent - decimals)};
}

bool isWhole(std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

// Places of the columns of one measurement in a row.
struct Columns {
    std::size_t size = 0, time = 0, algorithmBandwidth = 0, busBandwidth = 0;
    std::optional<std::size_t> wrong;
};

struct TableLayout {
    std::size_t words = 0;  // of a row
    std::array<Columns, 2> measurements;
};

// The columns by their names, none where this is no line of names. A timestamp is one name and two words.
Result<std::optional<TableLayout>> tableLayoutOf(const Words& words) {
    const std::span<const std::string_view> names = std::span(words).subspan(1);
    const auto placeOf = [&](std::string_view name, int nth) -> std::optional<std::size_t> {
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i] == name && nth-- == 0) return i;
        }
        return std::nullopt;
    };
    if (placeOf("size", 0) != std::size_t{0} || !placeOf("busbw", 0)) return std::nullopt;
    TableLayout layout{.words = names.size() + (placeOf("timestamp", 0) ? 1 : 0)};
    for (int nth = 0; nth < 2; ++nth) {
        const auto time = placeOf("time", nth), algorithm = placeOf("algbw", nth), bus = placeOf("busbw", nth);
        if (!time || !algorithm || !bus) {
            return fail(
                "these columns lack time, algbw or busbw, out of place and in place; run nccl-tests without "
                "--report_cputime, and with its own table on stdout");
        }
        layout.measurements[static_cast<std::size_t>(nth)] = {0, *time, *algorithm, *bus, placeOf("#wrong", nth)};
    }
    return layout;
}

class OutputReader {
public:
    OutputReader(std::string name, std::map<Collective, NcclCollective>& collectives, NcclTests& tests)
        : name_(std::move(name)), collectives_(collectives), tests_(tests) {
        ofFile_ = programIn(std::filesystem::path(name_).filename().string());
    }

    Status line(std::string_view text) {
        ++number_;
        text = withoutTag(text);
        const Words words = wordsOf(text);
        if (words.empty()) return {};
        if (words.front() == "#" || words.front().starts_with('#')) return comment(text, words);
        if (layout_ && isWhole(words.front())) return row(words);
        if (layout_) ++tests_.passedOver;
        if (const auto program = programIn(text)) program_ = program;
        return {};
    }

private:
    static std::optional<Collective> programIn(std::string_view text) {
        for (const auto& [program, collective] : kPrograms) {
            if (text.find(program) != std::string_view::npos) return collective;
        }
        return std::nullopt;
    }

    [[nodiscard]] tl::unexpected<Error> bad(const std::string& what) const {
        return fail(printable(name_) + ":" + std::to_string(number_) + ": " + what);
    }

    Status comment(std::string_view text, const Words& words) {
        if (text.find("Collective test concluded") != std::string_view::npos) {
            program_.reset();
            return {};
        }
        if (text.find("Collective test starting") != std::string_view::npos) {
            program_ = programIn(text);
            if (!program_) {
                return bad("the test " + excerpt(words.back()) +
                           " has no model here; give the output of all_reduce_perf, reduce_scatter_perf, "
                           "all_gather_perf, sendrecv_perf or alltoall_perf");
            }
        }
        if (text.find("nThread") != std::string_view::npos) {
            ranks_ = 0;
            layout_.reset();
        }
        if (words.size() > 2 && words[1] == "Rank") return rank(words);
        if (text.find("Out of bounds values") != std::string_view::npos) {
            layout_.reset();
            if (words.back() == "FAILED") {
                return bad(
                    "nccl-tests found wrong values; times of a fabric or driver that computes wrong are no "
                    "calibration");
            }
            return {};
        }
        auto layout = tableLayoutOf(words);
        if (!layout) return bad(layout.error().message);
        return *layout ? table(**layout) : Status();
    }

    Status rank(const Words& words) {
        const auto number = numberOf<int>(words[2]);
        if (!number) return bad("this line of a rank has no number; copy the whole output of nccl-tests");
        if (words.size() > 4 && words[3] == "Group" && words[4] != "0") {
            return bad(
                "ranks of several groups communicate at once over the same links; run nccl-tests without "
                "NCCL_TESTS_SPLIT");
        }
        if (*number != ranks_) {
            return bad(
                "rank " + std::to_string(*number) + " stands where rank " + std::to_string(ranks_) +
                " belongs; under mpirun nccl-tests must be built with MPI=1, or each process measures itself alone");
        }
        ++ranks_;
        return {};
    }

    Status table(const TableLayout& layout) {
        const auto program = program_ ? program_ : ofFile_;
        if (!program) {
            return bad(
                "nothing says which test this table is of; put the line \"# Collective test starting: "
                "all_reduce_perf\" before it, with the name of the program that printed it");
        }
        if (ranks_ < 2) {
            return bad(ranks_ == 0
                           ? std::string("no list of ranks comes before this table; keep the lines \"#  Rank  0 …\"")
                           : std::string("one rank sends nothing to anybody; run nccl-tests on two GPUs or more"));
        }
        if (tests_.ranks != 0 && tests_.ranks != ranks_) {
            return bad("this table is of " + std::to_string(ranks_) + " ranks and one before it of " +
                       std::to_string(tests_.ranks) + "; calibrate them one at a time");
        }
        tests_.ranks = ranks_;
        layout_ = layout;
        current_ = *program;
        return {};
    }

    Status row(const Words& words) {
        if (words.size() != layout_->words) {
            return bad("this row has " + std::to_string(words.size()) + " columns and the line of names above it " +
                       std::to_string(layout_->words) + "; copy it whole, or delete it");
        }
        const double bytes = numberOf<double>(words.front()).value_or(0);
        if (bytes == 0) {
            ++tests_.emptyRows;
            return {};
        }
        std::array<double, 2> seconds{};
        for (std::size_t i = 0; i < seconds.size(); ++i) {
            auto one = measurement(words, layout_->measurements[i], bytes);
            if (!one) return tl::unexpected(std::move(one).error());
            seconds[i] = *one;
        }
        collectives_[current_].rows.push_back({bytes, seconds[0], seconds[1]});
        return {};
    }

    Result<double> measurement(const Words& words, const Columns& columns, double bytes) const {
        if (columns.wrong) {
            const std::string_view wrong = words[*columns.wrong];
            if (wrong != "N/A" && numberOf<double>(wrong) != 0.0) {
                return bad("#wrong is " + excerpt(wrong) +
                           "; times of a fabric or driver that computes wrong are no calibration");
            }
        }
        const auto time = printedNumber(words[columns.time]);
        if (!time || time->value == 0) {
            return bad("time is " + excerpt(words[columns.time]) +
                       ", no number of microseconds above 0; copy the row whole, or delete it");
        }
        const auto algorithm = printedNumber(words[columns.algorithmBandwidth]);
        const auto bus = printedNumber(words[columns.busBandwidth]);
        if (!algorithm || !bus) {
            return bad("algbw or busbw is no number; copy the row whole, or delete it");
        }
        DASGD_TRY(checkBandwidths(bytes, *time, *algorithm, *bus));
        return time->value * 1e-6;
    }

    Status checkBandwidths(double bytes, const Printed& time, const Printed& algorithm, const Printed& bus) const {
        const double share = shapeOf(current_, ranks_).bytesShare;
        const double expected = bytes / time.value * 1e-3;
        const double slack = 1e-9 * expected;
        if (std::abs(algorithm.value - expected) > algorithm.half + expected * time.half / time.value + slack) {
            return bad("algbw is " + number(algorithm.value) + " GB/s, and size ÷ time " + number(expected) +
                       "; the row is not as nccl-tests printed it, or of an early version, whose all_gather_perf "
                       "counts otherwise");
        }
        if (std::abs(bus.value - share * algorithm.value) > bus.half + share * algorithm.half + slack) {
            return bad("busbw ÷ algbw is " + number(bus.value / algorithm.value) + ", and " + number(share) + " for " +
                       std::string(programOf(current_)) + " among " + std::to_string(ranks_) +
                       " ranks; is the table of another test, or the list of ranks not whole?");
        }
        return {};
    }

    static std::string number(double value) {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%.4g", value);
        return text.data();
    }

    std::string name_;
    std::map<Collective, NcclCollective>& collectives_;
    NcclTests& tests_;
    std::size_t number_ = 0;
    int ranks_ = 0;
    std::optional<Collective> program_, ofFile_;
    std::optional<TableLayout> layout_;  // none outside a table
    Collective current_{};               // of the table
};

Status readFile(const std::string& file, std::map<Collective, NcclCollective>& collectives, NcclTests& tests) {
    std::ifstream in(file);
    if (!isInputFile(file) || !in) {
        return fail(printable(file) + ": cannot be read; give a file with the output of nccl-tests");
    }
    OutputReader reader(file, collectives, tests);
    for (std::string line; std::getline(in, line);) DASGD_TRY(reader.line(line));
    return {};
}

}  // namespace

Result<NcclTests> readNcclTests(const std::vector<std::string>& files) {
    NcclTests tests;
    std::map<Collective, NcclCollective> collectives;
    for (const std::string& file : files) DASGD_TRY(readFile(file, collectives, tests));
    if (collectives.empty()) {
        return fail(printable(files.empty() ? "nccl-tests" : files.front()) +
                    ": no row of a table; give the output of nccl-tests as it stands on its stdout, as of "
                    "all_reduce_perf -b 1K -e 1G -f 2");
    }
    for (auto& [collective, found] : collectives) {
        found.collective = collective;
        std::vector<CollectiveTiming> timings;
        for (const NcclRow& row : found.rows) {
            timings.push_back({row.bytes, row.outOfPlace});
            timings.push_back({row.bytes, row.inPlace});
        }
        auto fit = fitCollective(collective, timings, tests.ranks);
        if (!fit) {
            return fail(std::string(programOf(collective)) + ": " + fit.error().message +
                        "; run it over a range, as with -b 1K -e 1G -f 2");
        }
        found.fit = std::move(*fit);
        tests.collectives.push_back(std::move(found));
    }
    return tests;
}

Value calibratedCluster(const NcclTests& tests) {
    Value sections = virtualCluster(tests.ranks);
    sections.set("network", networkOf(tests.link()));
    return sections;
}

std::string calibrationDocument(const NcclTests& tests, const std::vector<std::string>& files) {
    std::string names;
    for (const std::string& file : files) {
        names += (names.empty() ? "" : ", ") + printable(std::filesystem::path(file).filename().string());
    }
    return "# The network between " + std::to_string(tests.ranks) + " GPUs by nccl-tests: " + names +
           ".\n# Its α and β are those of the " +
           std::string(kCollectiveNames[static_cast<std::size_t>(tests.chosen().collective)]) +
           ", the reduction is counted in β.\n# Computing is the experiment's own [compute].\n"
           "# Use it: dasgd run FILE.toml --calibration THIS\n" +
           toTomlDocument(calibratedCluster(tests));
}

}  // namespace dasgd::experiments
