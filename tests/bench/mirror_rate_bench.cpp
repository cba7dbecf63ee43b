// Rate at which the records of one workspace land in another one: in one process, as `dasgd import` does, and by `dasgd
// mirror` with all its processes and frames, with a script in place of ssh; next to SQLite's own copy of the database
// on the same disk. Half metrics, half spans; the first pass, and then one that finds nothing new. Prints figures; no
// test.
//   mirror_rate_bench [millions of records]
#include <SQLiteCpp/Backup.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/support/mirroring.h"

namespace {

using namespace dasgd;

double secondsOf(const auto& work) {
    const auto began = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

void print(const char* what, double seconds, double records, double copy) {
    std::printf("%-34s %7.2f s  %10.0f records/s  %6.1f x the copy's time\n", what, seconds, records / seconds,
                seconds / copy);
}

}  // namespace

int main(int argc, char** argv) {
    const double millions = argc > 1 ? std::atof(argv[1]) : 1;
    const int half = static_cast<int>(millions * 500'000);
    const double records = 2.0 * half;
    test::MirroredFolder folder;
    test::addRecords(folder.there(), "run-a", half, half);
    const auto imported = folder.run.folder / "imported";
    const double copy = secondsOf([&] {
        SQLite::Database from((folder.there() / "lab.db").string(), SQLite::OPEN_READONLY);
        SQLite::Database to((folder.run.folder / "copy.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        SQLite::Backup(to, from).executeStep(-1);
    });
    print("SQLite's copy of the database", copy, records, copy);
    print("source to sink in one process", secondsOf([&] { test::mirrorOnce(folder.there(), imported); }), records,
          copy);
    print("the same, nothing new", secondsOf([&] { test::mirrorOnce(folder.there(), imported); }), records, copy);
    const auto once = [&] {
        const test::Ended ended = folder.once();
        if (ended.exit != 0) std::fprintf(stderr, "%s\n", ended.err.c_str());
    };
    print("dasgd mirror --once", secondsOf(once), records, copy);
    print("the same, nothing new", secondsOf(once), records, copy);
    const bool same = test::checksumOf(folder.here(), "run-a") == test::checksumOf(folder.there(), "run-a");
    std::printf("rows and sums are %s\n", same ? "the same" : "NOT the same");
    return same ? 0 : 1;
}
