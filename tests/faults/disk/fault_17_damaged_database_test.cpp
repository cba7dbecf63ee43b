// Fault 17: lab.db is damaged. Commands that read it end with a result or an error that names the file, never by a
// signal.
#include <SQLiteCpp/SQLiteCpp.h>

#include <random>

#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

// Flips some bits in one page, or cuts the file off.
std::string damaged(std::string content, std::mt19937& random) {
    if (random() % 4 == 0) return content.substr(0, random() % content.size());
    const std::size_t page = random() % (content.size() / 4096);
    for (int i = 0; i < 8; ++i) content[page * 4096 + random() % 4096] ^= static_cast<char>(1 << random() % 8);
    return content;
}

TEST(Fault17, TheDatabaseIsDamaged) {
    const DasgdFolder folder;
    folder.write("e.toml", quickExperiment("threads", 200));
    ASSERT_EQ(folder.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    const std::string run = folder.firstRun();
    const auto file = folder.workspace() / "lab.db";
    { SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("PRAGMA wal_checkpoint(TRUNCATE)"); }
    const std::string whole = contentOf(file);
    std::mt19937 random(17);
    int injected = 0, held = 0;
    for (int i = 0; i < faultCount(3, 100); ++i) {
        const std::string content = damaged(whole, random);
        for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
                 {"list", "-w", "w"}, {"show", run, "-w", "w"}, {"recover", "-w", "w"}}) {
            for (const char* left : {"lab.db-wal", "lab.db-shm"}) std::filesystem::remove(folder.workspace() / left);
            writeText(file, content);
            const Ended ended = folder.run(command);
            ++injected;
            const bool answered = ended.exit == 0 || (ended.exit > 0 && ended.err.starts_with("dasgd: "));
            EXPECT_TRUE(answered) << command.front() << ": " << ended.exit << " " << ended.err;
            held += answered;
        }
    }
    reportFault(17, "bits of lab.db flipped, or its end missing", "an answer or an error, never a crash", injected,
                held);
}

}  // namespace
}  // namespace dasgd::test
