#include "core/train/worker.h"

#include <gmock/gmock.h>

#include "tests/support/image_files.h"
#include "tests/support/quadratic_oracle.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

Value digitsWith(const char* algorithm, int workers, std::int64_t steps, double rate = 0.05) {
    return table(
        {{"name", text("digits")},
         {"algorithm", table({{"name", text(algorithm)}})},
         {"model", table({{"name", text("lenet")}})},
         {"data", table({{"name", text("mnist")}})},
         {"train", table({{"steps", integer(steps)}, {"batch_size", integer(16)}})},
         {"optimizer", table({{"name", text("sgd")}, {"learning_rate", number(rate)}, {"momentum", number(0.9)}})},
         {"cluster", table({{"backend", text("threads")}, {"workers", integer(workers)}})}});
}

TEST(Worker, LearnsTheDigits) {
    const std::vector<RankRecord> records = train(digitsWith("dasgd", 2, 90));
    EXPECT_EQ(records[0].outcome.kind, WorkerOutcome::Kind::Finished);
    const auto& accuracy = records[0].sink.metrics.at("eval/accuracy");
    EXPECT_EQ(accuracy.front().step, 0);
    EXPECT_LT(accuracy.front().value, 0.3);
    EXPECT_EQ(accuracy.back().step, 90);
    EXPECT_GT(accuracy.back().value, 0.7);
    EXPECT_EQ(records[0].sink.metrics.at("train/loss").size(), 90U);
    EXPECT_FALSE(records[1].sink.metrics.contains("eval/loss")) << "rank 0 speaks for the run";
    EXPECT_GT(records[0].sink.metrics.at("throughput/samples_per_s").back().value, 0);
    EXPECT_GT(records[0].sink.metrics.at("timing/steps").back().value, 0);
}

// The time trained is that of the spans from the end of each evaluation to the start of the next, on the rank that took
// longest.
TEST(Worker, TheTimeTrainedLeavesEvaluationsOut) {
    Value document = digitsWith("sync_sgd", 2, 12);
    document.set("train", table({{"steps", integer(12)}, {"batch_size", integer(16)}, {"eval_every", integer(4)}}));
    const std::vector<RankRecord> records = train(document);
    const auto& trained = records[0].sink.metrics.at("eval/trained_s");
    ASSERT_EQ(trained.size(), 4U);
    EXPECT_EQ(trained[0].value, 0) << "the first evaluation comes before training";
    for (std::size_t i = 1; i < trained.size(); ++i) {
        Ns between = 0, worked = 0;
        for (const RankRecord& record : records) {
            Ns own = 0, computed = 0, left = 0;
            for (const Span& span : record.sink.spans) {
                if (span.step > trained[i].step) continue;
                if (span.kind == SpanKind::Forward || span.kind == SpanKind::Backward)
                    computed += span.end - span.start;
                if (span.kind != SpanKind::Eval) continue;
                if (span.step > 0) own += span.start - left;
                left = span.end;
            }
            between = std::max(between, own);
            worked = std::max(worked, computed);
        }
        EXPECT_LE(trained[i].value, static_cast<double>(between) * 1e-9 + 1e-12) << i;
        EXPECT_GE(trained[i].value, static_cast<double>(worked) * 1e-9) << i;
    }
}

TEST(Worker, AnEpochTrainsOnEverySample) {
    // 1,000 digits of 4 workers in batches of 600: 2 steps, the second of 400 samples.
    Value document = digitsWith("independent", 4, 0);
    document.set("train", table({{"epochs", integer(2)}, {"batch_size", integer(600)}, {"eval_every", integer(2)}}));
    const std::vector<RankRecord> records = train(document);
    for (const RankRecord& record : records) {
        const auto& losses = record.sink.metrics.at("train/loss");
        ASSERT_EQ(losses.size(), 4U);
        EXPECT_EQ(losses[0].samples, 2400);
        EXPECT_EQ(losses[0].epoch, 0.6);
        EXPECT_EQ(losses[1].samples, 4000);
        EXPECT_EQ(losses[1].epoch, 1);
        EXPECT_EQ(losses[3].samples, 8000);
        EXPECT_EQ(losses[3].epoch, 2);
    }
    EXPECT_EQ(records[0].sink.metrics.at("eval/loss").size(), 3U) << "at the start and after each epoch";
}

