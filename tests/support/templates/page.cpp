// A page that counts the steps of the newest run by a live query of its own; made by tests/bench/add_one_of_each.sh.
#include <QLabel>
#include <QVBoxLayout>

#include "gui/data/feed/live_query.h"
#include "gui/data/session/session.h"
#include "gui/kit/parts/page.h"

namespace dasgd::gui {
namespace {

class ExtraQuery final : public LiveQuery {
public:
    ExtraQuery() : LiveQuery(Priority::Records) {}
    Status refresh(LiveStore& store) override {
        if (revision_ == store.revision()) return {};
        DASGD_ASSIGN(const auto runs, store.reader().runs().list());
        revision_ = store.revision();
        if (!runs.empty()) deliver([this, steps = runs.front().steps] { arrived(steps); });
        return {};
    }
    std::function<void(std::int64_t)> arrived = [](std::int64_t) {};

private:
    std::int64_t revision_ = -1;
};

class ExtraPage final : public QWidget {
public:
    explicit ExtraPage(PageContext& context) {
        auto* label = new QLabel(QStringLiteral("no run yet"));
        (new QVBoxLayout(this))->addWidget(label);
        context.session.feed().query<ExtraQuery>().arrived = [label](std::int64_t steps) {
            label->setText(QString::number(steps));
        };
    }
};

const PageRegistry::Add<ExtraPage> kExtraPageEntry{{.order = 1000, .title = "Extra", .icon = "M1 1l13 13M14 1L1 14"}};

}  // namespace
}  // namespace dasgd::gui
