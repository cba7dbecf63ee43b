// Helpers that tests of the window share: a workspace of their own, a way to wait, rows made by hand.
#pragma once

#include <gtest/gtest.h>

#include <QTemporaryDir>
#include <QTest>
#include <functional>

#include "gui/data/runs/run_item.h"
#include "gui/data/session/session.h"
#include "gui/kit/theme/theme.h"
#include "tests/gui/support/synthetic_run.h"

namespace dasgd::gui {

class Workspace {
public:
    Workspace() : store_(open(folder_)) {}
    [[nodiscard]] std::filesystem::path path() const { return folder_.path().toStdString(); }
    [[nodiscard]] storage::Store& store() { return store_; }
    QString record(const test::SyntheticSpec& spec) { return QString::fromStdString(test::recordRun(store_, spec)); }

private:
    static storage::Store open(const QTemporaryDir& folder) {
        auto store = storage::Store::open(folder.path().toStdString());
        if (!store) throw std::runtime_error(store.error().message);
        return std::move(*store);
    }
    QTemporaryDir folder_;
    storage::Store store_;
};

// Runs the event loop until `done`; false after ten seconds.
inline bool eventually(const std::function<bool()>& done) { return QTest::qWaitFor(done, 10'000); }

inline RunItemPtr makeRun(const std::string& id, const std::string& algorithm, const std::string& config = "",
                          std::int64_t seed = 1, const std::string& status = "finished") {
    storage::RunRow row;
    row.runId = id;
    row.experiment = "sweep";
    row.algorithm = algorithm;
    row.seed = seed;
    row.workers = 4;
    row.backend = "gloo";
    row.status = status;
    row.startedAt = "2026-11-21T12:00:00.000Z";
    row.config = config;
    row.schema = std::make_shared<const std::string>(test::kDasgdSchema);
    return makeRunItem(std::move(row));
}

// The run, started so many seconds after a fixed minute: "05".
inline RunItemPtr startedAtSecond(const RunItemPtr& run, const std::string& second) {
    storage::RunRow row = run->row;
    row.startedAt = "2026-11-21T12:00:" + second + ".000Z";
    return makeRunItem(row);
}

// The configuration of a DaSGD with this delay.
inline std::string delayedBy(int delay) {
    return "[algorithm]\nname = \"dasgd\"\ndelay = " + std::to_string(delay) + "\nperiod = 4\n";
}

// Name of a run, as "r7".
inline std::string runNumber(int number) { return std::string("r").append(std::to_string(number)); }

// The look of all tests; it dresses widgets without a window around them too.
inline Look& testLook() {
    static Look look(ThemeName::Dark);
    static const bool dressed = [] {
        const auto dressAll = [] { qApp->setStyleSheet(look.styleSheet()); };
        QObject::connect(&look, &Look::changed, &look, dressAll);
        dressAll();
        return true;
    }();
    static_cast<void>(dressed);
    return look;
}

}  // namespace dasgd::gui