// Dark and bright images, one of them cut off.
void fillWithImages(const TempDir& folder) {
    for (const char* split : {"train", "val"}) {
        for (const char* name : {"dark", "light"}) std::filesystem::create_directories(folder.path() / split / name);
        for (int i = 0; i < 8; ++i) {
            const std::string file = std::to_string(i) + ".jpg";
            const auto value = static_cast<std::uint8_t>(10 + i);
            folder.write(std::string(split) + "/dark/" + file,
                         jpegOf(24, 20, std::vector<std::uint8_t>(3 * 24 * 20, value)));
            folder.write(
                std::string(split) + "/light/" + file,
                jpegOf(24, 20, std::vector<std::uint8_t>(3 * 24 * 20, static_cast<std::uint8_t>(240 - value))));
        }
    }
    folder.write("train/dark/8.jpg", jpegOf(24, 20, gradient(24, 20)).substr(0, 200));
}

TEST(Worker, TrainsOnAFolderOfImagesAndCountsWhatItLeftOut) {
    const TempDir folder;
    fillWithImages(folder);
    const auto losses = [&](int threads) {
        const std::vector<RankRecord> records =
            train(table({{"algorithm", table({{"name", text("sync_sgd")}})},
                         {"model", table({{"name", text("logistic")}})},
                         {"data", table({{"name", text("image-folder")},
                                         {"path", text(folder.path().string())},
                                         {"extent", integer(8)},
                                         {"on_damage", text("skip")},
                                         {"threads", integer(threads)}})},
                         {"train", table({{"epochs", integer(6)}, {"batch_size", integer(4)}})},
                         {"optimizer", table({{"name", text("sgd")}, {"learning_rate", number(0.01)}})},
                         {"cluster", table({{"backend", text("threads")}, {"workers", integer(2)}})}}));
        std::vector<double> all;
        for (const RankRecord& record : records) {
            EXPECT_EQ(record.outcome.error, "");
            const auto& skipped = record.sink.metrics.at("data/skipped");
            EXPECT_EQ(skipped.size(), 2U) << "at the start and at the end";
            EXPECT_EQ(skipped.back().value, 1);
            for (const auto& loss : record.sink.metrics.at("train/loss")) all.push_back(loss.value);
        }
        EXPECT_EQ(records[0].sink.metrics.at("eval/accuracy").back().value, 1);
        EXPECT_FALSE(records[0].sink.metrics.contains("eval/perplexity"));
        return all;
    };
    const std::vector<double> plain = losses(0);
    EXPECT_EQ(plain.size(), 2U * 6 * 2) << "16 whole images of two ranks in batches of 4";
    EXPECT_EQ(plain, losses(2));
}

TEST(Worker, GlooAndThreadsTrainAlike) {
    const auto loss = [](Backend backend) {
        return train(digitsWith("dasgd", 2, 12), backend)[1].sink.metrics.at("train/loss").back().value;
    };
    EXPECT_NEAR(loss(Backend::Threads), loss(Backend::Gloo), 1e-6);
}

TEST(Worker, SameSeedSameRun) {
    const auto loss = [] { return train(digitsWith("local_sgd", 2, 8))[0].sink.metrics.at("eval/loss").back().value; };
    EXPECT_EQ(loss(), loss());
}

