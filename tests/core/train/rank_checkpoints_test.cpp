// A run that is stopped and goes on in new objects ends with the same bits as one that is not: what the worker keeps
// and every optimiser. Every algorithm: tests/core/algorithms/resumed_test.cpp.
#include "core/train/rank_checkpoints.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "core/checkpoint/stored_file.h"
#include "core/optimizers/optimizer.h"
#include "core/train/checkpoint/archive_file.h"
#include "tests/support/resumed_runs.h"
#include "tests/support/small_experiments.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kSteps = kResumedSteps;

class EveryOptimizer : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryOptimizer, GoesOnWithItsState) {
    Value optimizer = table({{"name", text(GetParam())}});
    Value deep = droppingMlp();  // muon takes a matrix between two others
    deep.set("hidden", array<std::int64_t>({12, 9}));
    expectSameModelAfterStops(
        TrainedOn::Threads,
        resumedExperiment(named("dasgd"), TrainedOn::Threads, std::move(deep), std::move(optimizer)), {1, 10, 21});
}
INSTANTIATE_TEST_SUITE_P(Registry, EveryOptimizer, ::testing::ValuesIn(OptimizerRegistry::names()),
                         [](const auto& info) { return info.param; });

// Running statistics and counts of batches, random streams of dropout, and the state of a recurrent network.
TEST(RankCheckpoints, WhatANetworkKeepsGoesOn) {
    Value image = resumedExperiment(named("dasgd"), TrainedOn::Threads,
                                    table({{"name", text("mobilenet_v2")}, {"dropout", number(0.3)}}), momentum());
    image.set("data", table({{"name", text("synthetic")},
                             {"train_samples", integer(24)},
                             {"test_samples", integer(6)},
                             {"shape", array<std::int64_t>({3, 34, 34})},
                             {"classes", integer(3)}}));
    image.set("train", table({{"steps", integer(5)}, {"batch_size", integer(2)}, {"eval_every", integer(5)}}));
    expectSameModelAfterStops(TrainedOn::Threads, image, {2});

    const TempDir folder;
    std::string prose;
    for (int i = 0; i < 1500; ++i) prose += static_cast<char>('a' + (i * i + i / 7) % 26);
    const std::string path = folder.write("prose.txt", prose).string();
    Value language = resumedExperiment(
        named("dasgd"), TrainedOn::Threads,
        table({{"name", text("char_lstm")}, {"width", integer(6)}, {"context", integer(5)}, {"dropout", number(0.3)}}),
        momentum());
    language.set("data", table({{"name", text("text")}, {"path", text(path)}}));
    expectSameModelAfterStops(TrainedOn::Threads, language, {3, 11});
}

TEST(RankCheckpoints, TheNoiseOfAQuadraticGoesOn) {
    const Value bowl = table({{"name", text("quadratic")},
                              {"matrix", matrix({{2, 0.5}, {0.5, 1}})},
                              {"targets", matrix({{1, 2}, {-1, 4}, {0, 0}})},
                              {"noise", number(0.5)}});
    Value doc = resumedExperiment(named("dasgd"), TrainedOn::Threads, bowl, momentum());
    doc.erase("data");
    expectSameModelAfterStops(TrainedOn::Threads, doc, {2, 13});
}

// Short batches at the end of an epoch, micro-batches, an epoch's order, augmentation drawn by the batch.
TEST(RankCheckpoints, BatchesGoOnWhereTheyWere) {
    for (const bool accumulates : {false, true}) {
        Value doc = resumedExperiment(named("local_sgd"), TrainedOn::Threads, droppingMlp(), momentum());
        doc.set("train", table({{"steps", integer(kSteps)},
                                {"batch_size", integer(5)},
                                {"accumulate", integer(accumulates ? 2 : 1)},
                                {"eval_every", integer(50)}}));
        for (const std::int64_t stop : {4, 5, 6, 20}) {
            SCOPED_TRACE(std::to_string(accumulates) + " stopped after " + std::to_string(stop));
            expectSameModelAfterStops(TrainedOn::Threads, doc, {stop});
        }
    }
}

