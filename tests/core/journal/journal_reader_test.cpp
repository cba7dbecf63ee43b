#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "core/journal/journal.h"
#include "core/journal/journal_format.h"
#include "tests/support/journals.h"
#include "tests/support/processes.h"
#include "tests/support/temp_dir.h"

namespace dasgd {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr JournalOptions kSmall{.segmentRecords = 64};

void writeSpans(const fs::path& folder, std::int64_t count) {
    auto journal = newJournal(folder, kSmall);
    for (std::int64_t step = 0; step < count; ++step) journal->span({.step = step});
}

// Changes one byte of a file by xor.
void damage(const fs::path& file, std::size_t offset, char bits = 1) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(offset));
    const char byte = static_cast<char>(stream.get() ^ bits);
    stream.seekp(static_cast<std::streamoff>(offset));
    stream.put(byte);
}

TEST(JournalReaderTest, NothingThereReadsAsEmptyUntilItAppears) {
    const TempDir folder;
    JournalReader reader(folder / "rank");
    EXPECT_TRUE(readAll(reader).empty());
    auto journal = newJournal(folder / "rank");
    EXPECT_TRUE(readAll(reader).empty());
    journal->span({.step = 3});
    EXPECT_EQ(readAll(reader).size(), 1U);
    EXPECT_TRUE(readAll(reader).empty());
}

// No number of ours has so many digits.
TEST(JournalReaderTest, AFileWhoseNameIsNoNumberIsPassedOver) {
    const TempDir folder;
    writeSpans(folder / "rank", 100);
    for (const char* name : {"99999999999999999999999999.seg", "seg.seg", "12x.seg", ".seg"}) {
        std::ofstream(folder / "rank" / name) << "not ours";
    }
    EXPECT_EQ(readAll(folder / "rank").size(), 100U);
}

// Starts to read at every possible place: the rest comes and nothing but the rest, names and ranks included.
void expectTheRestAfterAnyEntry(const fs::path& folder, std::size_t count) {
    const auto all = readAll(folder);
    ASSERT_EQ(all.size(), count);
    for (std::size_t taken = 0; taken < all.size(); ++taken) {
        const auto rest = readAll(folder, all[taken].sequence);
        ASSERT_EQ(rest.size(), all.size() - taken - 1);
        for (std::size_t i = 0; i < rest.size(); ++i) {
            const OwnedEntry& expected = all[taken + 1 + i];
            ASSERT_EQ(rest[i].sequence, expected.sequence);
            ASSERT_EQ(rest[i].rank, expected.rank);
            ASSERT_EQ(rest[i].name, expected.name);
            ASSERT_EQ(rest[i].text, expected.text);
        }
    }
}

TEST(JournalReaderTest, GoesOnAfterAnyEntry) {
    const TempDir folder;
    {
        auto journal = newJournal(folder / "rank", kSmall);
        for (std::int64_t i = 0; i < 60; ++i) {
            journal->span({.step = i});
            journal->metric({.name = i % 2 ? "a" : std::string(100, 'b'), .step = i});
            journal->state(RankState::Running, i, std::string(static_cast<std::size_t>(i) * 5, 't'));
        }
    }
    expectTheRestAfterAnyEntry(folder / "rank", 180);
}

TEST(JournalReaderTest, GoesOnAfterAnyEntryOfAnyRank) {
    const TempDir folder;
    {
        auto journal = newJournal(folder / "rank", kSmall);
        for (std::int64_t i = 0; i < 60; ++i) {
            journal->of(Rank(static_cast<int>(i % 7))).span({.step = i});
            journal->of(Rank(static_cast<int>(i % 7))).metric({.name = std::string(100, 'b'), .step = i});
            journal->state(RankState::Running, i, std::string(static_cast<std::size_t>(i) * 5, 't'));
            journal->of(Rank(9)).state(RankState::Running, i, std::string(static_cast<std::size_t>(i) * 7, 't'));
        }
    }
    const auto all = readAll(folder / "rank");
    for (std::size_t i = 0; i < all.size(); i += 4) {
        ASSERT_EQ(all[i].rank, static_cast<int>(i / 4 % 7));
        ASSERT_EQ(all[i + 1].rank, static_cast<int>(i / 4 % 7));
        ASSERT_EQ(all[i + 2].rank, std::nullopt);
        ASSERT_EQ(all[i + 3].rank, 9);
    }
    expectTheRestAfterAnyEntry(folder / "rank", 240);
}

