#include "storage/mirror/run_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mirrors.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;

RunDocument documentOf(const std::filesystem::path& workspace, const std::string& id) {
    SQLite::Database database((workspace / "lab.db").string(), SQLite::OPEN_READONLY);
    return DocumentTables(database).read(keyOf(WorkspacePaths{workspace}, id));
}

// Every table and column that changes with a run, whatever later versions add.
TEST(RunDocumentTest, WhatIsWrittenElsewhereIsReadThereTheSame) {
    OneRun run(2);
    run.finish("failed", "rank 1 died");
    RunInfo next = runInfo("run-b", 2);
    next.series = "run-b";
    next.seriesSize = 3;
    next.resumedFrom = "run-a";
    next.resumedStep = 0;
    orDie(run.store.addRun(next));
    { const Store store = orDie(Store::open(run.folder / "here")); }
    SQLite::Database here((run.folder / "here" / "lab.db").string(), SQLite::OPEN_READWRITE);
    const DocumentTables tables(here);
    for (const char* id : {"run-a", "run-b"}) {
        const RunDocument document = documentOf(run.folder / "workspace", id);
        orDie(tables.check(document, id));
        const std::int64_t key = tables.insert(document);
        EXPECT_EQ(tables.read(key), document) << id;
        tables.replace(key, document);
        EXPECT_EQ(tables.read(key), document) << id;
        EXPECT_EQ(contentOfRun(run.folder / "here", id), contentOfRun(run.folder / "workspace", id));
    }
}

TEST(RunDocumentTest, AnEndCanBeSet) {
    OneRun run;
    SQLite::Database database((run.folder / "workspace" / "lab.db").string(), SQLite::OPEN_READONLY);
    const DocumentTables tables(database);
    RunDocument document = documentOf(run.folder / "workspace", "run-a");
    EXPECT_EQ(tables.statusOf(document), "queued");
    tables.setEnd(document, "interrupted", "why");
    EXPECT_EQ(tables.statusOf(document), "interrupted");
    orDie(tables.check(document, "run-a"));
    tables.setEnd(document, "vanished", "");
    EXPECT_THAT(tables.check(document, "run-a").error().message, HasSubstr("its status"));
}

}  // namespace
}  // namespace dasgd::storage