TEST(Worker, EveryStepHasItsSpansInOrder) {
    const std::vector<RankRecord> records = train(digitsWith("dasgd", 2, 9));
    std::map<std::int64_t, std::vector<SpanKind>> byStep;
    Ns last = 0;
    for (const Span& span : records[0].sink.spans) {
        EXPECT_LE(span.start, span.end);
        if (span.lane != Lane::Compute) continue;
        EXPECT_GE(span.start, last) << "one thing at a time on the compute lane";
        last = span.end;
        byStep[span.step].push_back(span.kind);
    }
    using enum SpanKind;
    EXPECT_EQ(byStep[3], (std::vector{Data, Forward, Backward, Update}));
    EXPECT_EQ(byStep[4], (std::vector{Data, Forward, Backward, Update, Snapshot}));
    EXPECT_EQ(byStep[5].back(), Merge);
}

TEST(Worker, ADivergedLossIsRecordedAndFailsTheRunAtItsStep) {
    const Value doomed = digitsWith("independent", 1, 50, 1e6);
    const std::vector<RankRecord> records = train(doomed);
    EXPECT_EQ(records[0].outcome.kind, WorkerOutcome::Kind::Failed);
    const auto& losses = records[0].sink.metrics.at("train/loss");
    EXPECT_FALSE(std::isfinite(losses.back().value));
    EXPECT_EQ(losses.back().step, records[0].outcome.step);
    EXPECT_THAT(records[0].outcome.error, testing::HasSubstr("at step " + std::to_string(losses.back().step)));
    EXPECT_EQ(records[0].sink.states.back().first, RankState::Failed);
    EXPECT_EQ(records[0].sink.states.back().second, records[0].outcome.error);
}

TEST(Worker, EvaluationsAreNotTheAlgorithmsBytes) {
    const std::vector<RankRecord> records = train(digitsWith("independent", 2, 4));
    EXPECT_EQ(records[0].sink.metrics.at("train/loss").back().bytesSent, 0);
    EXPECT_EQ(records[0].sink.metrics.at("timing/steps").back().bytesSent, 0) << "nor is the last average";
}

TEST(Worker, AnAverageThatTheEndCutsOffDoesNotCountAsExposed) {
    // The last of four snapshots is made at the very last step: it is drained, drawn, and kept out of the overlap
    // numbers.
    const std::vector<RankRecord> records = train(digitsWith("dasgd", 2, 16));
    int reduces = 0;
    Ns windowsEnd = 0, reduceStart = 0;
    for (const Span& span : records[0].sink.spans) {
        if (span.kind == SpanKind::Window) windowsEnd = std::max(windowsEnd, span.end);
        if (span.kind != SpanKind::Reduce) continue;
        ++reduces;
        reduceStart = std::max(reduceStart, span.start);
    }
    EXPECT_EQ(reduces, 4);
    EXPECT_GT(windowsEnd, 0);
    EXPECT_LE(windowsEnd, reduceStart) << "only what lies in a window counts";
}

TEST(Worker, AllRanksStopAtOneStep) {
    auto experiment = readExperiment(digitsWith("independent", 4, 1'000'000));
    ASSERT_TRUE(experiment) << experiment.error().message;
    const TempDir folder;
    auto page = RunControl::create(folder.path() / "control", 4);
    ASSERT_TRUE(page) << page.error().message;
    std::vector<WorkerOutcome> outcomes(4);
    std::vector<MemorySink> sinks(4);
    std::thread stopper([&] {
        while (page->completed(Rank{2}) < 5) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        page->requestStop();
    });
    runRanks(Backend::Threads, 4, [&](Communicator& comm, Clock& clock) {
        const auto r = static_cast<std::size_t>(comm.rank().value());
        outcomes[r] = runWorker(*experiment, {comm, clock, sinks[r], &*page});
    });
    stopper.join();
    for (std::size_t r = 0; r < 4; ++r) {
        EXPECT_EQ(outcomes[r].kind, WorkerOutcome::Kind::Stopped);
        EXPECT_EQ(outcomes[r].step, outcomes[0].step);
        EXPECT_EQ(sinks[r].metrics.at("train/loss").back().step, outcomes[0].step);
        EXPECT_EQ(sinks[r].states.back().first, RankState::Stopped);
    }
}

}  // namespace
}  // namespace dasgd::test
