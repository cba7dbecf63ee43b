#include "experiments/tools/traces/import/trace_import.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>

#include "experiments/base/text.h"
#include "experiments/tools/traces/import/chrome_reader.h"
#include "experiments/tools/traces/import/perfetto_reader.h"
#include "experiments/tools/traces/import/span_stream.h"
#include "experiments/tools/traces/import/trace_bytes.h"
#include "storage/write/imported_run.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

constexpr int kMostRanks = 65536;
constexpr std::int64_t kMostSteps = std::int64_t{1} << 48;
constexpr std::int64_t kSpansUnasked = 1024;  // between two questions whether it was cancelled
constexpr double kReading = 0.6;              // share of reading in the progress
constexpr Ns kFarthestBase = std::numeric_limits<Ns>::max() / 4;

struct ReadFile {
    fs::path file;
    std::string sha256;
    std::unique_ptr<TraceSlices> slices;
    TraceFormat format = TraceFormat::Other;
    std::uint64_t replaced = 0;
};

// Numbers in names by their value: "rank2" before "rank10".
bool isBeforeNaturally(std::string_view a, std::string_view b) {
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    while (!a.empty() && !b.empty()) {
        if (!isDigit(a.front()) || !isDigit(b.front())) {
            if (a.front() != b.front()) return a.front() < b.front();
            a.remove_prefix(1), b.remove_prefix(1);
            continue;
        }
        const auto takeNumber = [&](std::string_view& text) {
            text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
            const auto end = std::ranges::find_if_not(text, isDigit);
            const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
            text.remove_prefix(digits.size());
            return digits;
        };
        const std::string_view one = takeNumber(a), other = takeNumber(b);
        if (one.size() != other.size()) return one.size() < other.size();
        if (one != other) return one < other;
    }
    return a.empty() && !b.empty();
}

