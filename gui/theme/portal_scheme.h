// What the desktop wants, dark or light, asked of its portal: desktops without a plug-in of Qt's say it nowhere else.
#pragma once

#include <QDBusConnection>
#include <QDBusVariant>
#include <QObject>
#include <memory>
#include <optional>

#include "gui/theme/theme.h"

namespace dasgd::gui {

// Source: XDG desktop portal, org.freedesktop.portal.Settings, key color-scheme of org.freedesktop.appearance.
class PortalScheme final : public QObject, public DesktopScheme {
    Q_OBJECT

public:
    // Asks at once, and does not wait for the answer. Without a portal on the bus there never is one.
    explicit PortalScheme(const QDBusConnection& bus, QObject* parent = nullptr);
    // nullopt: no answer, or the user has no preference.
    [[nodiscard]] std::optional<ThemeName> wanted() const override { return wanted_; }
    void onChange(QObject* receiver, std::function<void()> call) override;

signals:
    void changed();

private slots:
    void settingChanged(const QString& group, const QString& key, const QDBusVariant& value);

private:
    void take(const QVariant& value);

    std::optional<ThemeName> wanted_;
};

// The portal of the user's session; null where there is no session bus to ask, for connecting would start one.
[[nodiscard]] std::unique_ptr<PortalScheme> sessionPortal();

}  // namespace dasgd::gui