// The rank of the 31st metric takes a segment's last slot, so the metric itself opens the next.
TEST(JournalReaderTest, ASegmentThatBeginsBetweenRankAndMetricNamesBoth) {
    const TempDir folder;
    {
        auto journal = newJournal(folder / "rank", kSmall);
        journal->span({});
        for (int i = 0; i < 40; ++i) journal->of(Rank(1 + i % 2)).metric({.name = "a", .step = i});
    }
    const auto all = readAll(folder / "rank");
    ASSERT_EQ(all[30].sequence, 62U);
    ASSERT_EQ(all[31].sequence, 63U + 3) << "rank, name, metric";
    expectTheRestAfterAnyEntry(folder / "rank", 41);
}

// A reader that is always close behind sees half-written entries and segments that are not there yet.
TEST(JournalReaderTest, FollowsManyRanksAtTheirHeels) {
    const TempDir folder;
    auto journal = newJournal(folder / "rank", kSmall);
    JournalReader reader(folder / "rank");
    for (std::int64_t step = 0; step < 3000; ++step) {
        const int rank = static_cast<int>(step / 3 % 1000);
        journal->of(Rank(rank)).span({.step = step});
        const auto entries = readAll(reader);
        ASSERT_EQ(entries.size(), 1U);
        ASSERT_EQ(entries[0].span.step, step);
        ASSERT_EQ(entries[0].rank, rank);
        reader.release(reader.lastSequence());
    }
}

TEST(JournalReaderTest, TheLimitOnlyPaces) {
    const TempDir folder;
    writeSpans(folder / "rank", 200);
    JournalReader reader(folder / "rank");
    std::int64_t next = 0;
    for (;;) {
        const auto got = reader.read(7, [&](const EventRecord& entry) { EXPECT_EQ(entry.span.step, next++); });
        ASSERT_TRUE(got);
        EXPECT_LE(*got, 7U);
        if (*got == 0) break;
    }
    EXPECT_EQ(next, 200);
    EXPECT_EQ(reader.lastSequence(), 200U);
    EXPECT_FALSE(reader.damaged());
}

TEST(JournalReaderTest, ATornLastRecordIsNotReadAndIsNoDamage) {
    const TempDir folder;
    writeSpans(folder / "rank", 10);
    damage(journal::segmentFile(folder / "rank", 0, ".seg"), 10 * 64 + 20);
    JournalReader reader(folder / "rank");
    EXPECT_EQ(readAll(reader).size(), 9U);
    EXPECT_FALSE(reader.damaged());
}

TEST(JournalReaderTest, EveryFlippedBitOfARecordIsNoticed) {
    const TempDir folder;
    writeSpans(folder / "rank", 10);
    const fs::path file = journal::segmentFile(folder / "rank", 0, ".seg");
    for (std::size_t bit = 0; bit < 512; ++bit) {
        const std::size_t offset = 5 * 64 + bit / 8;
        const auto mask = static_cast<char>(1U << (bit % 8));
        damage(file, offset, mask);
        JournalReader reader(folder / "rank");
        EXPECT_EQ(readAll(reader).size(), 4U) << bit;
        EXPECT_TRUE(reader.damaged());
        damage(file, offset, mask);
    }
    EXPECT_EQ(readAll(folder / "rank").size(), 10U);
}