std::vector<RankRecord> recordsOf(const Value& doc, const CheckpointEnvironment& checkpoints, std::int64_t stop = 0) {
    StopAfter gate(stop);
    return train(doc, Backend::Threads, nullptr, {&checkpoints, &gate});
}

// Every step saved leaves the run as it is, and each save is good to go on from.
TEST(RankCheckpoints, SavingNowAndThenChangesNothing) {
    const TempDir dir;
    Value doc = resumedExperiment(named("dasgd"), TrainedOn::Threads, droppingMlp(), momentum());
    static_cast<void>(recordsOf(doc, checkpointsIn(dir / "plain")));
    doc.find("train")->set("checkpoint", table({{"every", text("3 steps")}, {"keep", integer(4)}}));
    const CheckpointEnvironment saving = checkpointsIn(dir / "saving");
    const auto records = recordsOf(doc, saving);
    EXPECT_EQ(bytesOf(dir / "plain/model.safetensors"), bytesOf(dir / "saving/model.safetensors"));
    EXPECT_THAT(CheckpointFolder(saving.place.folder).steps(), ::testing::ElementsAre(18, 21, 24, 27));
    std::int64_t pauses = 0;
    for (const Span& span : records[0].sink.spans) pauses += span.kind == SpanKind::Checkpoint ? 1 : 0;
    EXPECT_EQ(pauses, 9) << "after steps 3, 6, …, 27";
    for (const std::int64_t step : {18, 27}) {
        CheckpointEnvironment from = checkpointsIn(dir / ("from-" + std::to_string(step)));
        from.from = CheckpointFolder(saving.place.folder).at(step).value();
        static_cast<void>(recordsOf(doc, from));
        EXPECT_EQ(bytesOf(dir / "plain/model.safetensors"),
                  bytesOf(from.place.folder.parent_path() / "model.safetensors"));
    }
}

// Steps, samples, bytes, epochs and what evaluations decided go on; what was recorded is as of a run without a stop.
TEST(RankCheckpoints, RecordsGoOnWhereTheyWere) {
    const TempDir dir;
    const Value doc = resumedExperiment(named("dasgd"), TrainedOn::Threads, droppingMlp(), momentum());
    const auto whole = recordsOf(doc, checkpointsIn(dir / "whole"));
    static_cast<void>(recordsOf(doc, checkpointsIn(dir / "part"), 10));
    CheckpointEnvironment from = checkpointsIn(dir / "rest");
    from.from = CheckpointFolder(dir / "part/checkpoints").at(10).value();
    const auto rest = recordsOf(doc, from);
    for (const char* name : {"train/loss", "eval/loss", "eval/validation_loss", "eval/chosen_loss"}) {
        std::vector<MemorySink::Point> expected = whole[0].sink.metrics.at(name);
        std::erase_if(expected, [](const MemorySink::Point& point) { return point.step <= 10; });
        const auto& got = rest[0].sink.metrics.at(name);
        ASSERT_EQ(got.size(), expected.size()) << name;
        for (std::size_t i = 0; i < got.size(); ++i) {
            EXPECT_EQ(got[i].step, expected[i].step) << name;
            EXPECT_EQ(got[i].value, expected[i].value) << name;
            EXPECT_EQ(got[i].samples, expected[i].samples) << name;
            EXPECT_EQ(got[i].bytesSent, expected[i].bytesSent) << name;
            EXPECT_EQ(got[i].epoch, expected[i].epoch) << name;
        }
    }
    const auto& trained = rest[0].sink.metrics.at("eval/trained_s");
    EXPECT_EQ(trained.front().step, 10) << "as training goes on, before its first evaluation";
    EXPECT_GT(trained.front().value, 0);
    ASSERT_GE(trained.size(), 2U);
    // A rank may be held up between the instant at which all go on and the record of it, while another trains.
    Ns began = trained[1].wall;
    for (const auto& rank : rest) {
        const auto restored = std::ranges::find(rank.sink.spans, SpanKind::Checkpoint, &Span::kind);
        ASSERT_NE(restored, rank.sink.spans.end());
        began = std::min(began, restored->end);
    }
    EXPECT_LT(began, trained[1].wall);
    EXPECT_LE(trained[1].value - trained[0].value, static_cast<double>(trained[1].wall - began) * 1e-9);
    for (const Span& span : rest[0].sink.spans) EXPECT_GE(span.step, 10);
    const auto numbersOf = [](const std::vector<Span>& spans) {
        std::set<std::uint64_t> numbers;
        for (const Span& span : spans) {
            if (span.collective != 0) numbers.insert(span.collective);
        }
        return numbers;
    };
    const std::uint32_t before = from.from->state.collectives;
    EXPECT_GT(before, 0U);
    const auto numbers = numbersOf(rest[0].sink.spans);
    ASSERT_FALSE(numbers.empty());
    EXPECT_GT(*numbers.begin(), before) << "no number stands for two collectives of one training";
    EXPECT_EQ(numbers, numbersOf(rest[1].sink.spans)) << "of all ranks alike";
}

