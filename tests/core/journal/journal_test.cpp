#include "core/journal/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <thread>

#include "core/journal/journal_format.h"
#include "tests/support/journals.h"
#include "tests/support/processes.h"
#include "tests/support/temp_dir.h"

namespace dasgd {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr JournalOptions kSmallSegments{.segmentRecords = 64};

TEST(JournalWriterTest, SpansComeBackAsTheyWere) {
    const TempDir folder;
    auto journal = newJournal(folder / "rank");
    const Span span{.lane = Lane::Comm,
                    .kind = SpanKind::Reduce,
                    .step = std::int64_t{1} << 40,
                    .start = -5,
                    .end = std::numeric_limits<Ns>::max(),
                    .bytes = 44'700'000,
                    .collective = std::numeric_limits<std::uint64_t>::max(),
                    .ranks = 3};
    journal->span(span);
    const auto entries = readAll(folder / "rank");
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].type, EventRecord::Type::Span);
    EXPECT_EQ(entries[0].span.lane, span.lane);
    EXPECT_EQ(entries[0].span.kind, span.kind);
    EXPECT_EQ(entries[0].span.step, span.step);
    EXPECT_EQ(entries[0].span.start, span.start);
    EXPECT_EQ(entries[0].span.end, span.end);
    EXPECT_EQ(entries[0].span.bytes, span.bytes);
    EXPECT_EQ(entries[0].span.collective, span.collective);
    EXPECT_EQ(entries[0].span.ranks, span.ranks);
}

TEST(JournalWriterTest, EveryDoubleComesBackBitForBit) {
    const TempDir folder;
    auto journal = newJournal(folder / "rank");
    const std::vector<double> values{0.0, -0.0, std::nan("1"), INFINITY, -INFINITY, 1e308, 1e-320, 0.1, 5e-324};
    for (const double value : values) {
        journal->metric(
            {.name = "train/loss", .step = 7, .epoch = 0.5, .wall = 9, .samples = 10, .bytesSent = 11, .value = value});
    }
    const auto entries = readAll(folder / "rank");
    ASSERT_EQ(entries.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(std::memcmp(&entries[i].metric.value, &values[i], sizeof(double)), 0) << values[i];
        EXPECT_EQ(entries[i].name, "train/loss");
        EXPECT_EQ(entries[i].metric.step, 7);
        EXPECT_EQ(entries[i].metric.epoch, 0.5);
        EXPECT_EQ(entries[i].metric.wall, 9);
        EXPECT_EQ(entries[i].metric.samples, 10);
        EXPECT_EQ(entries[i].metric.bytesSent, 11);
    }
}