TEST(JournalReaderTest, DamageBeforeALaterSegmentIsDamage) {
    const TempDir folder;
    writeSpans(folder / "rank", 100);
    damage(journal::segmentFile(folder / "rank", 0, ".seg"), 63 * 64 + 8);
    JournalReader reader(folder / "rank");
    EXPECT_EQ(readAll(reader).size(), 62U);
    EXPECT_TRUE(reader.damaged());
}

TEST(JournalReaderTest, ADamagedHeaderIsAnError) {
    const TempDir folder;
    writeSpans(folder / "rank", 10);
    damage(journal::segmentFile(folder / "rank", 0, ".seg"), 9);
    JournalReader reader(folder / "rank");
    const auto got = reader.read(10, [](const EventRecord&) {});
    ASSERT_FALSE(got);
    EXPECT_THAT(got.error().message, HasSubstr("0000000000.seg"));
}

TEST(JournalReaderTest, AMissingSegmentIsAnErrorThatNamesIt) {
    const TempDir folder;
    writeSpans(folder / "rank", 200);
    fs::remove(journal::segmentFile(folder / "rank", 1, ".seg"));
    JournalReader reader(folder / "rank");
    const auto got = reader.read(1000, [](const EventRecord&) {});
    ASSERT_FALSE(got);
    EXPECT_THAT(got.error().message, HasSubstr("0000000001.seg"));
    EXPECT_EQ(reader.lastSequence(), 63U);
}

TEST(JournalReaderTest, ACutOffSegmentReadsUpToTheCut) {
    const TempDir folder;
    writeSpans(folder / "rank", 50);
    fs::resize_file(journal::segmentFile(folder / "rank", 0, ".seg"), 64 * 21 + 30);
    EXPECT_EQ(readAll(folder / "rank").size(), 20U);
}

// A segment that was used before holds whole records with other numbers; none of them may come back.
TEST(JournalReaderTest, StaleRecordsOfARecycledSegmentDoNotPass) {
    const TempDir folder;
    auto journal = newJournal(folder / "rank", kSmall);
    JournalReader reader(folder / "rank");
    std::int64_t written = 0;
    std::int64_t next = 0;
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        for (auto burst = random() % 40; burst > 0; --burst) journal->span({.step = written++});
        const auto entries = readAll(reader);
        for (const OwnedEntry& entry : entries) ASSERT_EQ(entry.span.step, next++);
        ASSERT_EQ(next, written);
        reader.release(reader.lastSequence());
        if (round % 20 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(11));
    }
}

TEST(JournalReaderTest, NothingThatIsNotReadIsReleased) {
    const TempDir folder;
    writeSpans(folder / "rank", 300);
    JournalReader reader(folder / "rank");
    ASSERT_TRUE(reader.read(100, [](const EventRecord&) {}));
    reader.release(1'000'000);
    EXPECT_EQ(readAll(folder / "rank", 100).size(), 200U);
}

// Everything that was stored before a SIGKILL is there, in order and once; `acknowledged` is what the dead writer knew.
TEST(JournalReaderTest, ASigkillLosesNothingThatWasStored) {
    std::mt19937 random(3);
    for (int round = 0; round < 20; ++round) {
        const TempDir folder;
        SharedCounter acknowledged;
        ChildProcess child([&] {
            auto journal = newJournal(folder / "rank", kSmall);
            for (std::int64_t step = 0;; ++step) {
                journal->span({.step = step});
                acknowledged.set(step + 1);
            }
            return 0;
        });
        ASSERT_TRUE(eventually([&] { return acknowledged.get() > 0; }));
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
        child.kill();
        const auto entries = readAll(folder / "rank");
        EXPECT_GE(static_cast<std::int64_t>(entries.size()), acknowledged.get());
        EXPECT_LE(static_cast<std::int64_t>(entries.size()), acknowledged.get() + 1);
        for (std::size_t i = 0; i < entries.size(); ++i) ASSERT_EQ(entries[i].span.step, static_cast<std::int64_t>(i));
    }
}

}  // namespace
}  // namespace dasgd
