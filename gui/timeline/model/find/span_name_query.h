// Name of a span of an imported run in its original program, read when the pointer rests on it.
#pragma once

#include <optional>

#include "gui/data/feed/live_query.h"

namespace dasgd::gui {

struct SpanName {
    QString runId;
    RankSpan span;
    QString name;  // "" if it has none
};

class SpanNameQuery final : public LiveQuery {
    Q_OBJECT

public:
    SpanNameQuery() : LiveQuery(Priority::Drawing) {}
    // Replaces the former request.
    void request(const QString& run, const RankSpan& span);
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::SpanName& name);

private:
    Wishes<std::optional<SpanName>> wanted_{this};
};

}  // namespace dasgd::gui
