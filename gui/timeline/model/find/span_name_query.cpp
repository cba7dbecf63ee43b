#include "gui/timeline/model/find/span_name_query.h"

#include <utility>

namespace dasgd::gui {

void SpanNameQuery::request(const QString& run, const RankSpan& span) {
    wanted_.set(SpanName{.runId = run, .span = span, .name = {}});
}

Status SpanNameQuery::refresh(LiveStore& store) {
    std::optional<SpanName> wanted = wanted_.take();
    if (!wanted) return {};
    DASGD_ASSIGN(const std::string name, store.reader().spans().name(wanted->runId.toStdString(), wanted->span));
    wanted->name = QString::fromStdString(name);
    deliver([this, answer = std::move(*wanted)] { emit arrived(answer); });
    return {};
}

}  // namespace dasgd::gui
