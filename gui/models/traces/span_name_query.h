// What another program called a span of an imported run: asked when the pointer rests on it.
#pragma once

#include <mutex>
#include <optional>

#include "gui/models/live/live_query.h"

namespace dasgd::gui {

struct SpanName {
    QString runId;
    RankSpan span;
    QString name;  // "" where it has none
};

class SpanNameQuery final : public LiveQuery {
    Q_OBJECT

public:
    SpanNameQuery() : LiveQuery(Priority::Drawing) {}
    // The latest request counts.
    void request(const QString& run, const RankSpan& span);
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::SpanName& name);

private:
    std::mutex mutex_;
    std::optional<SpanName> wanted_;  // guarded by mutex_
};

}  // namespace dasgd::gui