TEST(JournalWriterTest, TextsOfAnyLengthComeBack) {
    const TempDir folder;
    auto journal = newJournal(folder / "rank", kSmallSegments);
    std::vector<std::string> texts;
    for (const std::size_t length : {0U, 1U, 39U, 40U, 41U, 88U, 89U, 1000U, 20'000U}) {
        std::string text;
        for (std::size_t i = 0; i < length; ++i) text += static_cast<char>(i * 7 + length);
        journal->state(RankState::Failed, static_cast<std::int64_t>(length), text);
        texts.push_back(text);
    }
    const auto entries = readAll(folder / "rank");
    ASSERT_EQ(entries.size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        EXPECT_EQ(entries[i].type, EventRecord::Type::State);
        EXPECT_EQ(entries[i].state, RankState::Failed);
        EXPECT_EQ(entries[i].text, texts[i]);
        EXPECT_EQ(entries[i].step, static_cast<std::int64_t>(texts[i].size()));
    }
}

TEST(JournalWriterTest, NamesOfAnyNumberAndLengthComeBackAcrossSegments) {
    const TempDir folder;
    auto journal = newJournal(folder / "rank", kSmallSegments);
    std::vector<std::string> names;
    for (int i = 0; i < 90; ++i)
        names.push_back("weight/" + std::string(static_cast<std::size_t>(i * 3), 'w') + std::to_string(i));
    for (int round = 0; round < 5; ++round) {
        for (const std::string& name : names) journal->metric({.name = name, .step = round});
    }
    journal->metric({.name = std::string(5000, 'n')});
    const auto entries = readAll(folder / "rank");
    ASSERT_EQ(entries.size(), 5 * names.size() + 1);
    for (std::size_t i = 0; i + 1 < entries.size(); ++i) EXPECT_EQ(entries[i].name, names[i % names.size()]) << i;
    EXPECT_EQ(entries.back().name, std::string(1024, 'n'));
}

TEST(JournalWriterTest, NamedSpansComeBackAmongOthersAcrossSegments) {
    const TempDir folder;
    auto journal = newJournal(folder / "rank", kSmallSegments);
    auto& ofThird = dynamic_cast<NamedSpanSink&>(journal->of(Rank(3)));
    for (int i = 0; i < 200; ++i) {
        journal->span({.step = i});
        journal->namedSpan({.lane = Lane::Io, .kind = SpanKind::Compute, .step = i}, "op" + std::to_string(i % 7));
        ofThird.namedSpan({.step = i}, "a name of the third rank");
    }
    const auto entries = readAll(folder / "rank");
    ASSERT_EQ(entries.size(), 600U);
    for (std::size_t i = 0; i < 200; ++i) {
        EXPECT_EQ(entries[3 * i].name, "");
        EXPECT_EQ(entries[3 * i + 1].name, "op" + std::to_string(i % 7));
        EXPECT_EQ(entries[3 * i + 1].span.kind, SpanKind::Compute);
        EXPECT_EQ(entries[3 * i + 1].span.step, static_cast<std::int64_t>(i));
        EXPECT_EQ(entries[3 * i + 2].name, "a name of the third rank");
        EXPECT_EQ(entries[3 * i + 2].rank, 3);
    }
}

TEST(JournalWriterTest, RefusesAJournalThatIsThere) {
    const TempDir folder;
    {
        auto first = newJournal(folder / "rank");
        first->span({});
        const auto second = JournalWriter::create(folder / "rank");
        ASSERT_FALSE(second);
        EXPECT_THAT(second.error().message, HasSubstr("another process"));
    }
    const auto third = JournalWriter::create(folder / "rank");
    ASSERT_FALSE(third);
    EXPECT_THAT(third.error().message, HasSubstr("there already"));
    EXPECT_EQ(readAll(folder / "rank").size(), 1U);
}

TEST(JournalWriterTest, AnUnusableFolderIsAnError) {
    const TempDir folder;
    std::ofstream(folder / "file") << "not a folder";
    const auto journal = JournalWriter::create(folder / "file");
    ASSERT_FALSE(journal);
    EXPECT_THAT(journal.error().message, HasSubstr((folder / "file").string()));
}

TEST(JournalWriterTest, IsAliveUntilItsProcessEnds) {
    const TempDir folder;
    EXPECT_FALSE(JournalWriter::isAlive(folder / "rank"));
    ChildProcess child([&] {
        auto journal = newJournal(folder / "rank");
        ::pause();
        return 0;
    });
    EXPECT_TRUE(eventually([&] { return JournalWriter::isAlive(folder / "rank"); }));
    child.kill();
    EXPECT_FALSE(JournalWriter::isAlive(folder / "rank"));
}

TEST(JournalWriterTest, ReleasedSegmentsAreUsedAgain) {
    const TempDir folder;
    auto journal = newJournal(folder / "rank", kSmallSegments);
    JournalReader reader(folder / "rank");
    std::int64_t next = 0;
    for (std::int64_t step = 0; step < 63 * 200; ++step) {
        journal->span({.step = step});
        if (step % 50 != 0) continue;
        const auto read = reader.read(1000, [&](const EventRecord& entry) { EXPECT_EQ(entry.span.step, next++); });
        ASSERT_TRUE(read);
        reader.release(reader.lastSequence());
        // The helper thread takes free segments; a moment lets it.
        if (step % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(15));
    }
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder / "rank")) ++files;
    EXPECT_LE(files, 9U) << "200 segments were written";
    ASSERT_TRUE(reader.read(1000, [&](const EventRecord& entry) { EXPECT_EQ(entry.span.step, next++); }));
    EXPECT_EQ(next, 63 * 200);
}

TEST(JournalWriterTest, AMillionRecordsWhileSomeoneReads) {
    constexpr std::int64_t kRecords = 1'000'000;
    const TempDir folder;
    auto journal = newJournal(folder / "rank");
    std::thread producer([&] {
        for (std::int64_t step = 0; step < kRecords; ++step) journal->span({.step = step, .start = step * 3});
    });
    JournalReader reader(folder / "rank");
    std::int64_t next = 0;
    std::int64_t wrong = 0;
    EXPECT_TRUE(eventually(
        [&] {
            const auto got = reader.read(100'000, [&](const EventRecord& entry) {
                wrong += entry.span.step != next || entry.span.start != next * 3;
                ++next;
            });
            EXPECT_TRUE(got);
            reader.release(reader.lastSequence());
            return next >= kRecords;
        },
        std::chrono::seconds(50)));
    producer.join();
    EXPECT_EQ(next, kRecords);
    EXPECT_EQ(wrong, 0);
}

// Without room the producer waits, and goes on when there is some; nothing is dropped.
TEST(JournalWriterTest, WaitsForRoom) {
    const TempDir folder;
    ChildProcess child([&] {
        auto journal = newJournal(folder / "rank", kSmallSegments);
        std::atomic<std::int64_t> written{0};
        std::thread producer;
        {
            const NoRoom noRoom;
            producer = std::thread([&] {
                for (std::int64_t step = 0; step < 2000; ++step, ++written) journal->span({.step = step});
            });
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            if (written > 3 * 63) return 1;
        }
        const bool ended = eventually([&] { return written == 2000; });
        producer.join();
        const auto entries = readAll(folder / "rank");
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (entries[i].span.step != static_cast<std::int64_t>(i)) return 2;
        }
        return ended && entries.size() == 2000 ? 0 : 3;
    });
    EXPECT_EQ(child.wait(), 0);
}