std::optional<std::int64_t> integerOf(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::int64_t> rankIn(std::string_view processName) {
    constexpr std::string_view kRank = "rank ";
    if (!processName.starts_with(kRank)) return std::nullopt;
    return integerOf(processName.substr(kRank.size()));
}

class Importer {
public:
    explicit Importer(const ImportOptions& options) : options_(options) {}

    Result<ImportOutcome> run() {
        DASGD_ASSIGN(storage::Store store, storage::Store::open(options_.workspace));
        // The shell's order has rank10 before rank2.
        std::vector<fs::path> paths = options_.files;
        std::ranges::stable_sort(
            paths, [](const fs::path& a, const fs::path& b) { return isBeforeNaturally(a.string(), b.string()); });
        for (const fs::path& file : paths) DASGD_TRY(read(file));
        const TraceFormat format = files_.front().format;
        for (const ReadFile& file : files_) {
            if (file.format == format) continue;
            return fail(file.file.string() + " is from another program than " + files_.front().file.string() +
                        "; import them one after the other");
        }
        std::vector<TraceSource> sources;
        for (const ReadFile& file : files_) sources.push_back({.slices = file.slices.get()});
        DASGD_TRY(giveRanks(format, sources));
        const bool oneClock = giveOffsets(format, sources);
        SpanStream stream(format, std::move(sources), ranks_, oneClock);
        return write(store, format, stream);
    }

private:
    Status read(const fs::path& file) {
        const double before = static_cast<double>(files_.size()), all = static_cast<double>(options_.files.size());
        DASGD_ASSIGN(const auto bytes, TraceBytes::open(file, [&](std::uint64_t done, std::uint64_t size) {
                         const double part = static_cast<double>(done) / static_cast<double>(std::max(size, done));
                         progress(kReading * (before + part) / all);
                     }));
        ReadFile read{.file = file, .slices = std::make_unique<TraceSlices>(names_, options_.workspace)};
        std::istream stream(bytes.get());
        if (bytes->guess() == TraceBytes::As::Text) {
            readChromeTrace(stream, *read.slices);
        } else {
            readPerfettoTrace(stream, *read.slices);
        }
        if (!bytes->damage().empty()) read.slices->stoppedAt = bytes->damage();
        DASGD_TRY(read.slices->close());
        if (read.slices->slices().size() == 0) {
            std::string why = file.string() + ": no slice of time can be read from it";
            if (!read.slices->stoppedAt.empty()) why += "; " + read.slices->stoppedAt;
            return fail(why + ". Give a trace of Chrome's JSON format, of PyTorch's profiler, or Perfetto's");
        }
        read.sha256 = bytes->sha256();
        read.replaced = bytes->replaced();
        const TraceOrigin& origin = read.slices->origin;
        if (!origin.run.empty()) {
            read.format = TraceFormat::Ours;
        } else if (origin.pytorch) {
            read.format = TraceFormat::PyTorch;
        }
        files_.push_back(std::move(read));
        return {};
    }

    Status giveRanks(TraceFormat format, std::vector<TraceSource>& sources) {
        if (format == TraceFormat::PyTorch) return giveRankByFile(sources);
        // The processes of all files together: names that say a rank count only where no two say the same.
        std::vector<TraceProcess> all;
        for (const TraceSource& source : sources) {
            const auto& processes = source.slices->processes();
            all.insert(all.end(), processes.begin(), processes.end());
        }
        DASGD_ASSIGN(const auto ranks, ranksOf(all, format, sources.size() == 1));
        std::size_t next = 0;
        for (TraceSource& source : sources) {
            for (std::size_t i = 0; i < source.slices->processes().size(); ++i) {
                source.rankOfProcess.push_back(static_cast<int>(ranks[next++]));
            }
        }
        for (const std::int64_t rank : ranks) ranks_ = std::max(ranks_, static_cast<int>(rank + 1));
        if (ranks_ > kMostRanks) return fail("there are more than " + std::to_string(kMostRanks) + " processes");
        if (format == TraceFormat::Ours && sources.size() > 1) return fail("a run's own trace is one file; give one");
        return {};
    }

    // Ranks as the processes call themselves, where that is clear; else by their numbers in one file, and in several
    // in the order of the files.
    static Result<std::vector<std::int64_t>> ranksOf(const std::vector<TraceProcess>& processes, TraceFormat format,
                                                     bool oneFile) {
        std::vector<std::int64_t> ranks;
        std::set<std::int64_t> seen;
        for (const TraceProcess& process : processes) {
            const auto rank = format == TraceFormat::Ours ? integerOf(process.id) : rankIn(process.name);
            if (rank && *rank >= 0 && *rank < kMostRanks && seen.insert(*rank).second) ranks.push_back(*rank);
        }
        if (ranks.size() == processes.size()) return ranks;
        if (format == TraceFormat::Ours) return fail("a process of the trace has no rank for a number");
        std::vector<std::size_t> order(processes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto end = oneFile ? order.end() : order.begin();
        std::stable_sort(order.begin(), end, [&](std::size_t a, std::size_t b) {
            const auto one = integerOf(processes[a].id), other = integerOf(processes[b].id);
            if (one && other) return *one < *other;
            return one.has_value() > other.has_value();
        });
        ranks.assign(processes.size(), 0);
        for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<std::int64_t>(i);
        return ranks;
    }

    Status giveRankByFile(std::vector<TraceSource>& sources) {
        std::map<std::int64_t, std::size_t> fileOf;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            const TraceOrigin& origin = sources[i].slices->origin;
            // A file of a run without other ranks does not say so.
            const std::int64_t rank = origin.rank.value_or(static_cast<std::int64_t>(i));
            if (rank < 0 || rank >= kMostRanks)
                return fail(files_[i].file.string() + " says to be of rank " + std::to_string(rank));
            if (const auto [known, fresh] = fileOf.emplace(rank, i); !fresh) {
                return fail(files_[i].file.string() + " and " + files_[known->second].file.string() +
                            " are both of rank " + std::to_string(rank) + "; give one file a rank");
            }
            ranks_ = std::max(ranks_, static_cast<int>(rank + 1));
            sources[i].rankOfProcess.assign(sources[i].slices->processes().size(), static_cast<int>(rank));
        }
        return {};
    }

    // Instant 0 is the first slice of any file, but for our own runs, whose time line stays. False: the files have no
    // clock in common, and each begins at 0.
    bool giveOffsets(TraceFormat format, std::vector<TraceSource>& sources) {
        const bool bases = std::ranges::all_of(sources, [](const TraceSource& source) {
            const auto& base = source.slices->origin.base;
            return base && *base > -kFarthestBase && *base < kFarthestBase;
        });
        if (format == TraceFormat::Ours) {
            sources.front().offset = bases ? *sources.front().slices->origin.base : 0;
            return true;
        }
        // Wider than an instant, as those of a damaged file may be anything.
        __extension__ using Wide = __int128;
        const auto baseOf = [&](const TraceSource& source) { return bases ? *source.slices->origin.base : Ns{0}; };
        std::vector<std::pair<Wide, Wide>> extents;
        for (const TraceSource& source : sources) {
            const auto [first, last] = source.slices->extent().value_or(TraceSlices::Extent{});
            extents.emplace_back(Wide{first} + baseOf(source), Wide{last} + baseOf(source));
        }
        std::ranges::sort(extents);
        bool oneClock = true;
        Wide last = extents.front().second;
        for (const auto& extent : extents) {
            oneClock = oneClock && extent.first - last <= kFarApart;
            last = std::max(last, extent.second);
        }
        for (TraceSource& source : sources) {
            const Wide begin = Wide{source.slices->extent().value_or(TraceSlices::Extent{}).first};
            source.offset = static_cast<Ns>(oneClock ? baseOf(source) - extents.front().first : -begin);
        }
        if (!oneClock) ++remarks_["sets of files whose clocks are more than 10 minutes apart; each file begins at 0"];
        return oneClock;
    }

    Result<ImportOutcome> write(storage::Store& store, TraceFormat format, SpanStream& stream) {
        const TraceOrigin& origin = files_.front().slices->origin;
        ImportOutcome outcome{.format = nameOf(format), .ranks = ranks_};
        count(outcome);
        // Those of ours lead from the spans of a collective to its merge, and each span says which that is.
        if (format == TraceFormat::Ours) outcome.leftOut.erase("arrows");
        storage::RunInfo info;
        info.algorithm = origin.algorithm.empty() ? "imported" : origin.algorithm;
        info.runId = store.newRunId("trace");
        info.experiment = experimentName();
        info.workers = ranks_;
        info.timeSimulated = origin.simulated;
        info.config = configOf(info.experiment, outcome, origin);
        info.versions = "{}";
        outcome.runId = info.runId;
        DASGD_TRY(checkNotCancelled());
        DASGD_ASSIGN(const auto run, storage::ImportedRun::begin(store, info));
        const Status done = stream.run(
            [&, taken = std::int64_t{0}](int rank, const Span& span, std::string_view name) mutable -> Status {
                if (taken++ % kSpansUnasked == 0) DASGD_TRY(checkNotCancelled());
                return run->span(rank, span, name);
            },
            [&](double share) { progress(kReading + (1 - kReading) * share); });
        if (!done) return run->abandon(done.error().message), tl::unexpected<Error>(done.error());
        outcome.spans = stream.spans();
        outcome.steps = stream.steps();
        if (origin.steps.value_or(0) <= kMostSteps) outcome.steps = std::max(outcome.steps, origin.steps.value_or(0));
        add(outcome.leftOut, stream.leftOut());
        add(outcome.dropped, stream.dropped());
        add(outcome.remarks, stream.remarks());
        const bool ours = format == TraceFormat::Ours;
        DASGD_TRY(run->setConfig(configOf(info.experiment, outcome, origin)));
        DASGD_TRY(
            run->finish(outcome.steps,
                        {.waits = !ours, .passes = !ours, .skews = !stream.knowsSkews(), .events = missingEvents()}));
        progress(1);
        return outcome;
    }

    void count(ImportOutcome& outcome) const {
        add(outcome.remarks, remarks_);
        for (const ReadFile& file : files_) {
            add(outcome.dropped, file.slices->dropped);
            add(outcome.leftOut, file.slices->leftOut);
            add(outcome.remarks, file.slices->remarks);
            if (file.replaced > 0) {
                outcome.remarks["bytes that are not UTF-8"] += static_cast<std::int64_t>(file.replaced);
            }
            if (file.slices->stoppedAt.empty()) continue;
            outcome.stopped.push_back(file.file.string() + ": " + file.slices->stoppedAt);
        }
    }

    // The events of the files that the run lacks; "" if none. Every list that shows the run must show this.
    std::string missingEvents() const {
        std::string text;
        for (const ReadFile& file : files_) {
            const std::string& stopped = file.slices->stoppedAt;
            const std::int64_t events = file.slices->unreadable;
            if (stopped.empty() && events == 0) continue;
            text += (text.empty() ? "" : "; ") + file.file.filename().string() + ": ";
            if (events > 0) text += std::to_string(events) + (events == 1 ? " event is" : " events are") + " no JSON";
            if (!stopped.empty()) text += (events > 0 ? ", and " : "") + stopped;
        }
        return text;
    }

    static void add(TraceCounts& to, const TraceCounts& more) {
        for (const auto& [what, count] : more) to[what] += count;
    }

    std::string experimentName() const {
        if (!options_.name.empty()) return options_.name;
        std::string name = files_.front().file.filename().string();
        for (const char* ending : {".gz", ".json", ".pftrace", ".perfetto-trace", ".pt.trace", ".trace"}) {
            if (name.size() > std::string_view(ending).size() && name.ends_with(ending)) {
                name.resize(name.size() - std::string_view(ending).size());
            }
        }
        return name;
    }

    // Where the run comes from, as a document like those of other runs.
    std::string configOf(const std::string& name, const ImportOutcome& outcome, const TraceOrigin& origin) const {
        const auto text = [](const std::string& value) { return dumpLine(nlohmann::json(printable(value))); };
        std::vector<std::string> files, sums;
        for (const ReadFile& file : files_) {
            std::error_code ignored;
            files.push_back(text(fs::absolute(file.file, ignored).string()));
            sums.push_back(text(file.sha256));
        }
        const auto listed = [&](const TraceCounts& counts) {
            std::vector<std::string> lines;
            for (const auto& [what, times] : counts) lines.push_back(text(std::to_string(times) + " " + what));
            return lines;
        };
        const auto array = [](const char* key, const std::vector<std::string>& values) {
            std::string line = std::string(key) + " = [";
            for (const std::string& value : values) line += (&value == values.data() ? "" : ", ") + value;
            return line + "]\n";
        };
        std::vector<std::string> stopped;
        for (const std::string& sentence : outcome.stopped) stopped.push_back(text(sentence));
        std::string toml = "# Imported from a trace; not an experiment that can be run again.\n";
        toml += "name = " + text(name) + "\n\n[trace]\nformat = " + text(outcome.format) + "\n";
        if (!origin.run.empty()) {
            toml += "run = " + text(origin.run) + "\nexperiment = " + text(origin.experiment) + "\n";
        }
        toml += array("files", files) + array("sha256", sums);
        if (origin.ranks) toml += "ranks_of_all = " + std::to_string(*origin.ranks) + "\n";
        toml +=
            "spans = " + std::to_string(outcome.spans) + "\ndropped = " + std::to_string(outcome.droppedCount()) + "\n";
        return toml + array("dropped_what", listed(outcome.dropped)) + array("stopped", stopped) +
               array("left_out", listed(outcome.leftOut)) + array("remarks", listed(outcome.remarks));
    }

    Status checkNotCancelled() const {
        if (options_.cancelled && options_.cancelled()) return fail("the import was cancelled");
        return {};
    }

    void progress(double share) const {
        if (options_.progress) options_.progress(std::min(share, 1.0));
    }

    const ImportOptions& options_;
    TraceNames names_;
    std::vector<ReadFile> files_;
    TraceCounts remarks_;
    int ranks_ = 0;
};

}  // namespace

std::int64_t ImportOutcome::droppedCount() const {
    return std::accumulate(dropped.begin(), dropped.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto& entry) { return sum + entry.second; });
}

Result<ImportOutcome> importTraces(const ImportOptions& options) { return Importer(options).run(); }

}  // namespace dasgd::experiments
