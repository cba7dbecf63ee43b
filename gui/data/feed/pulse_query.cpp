#include "gui/data/feed/pulse_query.h"

#include <system_error>
#include <utility>

namespace dasgd::gui {

namespace {

std::int64_t bytesOfDatabase(const std::filesystem::path& workspace) {
    std::int64_t sum = 0;
    for (const char* file : {"lab.db", "lab.db-wal"}) {
        std::error_code absent;
        const auto bytes = std::filesystem::file_size(workspace / file, absent);
        if (!absent) sum += static_cast<std::int64_t>(bytes);
    }
    return sum;
}

}  // namespace

Status PulseQuery::refresh(LiveStore& store) {
    if (fresh_.follow(store)) pulse_ = {.databaseBytes = pulse_.databaseBytes};
    const bool grown = fresh_.isBehind(store);
    if (!grown && !sizeInterval_.due()) return {};
    if (sizeInterval_.due()) {
        sizeInterval_.spent(0);
        pulse_.databaseBytes = bytesOfDatabase(store.workspace());
    }
    if (grown) DASGD_TRY(readRun(store));
    fresh_.pass(store);
    deliver([this, pulse = pulse_] { emit arrived(pulse); });
    return {};
}

Status PulseQuery::readRun(LiveStore& store) {
    const QString& run = store.watch().run;
    if (run.isEmpty()) return {};
    const std::string id = run.toStdString();
    DASGD_ASSIGN(pulse_.newest, store.reader().runs().newestInstant(id));
    DASGD_ASSIGN(const std::optional<TimeRange> extent, store.reader().spans().extent(id));
    DASGD_ASSIGN(pulse_.spans, store.reader().spans().count(id));
    pulse_.runId = run;
    pulse_.live = store.isLive(run);
    pulse_.extent = extent.value_or(TimeRange{});
    return {};
}

}  // namespace dasgd::gui