// Runs of 1 to 4 records of one rank, of all kinds, over more than a hundred segment borders.
TEST(JournalWriterTest, RecordsOfManyRanksComeBackWithTheirRank) {
    const TempDir folder;
    auto journal = newJournal(folder / "rank", kSmallSegments);
    std::mt19937 random(11);
    std::vector<std::optional<int>> ranks;
    std::vector<std::string> names;
    for (std::int64_t step = 0; step < 4000;) {
        const std::optional<int> rank = random() % 5 == 0 ? std::nullopt : std::optional<int>(random() % 1024);
        EventSink& sink = rank ? journal->of(Rank(*rank)) : *journal;
        for (auto records = 1 + random() % 4; records > 0; --records, ++step) {
            ranks.push_back(rank);
            names.emplace_back();
            switch (random() % 3) {
                case 0: sink.span({.step = step}); break;
                case 1:
                    names.back() = std::string(1 + random() % 2 * 90, static_cast<char>('a' + random() % 5));
                    sink.metric({.name = names.back(), .step = step});
                    break;
                default: sink.state(RankState::Running, step, std::string(random() % 500, 't')); break;
            }
        }
    }
    const auto entries = readAll(folder / "rank");
    ASSERT_EQ(entries.size(), ranks.size());
    EXPECT_GT(entries.back().sequence, 100 * (kSmallSegments.segmentRecords - 1));
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const OwnedEntry& entry = entries[i];
        const std::int64_t step = entry.type == EventRecord::Type::Span     ? entry.span.step
                                  : entry.type == EventRecord::Type::Metric ? entry.metric.step
                                                                            : entry.step;
        ASSERT_EQ(step, static_cast<std::int64_t>(i));
        ASSERT_EQ(entry.rank, ranks[i]) << i;
        ASSERT_EQ(entry.name, names[i]) << i;
    }
}

TEST(JournalWriterTest, ARankIsSaidOnceAChangeAndOnceASegment) {
    const TempDir folder;
    auto journal = newJournal(folder / "rank", kSmallSegments);
    EventSink& seventh = journal->of(Rank(7));
    EXPECT_EQ(&journal->of(Rank(1023)), &journal->of(Rank(1023)));
    EXPECT_EQ(&journal->of(Rank(7)), &seventh) << "others that come later do not move it";
    for (std::int64_t step = 0; step < 62; ++step) seventh.span({.step = step});
    EXPECT_EQ(readAll(folder / "rank").back().sequence, 63U) << "62 records and the rank fill a segment";
    seventh.span({.step = 62});
    EXPECT_EQ(readAll(folder / "rank").back().sequence, 65U);
    journal->span({.step = 63});
    journal->span({.step = 64});
    EXPECT_EQ(readAll(folder / "rank").back().sequence, 68U);
    for (std::int64_t step = 65; step < 65 + 58; ++step) journal->span({.step = step});
    journal->span({.step = 123});
    EXPECT_EQ(readAll(folder / "rank").back().sequence, 63U * 2 + 1) << "the journal's own rank need not be said";
}

// Version 1 of the format: the checksum is of what the writer of the first release stored for the same calls. Whoever
// never asks for another rank's sink writes these bytes.
TEST(JournalWriterTest, WithoutOtherRanksTheBytesAreThoseOfTheFirstVersion) {
    const TempDir folder;
    {
        auto journal = newJournal(folder / "rank", kSmallSegments);
        for (std::int64_t step = 0; step < 50; ++step) {
            journal->span({.kind = SpanKind::Merge, .step = step, .start = step * 7, .end = step * 7 + 5});
            journal->metric({.name = step % 3 ? "train/loss" : std::string(90, 'n'), .step = step, .value = 0.5});
            if (step % 9 == 0) journal->state(RankState::Running, step, std::string(130, 't'));
        }
    }
    std::uint32_t sum = 0;
    for (const std::uint64_t number : {0U, 1U}) {
        std::ifstream file(journal::segmentFile(folder / "rank", number, ".seg"), std::ios::binary);
        std::array<std::uint64_t, 8> slot{};
        for (std::size_t i = 0; i < kSmallSegments.segmentRecords; ++i) {
            ASSERT_TRUE(file.read(reinterpret_cast<char*>(slot.data()), sizeof slot));
            ASSERT_NE(slot[0], 0U) << "slot " << i << " of segment " << number << " is not used";
            slot[7] ^= sum;
            sum = crc32c(slot);
        }
    }
    EXPECT_EQ(sum, 1734473895U);
}

}  // namespace
}  // namespace dasgd
