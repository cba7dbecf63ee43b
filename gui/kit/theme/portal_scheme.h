// The desktop's preference for dark or light, read from its portal: the only source on desktops without a Qt plug-in.
#pragma once

#include <QDBusConnection>
#include <QDBusVariant>
#include <QObject>
#include <memory>
#include <optional>

#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

// Source: XDG desktop portal, org.freedesktop.portal.Settings, key color-scheme of org.freedesktop.appearance.
class PortalScheme final : public QObject, public DesktopScheme {
    Q_OBJECT

public:
    // Asks the portal at once and does not wait for the answer, which never comes without a portal on the bus.
    explicit PortalScheme(const QDBusConnection& bus, QObject* parent = nullptr);
    // The preferred theme; nullopt without an answer or a preference.
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

// The portal of the user's session; null without a session bus, since connecting would start one.
[[nodiscard]] std::unique_ptr<PortalScheme> sessionPortal();

}  // namespace dasgd::gui
