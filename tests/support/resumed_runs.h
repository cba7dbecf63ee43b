// Runs that stop at a step and go on in new objects, beside one that does not: what each leaves on the disk.
#pragma once

#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint_folder.h"
#include "core/train/checkpoint/archive_file.h"
#include "tests/support/processes.h"
#include "tests/support/sim/virtual_cluster.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {

inline CheckpointEnvironment checkpointsIn(const std::filesystem::path& run) {
    std::error_code exists;
    std::filesystem::create_directory(run, exists);
    return {.place = {run / "checkpoints", run.filename().string(), "hash"}};
}

// Place where a run is trained: its ranks are threads, over either communicator, or a simulated cluster.
enum class TrainedOn { Threads, Gloo, Virtual };
inline std::string nameOf(TrainedOn on) {
    return on == TrainedOn::Threads ? "threads" : on == TrainedOn::Gloo ? "gloo" : "virtual";
}

// A process can simulate once, so that simulated runs get a process each, and must come before this one has threads.
inline void trainOn(TrainedOn on, const Value& document, const CheckpointEnvironment& checkpoints,
                    std::int64_t stopAfter = 0) {
    const auto expected = stopAfter > 0 ? WorkerOutcome::Kind::Stopped : WorkerOutcome::Kind::Finished;
    const auto work = [&] {
        StopAfter gate(stopAfter);
        const RunWith with{&checkpoints, &gate};
        const auto records =
            on == TrainedOn::Virtual
                ? trainVirtually(document, with)
                : train(document, on == TrainedOn::Gloo ? Backend::Gloo : Backend::Threads, nullptr, with);
        for (const RankRecord& record : records) {
            if (record.outcome.kind == expected) continue;
            throw std::runtime_error(record.outcome.error + " at step " + std::to_string(record.outcome.step));
        }
    };
    if (on != TrainedOn::Virtual) return work();
    ChildProcess child([&] {
        try {
            work();
            return 0;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
            return 1;
        }
    });
    if (child.wait() != 0) throw std::runtime_error("the simulated run failed");
}

inline std::string bytesOf(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// Trains the document whole, then once more with a stop after each of `stops`, from which new objects go on. Expects
// the same model, to the last bit.
inline void expectSameModelAfterStops(TrainedOn on, const Value& document, const std::vector<std::int64_t>& stops) {
    const TempDir dir;
    trainOn(on, document, checkpointsIn(dir / "whole"));
    CheckpointEnvironment checkpoints = checkpointsIn(dir / "part-0");
    for (std::size_t i = 0; i < stops.size(); ++i) {
        trainOn(on, document, checkpoints, stops[i]);
        auto saved = CheckpointFolder(checkpoints.place.folder).at(stops[i]);
        ASSERT_TRUE(saved) << saved.error().message;
        checkpoints = checkpointsIn(dir / ("part-" + std::to_string(i + 1)));
        checkpoints.from = std::move(*saved);
    }
    trainOn(on, document, checkpoints);
    const std::string whole = bytesOf(dir / "whole" / "model.safetensors");
    ASSERT_FALSE(whole.empty());
    EXPECT_EQ(whole, bytesOf(checkpoints.place.folder.parent_path() / "model.safetensors"));
}

// A network that draws, on three ranks and short batches, which evaluations interrupt.
inline constexpr std::int64_t kResumedSteps = 29;
inline constexpr int kResumedRanks = 3;

inline Value resumedExperiment(Value algorithm, TrainedOn on, Value model, Value optimizer) {
    return table(
        {{"name", text("resumed")},
         {"algorithm", std::move(algorithm)},
         {"model", std::move(model)},
         {"data", table({{"name", text("synthetic")},
                         {"shape", array<std::int64_t>({9})},
                         {"classes", integer(4)},
                         {"train_samples", integer(90)},
                         {"test_samples", integer(12)},
                         {"validation", number(0.2)}})},
         {"train", table({{"steps", integer(kResumedSteps)}, {"batch_size", integer(4)}, {"eval_every", integer(7)}})},
         {"optimizer", std::move(optimizer)},
         {"cluster", table({{"backend", text(nameOf(on))}, {"workers", integer(kResumedRanks)}})}});
}

inline Value droppingMlp(std::int64_t width = 12) {
    return table({{"name", text("mlp")}, {"hidden", array<std::int64_t>({width})}, {"dropout", number(0.25)}});
}
inline Value momentum() {
    return table({{"name", text("sgd")}, {"learning_rate", number(0.02)}, {"momentum", number(0.9)}});
}

}  // namespace dasgd::test