void expectSameTensors(const Archive& got, const Archive& expected) {
    ASSERT_EQ(got.tensors().size(), expected.tensors().size());
    for (const auto& [name, tensor] : expected.tensors()) EXPECT_TRUE(got.tensors().at(name).equal(tensor)) << name;
}

// The step that the file is of, where an evaluation first had the best accuracy on the validation set.
TEST(RankCheckpoints, TheBestModelIsKeptAcrossStops) {
    for (const TrainedOn on : {TrainedOn::Virtual, TrainedOn::Threads}) {
        const TempDir dir;
        Value doc = resumedExperiment(named("dasgd"), on, droppingMlp(), momentum());
        doc.find("train")->set("checkpoint", table({{"every", text("1h")}, {"best", boolean(true)}}));
        trainOn(on, doc, checkpointsIn(dir / "whole"));
        const auto best = readArchive(dir / "whole/checkpoints/best.safetensors");
        ASSERT_TRUE(best) << best.error().message;
        trainOn(on, doc, checkpointsIn(dir / "part"), 10);
        CheckpointEnvironment from = checkpointsIn(dir / "rest");
        from.from = CheckpointFolder(dir / "part/checkpoints").at(10).value();
        trainOn(on, doc, from);
        const auto kept = readArchiveOfRun(dir / "rest/checkpoints/best.safetensors");
        ASSERT_TRUE(kept) << kept.error().message;
        EXPECT_EQ(kept->run, "rest");
        EXPECT_EQ(kept->archive.integers(), best->integers());
        expectSameTensors(kept->archive, *best);
        EXPECT_TRUE(checkContent(dir / "rest/checkpoints/best.safetensors").value());
        EXPECT_TRUE(checkContent(dir / "rest/model.safetensors").value());
        if (on == TrainedOn::Virtual) continue;
        const auto records = recordsOf(doc, checkpointsIn(dir / "again"));
        double most = -1;
        std::int64_t at = -1;
        for (const auto& point : records[0].sink.metrics.at("eval/validation_accuracy")) {
            if (point.value > most) at = point.step;
            most = std::max(most, point.value);
        }
        EXPECT_EQ(best->integer("step").value(), at);
    }
}

