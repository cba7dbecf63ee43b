#include "gui/runs/model/run_view.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <algorithm>

#include "gui/kit/words/settings_file.h"

namespace dasgd::gui {

namespace {

const QString kViewsGroup = QStringLiteral("run-lists");
const QString kFilterKey = QStringLiteral("/filter"), kGroupingKey = QStringLiteral("/grouping"),
              kOrderKey = QStringLiteral("/order"), kAscendingKey = QStringLiteral("/ascending"),
              kLeftKey = QStringLiteral("/left"), kWorkspaceKey = QStringLiteral("/workspace");

QString absoluteText(const std::filesystem::path& workspace) {
    return QString::fromStdString(std::filesystem::absolute(workspace).lexically_normal().string());
}

// Name of the settings group of a workspace: a hash, as a path has characters that such a name cannot have.
QString viewGroupOf(const QString& workspace) {
    return QString::fromLatin1(QCryptographicHash::hash(workspace.toUtf8(), QCryptographicHash::Sha1).toHex());
}

void forgetOldest(QSettings& views) {
    QStringList groups = views.childGroups();
    const auto left = [&views](const QString& group) { return views.value(group + kLeftKey).toString(); };
    std::sort(groups.begin(), groups.end(), [&left](const QString& a, const QString& b) { return left(a) < left(b); });
    for (; groups.size() > kMostRunViews; groups.removeFirst()) views.remove(groups.front());
}

}  // namespace

RunView keptRunView(const std::filesystem::path& workspace) {
    QSettings views = settingsFile();
    views.beginGroup(kViewsGroup);
    const QString group = viewGroupOf(absoluteText(workspace));
    RunView view;
    view.filter = views.value(group + kFilterKey).toString();
    view.grouping = views.value(group + kGroupingKey, view.grouping).toString();
    if (!views.contains(group + kOrderKey)) return view;
    const RunColumns order = columnsFromTexts({views.value(group + kOrderKey).toString()});
    // An unknown column gives the default list, which has several.
    if (order.size() != 1) return view;
    view.column = order.front();
    view.direction = views.value(group + kAscendingKey).toBool() ? Qt::AscendingOrder : Qt::DescendingOrder;
    return view;
}

void keepRunView(const std::filesystem::path& workspace, const RunView& view) {
    const QString path = absoluteText(workspace), group = viewGroupOf(path);
    keepSettings([&](QSettings& views) {
        views.beginGroup(kViewsGroup);
        views.setValue(group + kWorkspaceKey, path);
        views.setValue(group + kFilterKey, view.filter);
        views.setValue(group + kGroupingKey, view.grouping);
        views.setValue(group + kOrderKey, columnsToTexts({view.column}).front());
        views.setValue(group + kAscendingKey, view.direction == Qt::AscendingOrder);
        views.setValue(group + kLeftKey, QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs));
        forgetOldest(views);
    });
}

}  // namespace dasgd::gui
