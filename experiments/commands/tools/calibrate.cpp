// `dasgd calibrate`: measures the cluster at hand and writes it down as a calibration; or takes what a recorded run or
// NVIDIA's nccl-tests measured.
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/cost/step_time.h"
#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/run/session/run_session.h"
#include "experiments/tools/calibrate/calibration_file.h"
#include "experiments/tools/calibrate/nccl_tests.h"
#include "experiments/tools/calibrate/probe_experiment.h"
#include "experiments/tools/report/run_summary.h"

namespace dasgd::experiments {

namespace {

struct CalibrateOptions {
    std::string file, run, workspace, out;
    std::vector<std::string> ncclTests;
    Overrides overrides;
    Markup markup = Markup::Terminal;
    bool experiment = false, json = false, quiet = false, progress = false;
    [[nodiscard]] Progress::Style style() const { return Progress::styleFor(quiet, progress); }
};

Result<Calibration> fromRun(const CalibrateOptions& options) {
    DASGD_ASSIGN(auto reader, storage::WorkspaceReader::open(options.workspace));
    return calibrationOf(reader, options.run);
}

nlohmann::json jsonOf(const Calibration& calibration) {
    const ComputeFit& compute = calibration.compute;
    nlohmann::json json = {{"run_id", calibration.runId},
                           {"workers", calibration.workers},
                           {"model", calibration.model},
                           {"batch_size", calibration.batchSize},
                           {"step_s", jsonNumber(compute.stepSeconds)},
                           {"backward_share", jsonNumber(compute.backwardShare)},
                           {"jitter_deviation", jsonNumber(compute.jitterDeviation)},
                           {"rank_factors", compute.rankFactors},
                           {"contention", jsonNumber(compute.contention)},
                           {"steps_alone", compute.aloneSteps},
                           {"steps_overlapped", compute.overlapped},
                           {"memory_bytes_per_s", jsonNumber(calibration.memoryBytesPerSecond)}};
    json["bytes"] = jsonNumber(calibration.bytes);
    json["timed"] = nlohmann::json::array();
    for (const TimedCollective& one : calibration.timed) {
        const bool reduces = one.kind == TimedCollective::Kind::AllReduce;
        json["timed"].push_back({{"collective", reduces ? "all-reduce" : "all-gather"},
                                 {"bytes", jsonNumber(one.bytes)},
                                 {"seconds", jsonNumber(one.seconds)}});
    }
    for (const char* key :
         {"latency_s", "seconds_per_byte", "reduce_seconds_per_byte", "longest_deviation", "worst_deviation"}) {
        json[key] = nullptr;
    }
    if (const auto& link = calibration.link) {
        json["latency_s"] = jsonNumber(link->cost.alpha);
        json["seconds_per_byte"] = jsonNumber(link->cost.beta);
        json["reduce_seconds_per_byte"] = jsonNumber(link->cost.rho);
        json["longest_deviation"] = jsonNumber(link->longest);
        json["worst_deviation"] = jsonNumber(link->worst);
    }
    return json;
}

std::string rangeOf(const std::vector<double>& factors) {
    const auto [least, most] = std::ranges::minmax(factors);
    return shortNumber(least) + " … " + shortNumber(most);
}

std::string besideInWords(const ComputeFit& compute) {
    const std::string steps = std::to_string(compute.overlapped) + " steps beside a collective";
    if (!compute.contention) return steps + ", " + std::to_string(compute.aloneSteps) + " alone: too few";
    if (*compute.contention < kMostContention) return steps;
    return "or more: " + steps + "; calibrate again with nothing else running on these machines";
}

std::string textOf(const Calibration& calibration, Markup markup) {
    const ComputeFit& compute = calibration.compute;
    TextTable table({"what", "measured", ""});
    table.leftAlign(2);
    table.add({"T_c, one local step", shortNumber(compute.stepSeconds * 1e3) + " ms",
               (compute.aloneSteps > 0 ? std::to_string(compute.aloneSteps) + " steps alone"
                                       : std::string("all steps, too few alone")) +
                   ", backward " + percent(compute.backwardShare)});
    table.add({"  scatter within a step", percent(compute.jitterDeviation), "standard deviation, ÷ T_c"});
    table.add({"  ranks ÷ their mean", rangeOf(compute.rankFactors), ""});
    table.add({"κ, contention", shortNumber(compute.contention), besideInWords(compute)});
    if (calibration.memoryBytesPerSecond) {
        table.add({"snapshots", shortNumber(*calibration.memoryBytesPerSecond * 1e-9) + " GB/s", "read and write"});
    }
    if (const auto& link = calibration.link) {
        table.add({"α, latency", shortNumber(link->cost.alpha * 1e6) + " µs", "a message"});
        table.add({"1/β, bandwidth", shortNumber(8e-6 / link->cost.beta) + " Mbps", "each way"});
        table.add({"1/ρ, reduction",
                   link->cost.rho > 0 ? shortNumber(1e-9 / link->cost.rho) + " GB/s" : "not to be told from the link",
                   "the longest transfer is " + percent(link->longest) + " off this link, the worst " +
                       percent(link->worst)});
        const double all = ringAllReduceSeconds(link->cost, calibration.bytes, calibration.workers);
        table.add({"T_m, one all-reduce", shortNumber(all * 1e3) + " ms", "of " + byteCount(calibration.bytes)});
    }
    const std::string doubt = doubtOf(calibration);
    return table.toString(markup) + (doubt.empty() ? "" : ownLine("\n" + doubt, markup));
}

// Without a network an experiment would run on whatever the schema's default is.
Error withoutNetwork(const Calibration& calibration) {
    return {"run " + calibration.runId +
            " says nothing about a network, which a calibration needs; take one whose ranks communicate, or measure: "
            "dasgd calibrate FILE"};
}

Status writeDocument(const std::string& file, const std::string& document, const std::string& remedy) {
    std::ofstream out(file, std::ios::binary);
    out << document;
    out.close();
    if (!out) return fail(file + ": cannot be written; " + remedy);
    return {};
}

Status writeCalibration(const std::string& file, const Calibration& calibration) {
    if (!calibration.link) return tl::unexpected(withoutNetwork(calibration));
    return writeDocument(file, calibrationDocument(calibration),
                         "the run is recorded: dasgd calibrate --run " + calibration.runId + " -o FILE");
}

void tellWritten(const std::string& file, Markup markup) {
    const std::string name = plainWords(printable(file), markup);
    std::printf("\nWritten to %s. Use it: dasgd run FILE.toml --calibration %s\n", name.c_str(), name.c_str());
}

void print(const CalibrateOptions& options, const Calibration& calibration) {
    if (options.json) {
        std::printf("%s\n", dumpLine(jsonOf(calibration)).c_str());
        return;
    }
    const std::string about = printable(calibration.runId) + ": " + std::to_string(calibration.workers) + " workers, " +
                              printable(calibration.model) + ", batch " + std::to_string(calibration.batchSize) +
                              " a worker; " + printable(calibration.origin);
    std::printf("%s\n\n%s", plainWords(about, options.markup).c_str(), textOf(calibration, options.markup).c_str());
    if (!options.out.empty()) return;
    const std::string document =
        calibration.link ? tomlBlock(calibrationDocument(calibration), options.markup)
                         : ownLine("No calibration: " + printable(withoutNetwork(calibration).message), options.markup);
    std::printf("\n%s", document.c_str());
}

// Prints the result before it is written to a file, because writing may fail.
int conclude(const CalibrateOptions& options, const Calibration& calibration) {
    print(options, calibration);
    if (options.out.empty()) return kFinished;
    std::fflush(stdout);
    if (const Status written = writeCalibration(options.out, calibration); !written) return refuse(written.error());
    if (!options.json) tellWritten(options.out, options.markup);
    return kFinished;
}

std::string nameOf(const NcclCollective& collective) {
    return std::string(kCollectiveNames[static_cast<std::size_t>(collective.collective)]);
}

nlohmann::json jsonOf(const NcclTests& tests) {
    nlohmann::json json = {{"workers", tests.ranks},
                           {"latency_s", jsonNumber(tests.link().alpha)},
                           {"seconds_per_byte", jsonNumber(tests.link().beta)},
                           {"link_of", nameOf(tests.chosen())},
                           {"empty_rows", tests.emptyRows},
                           {"lines_passed_over", tests.passedOver}};
    json["collectives"] = nlohmann::json::array();
    for (const NcclCollective& one : tests.collectives) {
        nlohmann::json rows = nlohmann::json::array();
        for (std::size_t i = 0; i < one.rows.size(); ++i) {
            rows.push_back({{"bytes", jsonNumber(one.rows[i].bytes)},
                            {"out_of_place_s", jsonNumber(one.rows[i].outOfPlace)},
                            {"in_place_s", jsonNumber(one.rows[i].inPlace)},
                            {"out_of_place_residual", jsonNumber(one.fit.residuals[2 * i])},
                            {"in_place_residual", jsonNumber(one.fit.residuals[2 * i + 1])}});
        }
        json["collectives"].push_back({{"collective", nameOf(one)},
                                       {"latency_s", jsonNumber(one.fit.alpha)},
                                       {"seconds_per_byte", jsonNumber(one.fit.beta)},
                                       {"residual_rms", jsonNumber(one.fit.rootMeanSquare)},
                                       {"worst_deviation", jsonNumber(one.fit.worst)},
                                       {"longest_deviation", jsonNumber(one.fit.longest)},
                                       {"rows", std::move(rows)}});
    }
    return json;
}

// The residuals of one collective; fitted ÷ timed − 1.
std::string residualsText(const NcclCollective& collective, Markup markup) {
    TextTable table({nameOf(collective), "out of place", "residual", "in place", "residual"});
    for (std::size_t i = 0; i < collective.rows.size(); ++i) {
        const NcclRow& row = collective.rows[i];
        table.add({byteCount(row.bytes), shortNumber(row.outOfPlace * 1e6) + " µs",
                   percent(collective.fit.residuals[2 * i]), shortNumber(row.inPlace * 1e6) + " µs",
                   percent(collective.fit.residuals[2 * i + 1])});
    }
    return table.toString(markup);
}

std::string textOf(const NcclTests& tests, Markup markup) {
    std::string text = "nccl-tests among " + std::to_string(tests.ranks) +
                       " ranks. In every row algbw is size ÷ time, and busbw algbw times the collective's share.\n\n";
    TextTable table(
        {"collective", "busbw ÷ algbw", "α, latency", "1/β, bandwidth", "RMS residual", "worst", "longest"});
    for (const NcclCollective& one : tests.collectives) {
        table.add({nameOf(one), shortNumber(shapeOf(one.collective, tests.ranks).bytesShare),
                   shortNumber(one.fit.alpha * 1e6) + " µs",
                   one.fit.beta > 0 ? shortNumber(1e-9 / one.fit.beta) + " GB/s" : "too short to tell",
                   percent(one.fit.rootMeanSquare), percent(one.fit.worst), percent(one.fit.longest)});
    }
    text +=
        table.toString(markup) +
        "\nLeast squares on time, each timing weighted by 1/time²: benchmarks scatter in proportion to the time, and\n"
        "unweighted the largest sizes alone would decide, their error taken for α. Residual: fitted ÷ timed − 1.\n"
        "Libraries change their algorithm with the size, which two numbers cannot follow: large residuals show "
        "where.\n";
    for (const NcclCollective& one : tests.collectives) text += "\n" + residualsText(one, markup);
    if (tests.emptyRows > 0) text += "\n" + std::to_string(tests.emptyRows) + " rows of 0 bytes are left out.\n";
    if (tests.passedOver > 0) {
        text += "\n" + std::to_string(tests.passedOver) + " lines between the rows are no rows and are left out.\n";
    }
    return text;
}

int calibrateByNcclTests(const CalibrateOptions& options) {
    const auto tests = readNcclTests(options.ncclTests);
    if (!tests) return refuse(tests.error());
    const std::string document = calibrationDocument(*tests, options.ncclTests);
    std::fputs(options.json ? (dumpLine(jsonOf(*tests)) + "\n").c_str() : textOf(*tests, options.markup).c_str(),
               stdout);
    if (options.out.empty()) {
        if (!options.json) std::printf("\n%s", tomlBlock(document, options.markup).c_str());
        return kFinished;
    }
    std::fflush(stdout);
    if (const Status written = writeDocument(options.out, document, "choose another folder"); !written) {
        return refuse(written.error());
    }
    if (!options.json) tellWritten(options.out, options.markup);
    return kFinished;
}

int calibrate(const CalibrateOptions& options) {
    const int given = !options.file.empty() + !options.run.empty() + !options.ncclTests.empty();
    if (given != 1) {
        return refuse(
            Error{"give an experiment to measure, or --run with a run that was recorded, or --nccl-tests with a file"});
    }
    if (!options.ncclTests.empty()) return calibrateByNcclTests(options);
    if (!options.run.empty()) {
        const auto calibration = fromRun(options);
        return calibration ? conclude(options, *calibration) : refuse(calibration.error());
    }
    StopSignals signals;
    const auto experiment = probeExperiment(options.file, options.overrides);
    if (!experiment) return refuse(experiment.error());
    if (options.experiment) {
        std::fputs(toTomlDocument(experiment->resolved).c_str(), stdout);
        return kFinished;
    }
    auto session = RunSession::open(options.workspace, std::filesystem::path(options.file).parent_path(), signals,
                                    options.style());
    if (!session) return refuse(session.error());
    const auto calibration = runProbe(**session, *experiment, "calibrating");
    return calibration ? conclude(options, *calibration) : failed(**session, calibration.error());
}

Action declareCalibrate(CLI::App& app) {
    auto options = std::make_shared<CalibrateOptions>();
    app.add_option("FILE", options->file, "The experiment whose model, batch and cluster are measured");
    app.add_option("--run", options->run, "Measure nothing: take a run that was recorded");
    app.add_option("--nccl-tests", options->ncclTests,
                   "Measure nothing: take the output of NVIDIA's nccl-tests, of one test or several, in one file or "
                   "several");
    app.add_option("-o,--out", options->out, "Where the calibration is written; printed where none is given");
    app.add_flag("--experiment", options->experiment,
                 "Print the experiment that measures, for workers started by torchrun, srun or mpirun");
    addSetOption(app, options->overrides);
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--json", options->json, "One JSON object");
    addMarkdownOption(app, options->markup);
    app.add_flag("-q,--quiet", options->quiet, "No progress");
    addProgressOption(app, options->progress);
    app.footer(
        "Measures T_c and its scatter, α, β, ρ and κ with the algorithm probe, in a run of its own, NAME (probe).\n"
        "On a cluster: dasgd calibrate FILE --experiment > probe.toml, dasgd worker probe.toml under your launcher,\n"
        "then dasgd calibrate --run RUN -o calibration.toml.\n"
        "A calibration of nccl-tests is of the network alone: the experiment computes as its own [compute] says.");
    return [options] { return calibrate(*options); };
}

const CommandRegistry::Add kCalibrateEntry{{.order = 60,
                                            .name = "calibrate",
                                            .summary = "Measure the cluster at hand and write it down as a platform",
                                            .declare = declareCalibrate}};

}  // namespace

}  // namespace dasgd::experiments