// No evaluation of the second run finds a better model, because it ends before the next one.
TEST(RankCheckpoints, ABestModelThatIsDamagedOrOfAnotherRunIsNotTakenOver) {
    const TempDir dir;
    Value doc = resumedExperiment(named("dasgd"), TrainedOn::Threads, droppingMlp(), momentum());
    doc.find("train")->set("checkpoint", table({{"every", text("1h")}, {"best", boolean(true)}}));
    static_cast<void>(recordsOf(doc, checkpointsIn(dir / "part"), 10));
    const auto file = dir / "part/checkpoints/best.safetensors";
    const Archive best = readArchive(file).value();
    const auto takenOver = [&](const std::string& name) {
        CheckpointEnvironment from = checkpointsIn(dir / name);
        from.from = CheckpointFolder(dir / "part/checkpoints").at(10).value();
        const auto records = recordsOf(doc, from, 11);
        EXPECT_EQ(records[0].outcome.kind, WorkerOutcome::Kind::Stopped) << records[0].outcome.error;
        return std::filesystem::exists(from.place.folder / "best.safetensors");
    };
    EXPECT_TRUE(takenOver("whole"));
    std::string bytes = bytesOf(file);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    dir.write("part/checkpoints/best.safetensors", bytes);
    EXPECT_FALSE(takenOver("one-bit"));
    dir.write("part/checkpoints/best.safetensors", bytes.substr(0, bytes.size() - 4));
    EXPECT_FALSE(takenOver("cut"));
    ASSERT_TRUE(writeArchive(file, best, "other", FileDigest::OfContent));
    EXPECT_FALSE(takenOver("foreign"));
    ASSERT_TRUE(writeArchive(file, best));
    EXPECT_TRUE(takenOver("before-digests"));
}

TEST(RankCheckpoints, ARunThatWasRemovedDoesNotComeBack) {
    const TempDir dir;
    const CheckpointPlace place{.folder = dir / "runs/a/checkpoints", .runId = "a", .configHash = "hash"};
    Archive network;
    network.put("w", torch::ones({2}));
    writeBestInto(place)(3, network);
    EXPECT_FALSE(std::filesystem::exists(dir / "runs"));
    std::filesystem::create_directories(dir / "runs/a");
    writeBestInto(place)(3, network);
    EXPECT_TRUE(std::filesystem::exists(place.folder / "best.safetensors"));
}

TEST(RankCheckpoints, ACheckpointOfAnotherNetworkIsRefused) {
    const TempDir dir;
    const Value doc = resumedExperiment(named("dasgd"), TrainedOn::Threads, droppingMlp(), momentum());
    static_cast<void>(recordsOf(doc, checkpointsIn(dir / "part"), 10));
    CheckpointEnvironment from = checkpointsIn(dir / "rest");
    from.from = CheckpointFolder(dir / "part/checkpoints").at(10).value();
    Value other = doc;
    other.set("model", droppingMlp(13));
    for (const RankRecord& record : recordsOf(other, from)) {
        EXPECT_EQ(record.outcome.kind, WorkerOutcome::Kind::Failed);
        EXPECT_THAT(record.outcome.error, HasSubstr("another model or precision"));
    }
}

// The folder cannot be made: training goes on, and the lost checkpoints are reported.
TEST(RankCheckpoints, WhatCannotBeWrittenStopsNoTraining) {
    const TempDir dir;
    const std::filesystem::path file = dir.write("run", "a file where a folder should be");
    Value doc = resumedExperiment(named("dasgd"), TrainedOn::Threads, droppingMlp(), momentum());
    doc.find("train")->set("checkpoint", table({{"every", text("10 steps")}}));
    const auto records = recordsOf(doc, checkpointsIn(file));
    EXPECT_EQ(records[0].outcome.kind, WorkerOutcome::Kind::Finished);
    EXPECT_THAT(records[0].outcome.error, HasSubstr("the model was lost")) << "the launcher is told";
    EXPECT_THAT(records[0].sink.states.back().second, HasSubstr("2 checkpoints were lost; last: "));
    EXPECT_THAT(records[0].sink.states.back().second, HasSubstr("the model was lost"));
}

}  // namespace
}  // namespace dasgd::test
