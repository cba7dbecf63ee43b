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
    Freshness fresh_{4000, 400};
};

}  // namespace dasgd::gui
