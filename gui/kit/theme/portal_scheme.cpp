#include "gui/kit/theme/portal_scheme.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QFileInfo>
#include <utility>

namespace dasgd::gui {

namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop"),
              kPath = QStringLiteral("/org/freedesktop/portal/desktop"),
              kInterface = QStringLiteral("org.freedesktop.portal.Settings"),
              kGroup = QStringLiteral("org.freedesktop.appearance"), kKey = QStringLiteral("color-scheme");

constexpr unsigned kDarkWanted = 1, kLightWanted = 2;

}  // namespace

PortalScheme::PortalScheme(const QDBusConnection& bus, QObject* parent) : QObject(parent) {
    QDBusConnection connection = bus;
    // Types of slots are looked up by name, so the type must be registered before the connection.
    qRegisterMetaType<QDBusVariant>();
    connection.connect(kService, kPath, kInterface, QStringLiteral("SettingChanged"), this,
                       SLOT(settingChanged(QString, QString, QDBusVariant)));
    // Every version of the portal has `Read`, not all the newer `ReadOne`.
    QDBusMessage question = QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
    question << kGroup << kKey;
    auto* watcher = new QDBusPendingCallWatcher(connection.asyncCall(question), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        const QDBusPendingReply<QDBusVariant> answer = *watcher;
        if (answer.isValid()) take(answer.value().variant());
        watcher->deleteLater();
    });
}

void PortalScheme::onChange(QObject* receiver, std::function<void()> call) {
    connect(this, &PortalScheme::changed, receiver, std::move(call));
}

void PortalScheme::settingChanged(const QString& group, const QString& key, const QDBusVariant& value) {
    if (group == kGroup && key == kKey) take(value.variant());
}

void PortalScheme::take(const QVariant& value) {
    QVariant inner = value;
    while (inner.canConvert<QDBusVariant>()) inner = inner.value<QDBusVariant>().variant();
    const unsigned number = inner.toUInt();
    std::optional<ThemeName> next;
    if (number == kDarkWanted) next = ThemeName::Dark;
    if (number == kLightWanted) next = ThemeName::Light;
    if (std::exchange(wanted_, next) != next) emit changed();
}

std::unique_ptr<PortalScheme> sessionPortal() {
    const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
    const bool hasBus = !qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS") ||
                        (!runtime.isEmpty() && QFileInfo::exists(runtime + QStringLiteral("/bus")));
    if (!hasBus) return nullptr;
    const QDBusConnection bus = QDBusConnection::sessionBus();
    return bus.isConnected() ? std::make_unique<PortalScheme>(bus) : nullptr;
}

}  // namespace dasgd::gui
