// The window with its Experiment page, beside a stand-in for `dasgd` that blames a delay of 9, and of anything else
// makes three runs with a forecast.
#pragma once

#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QTemporaryDir>

#include "gui/experiment/form/experiment_form.h"
#include "gui/experiment/form/toml_editor.h"
#include "tests/gui/support/session_bench.h"
#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {

inline const QByteArray kDryRunEngine =
    "case \"$*\" in *--dry-run*) ;; *) echo \"$*\" >\"$(dirname \"$0\")/ran\"; exit 0;; esac\n"
    "line=$(grep -n 'delay = 9' \"$2\" | cut -d: -f1)\n"
    "[ -z \"$line\" ] || { echo \"dasgd: $2:$line:9: delay is 9; allowed 0..period (4) steps\" >&2; exit 2; }\n"
    "for each in 1 2 3; do echo '{\"label\":\"train.seed='$each'\",\"steps\":8,\"workers\":2,\"parameters\":1000000}'; "
    "done\n"
    "echo '{\"forecast\":{\"takes\":\"about 10 s\",\"cases\":[{\"label\":\"dasgd\",\"runs\":[0,1,2],\"warning\":\"It "
    "will not "
    "hide.\",\"round\":{\"steps\":8,\"step_s\":0.006},\"remedy\":{\"steps\":8},\"remedy_settings\":[{\"symbol\":\"d\","
    "\"key\":\"algorithm.delay\",\"toml\":\"5\"}],\"remedy_depends_on\":[\"algorithm.delay\"]}]}}'\n";

class ExperimentBench : public WindowBench {
protected:
    void openPage(QSize size = {1600, 1000}) {
        QFile file(folder_.filePath(QStringLiteral("dasgd")));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(standInProgram(kDryRunEngine));
        file.setPermissions(file.permissions() | QFile::ExeOwner);
        file.close();
        open(file.fileName());
        window_->resize(size);
        window_->open("Experiment");
        ASSERT_TRUE(eventually([&] { return window_->draft().schema().isKnown(); }));
        ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    }
    void choosePreset(const QString& title) {
        const auto found =
            list()->model()->match(list()->model()->index(0, 0), Qt::DisplayRole, title, 1, Qt::MatchExactly);
        ASSERT_FALSE(found.isEmpty());
        list()->scrollTo(found[0]);
        QTest::mouseClick(list()->viewport(), Qt::LeftButton, {}, list()->visualRect(found[0]).center());
    }
    QListView* list() { return window_->findChild<QListView*>(QStringLiteral("starts")); }
    QListWidget* plannedRuns() {
        for (auto* one : window_->findChildren<QListWidget*>()) {
            if (one->accessibleName() == QStringLiteral("Runs of the experiment")) return one;
        }
        return nullptr;
    }
    TomlEditor* text() { return window_->findChild<TomlEditor*>(); }
    ExperimentForm* form() { return window_->findChild<ExperimentForm*>(); }
    QLineEdit* field(const char* key) {
        FieldRow* row = form()->rowOf(QString::fromUtf8(key));
        return row ? qobject_cast<QLineEdit*>(row->editor()) : nullptr;
    }
    [[nodiscard]] bool hasRun() const { return QFile::exists(folder_.filePath(QStringLiteral("ran"))); }
    [[nodiscard]] bool isAnswered() {
        return eventually([&] { return window_->draft().check().result().has_value(); });
    }
    QTemporaryDir folder_;
};

}  // namespace dasgd::gui
