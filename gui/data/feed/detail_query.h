// The full record of the watched run.
#pragma once

#include "gui/data/feed/live_query.h"

namespace dasgd::gui {

class DetailQuery final : public LiveQuery {
    Q_OBJECT

public:
    DetailQuery() : LiveQuery(Priority::Records) {}
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::storage::RunDetail& detail);

private:
    RefreshInterval interval_{4000, 400};
    std::int64_t endings_ = 0;
    std::int64_t watchedSince_ = -1;
    std::int64_t revision_ = -1;
};

}  // namespace dasgd::gui
