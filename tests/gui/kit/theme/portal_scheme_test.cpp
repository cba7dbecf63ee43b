#include "gui/kit/theme/portal_scheme.h"

#include <gtest/gtest.h>

#include <QDBusMessage>
#include <QDBusVirtualObject>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop"),
              kInterface = QStringLiteral("org.freedesktop.portal.Settings"),
              kGroup = QStringLiteral("org.freedesktop.appearance");

// A bus of the test's own.
class PrivateBus {
public:
    PrivateBus() {
        daemon_.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        daemon_.start(QStringLiteral("dbus-daemon"),
                      {QStringLiteral("--session"), QStringLiteral("--nofork"), QStringLiteral("--nopidfile"),
                       QStringLiteral("--print-address"), QStringLiteral("--address=unix:dir=") + folder_.path()});
        while (!daemon_.canReadLine() && daemon_.waitForReadyRead()) continue;
        address_ = QString::fromUtf8(daemon_.readLine()).trimmed();
    }
    ~PrivateBus() {
        for (const QString& name : names_) QDBusConnection::disconnectFromBus(name);
        daemon_.kill();
        daemon_.waitForFinished();
    }
    PrivateBus(const PrivateBus&) = delete;
    PrivateBus& operator=(const PrivateBus&) = delete;

    QDBusConnection connection(const char* name) {
        names_ << QString::fromUtf8(name);
        return QDBusConnection::connectToBus(address_, names_.back());
    }

private:
    QTemporaryDir folder_;
    QProcess daemon_;
    QString address_;
    QStringList names_;
};

class Portal final : public QDBusVirtualObject {
public:
    Portal(QDBusConnection bus, unsigned scheme) : bus_(std::move(bus)), scheme_(scheme) {
        EXPECT_TRUE(bus_.registerVirtualObject(kPath, this));
        EXPECT_TRUE(bus_.registerService(QStringLiteral("org.freedesktop.portal.Desktop")));
    }
    [[nodiscard]] QString introspect(const QString&) const override { return {}; }
    bool handleMessage(const QDBusMessage& message, const QDBusConnection& connection) override {
        asked = message.arguments();
        if (message.member() != QLatin1String("Read")) return false;
        // The portal wraps the value twice.
        const QDBusVariant value(QVariant::fromValue(QDBusVariant(scheme_)));
        return connection.send(message.createReply(QVariant::fromValue(value)));
    }
    void change(const QString& group, const QString& key, unsigned scheme) {
        QDBusMessage told = QDBusMessage::createSignal(kPath, kInterface, QStringLiteral("SettingChanged"));
        told << group << key << QVariant::fromValue(QDBusVariant(scheme));
        EXPECT_TRUE(bus_.send(told));
    }

    QVariantList asked;

private:
    QDBusConnection bus_;
    unsigned scheme_;
};

TEST(PortalScheme, TellsWhatTheDesktopWantsAndWhenThatChanges) {
    PrivateBus bus;
    Portal portal(bus.connection("portal"), 1);
    PortalScheme scheme(bus.connection("window"));
    EXPECT_EQ(scheme.wanted(), std::nullopt) << "it does not wait for the answer";
    ASSERT_TRUE(eventually([&] { return scheme.wanted() == ThemeName::Dark; }));
    EXPECT_EQ(portal.asked, (QVariantList{kGroup, QStringLiteral("color-scheme")}));
    portal.change(kGroup, QStringLiteral("color-scheme"), 2);
    EXPECT_TRUE(eventually([&] { return scheme.wanted() == ThemeName::Light; }));
    portal.change(kGroup, QStringLiteral("accent-color"), 1);
    portal.change(QStringLiteral("org.example"), QStringLiteral("color-scheme"), 1);
    portal.change(kGroup, QStringLiteral("color-scheme"), 0);
    EXPECT_TRUE(eventually([&] { return scheme.wanted() == std::nullopt; })) << "no preference";
}

TEST(PortalScheme, WithoutAPortalNothingIsKnown) {
    PrivateBus bus;
    PortalScheme scheme(bus.connection("window"));
    QSignalSpy changed(&scheme, &PortalScheme::changed);
    QTest::qWait(50);
    EXPECT_EQ(scheme.wanted(), std::nullopt);
    EXPECT_EQ(changed.count(), 0);
}

TEST(PortalScheme, ALookThatFollowsTheDesktopFollowsItsPortal) {
    PrivateBus bus;
    const ThemeName system = systemTheme();
    const bool isDark = system == ThemeName::Dark;
    const ThemeName other = isDark ? ThemeName::Light : ThemeName::Dark;
    Portal portal(bus.connection("portal"), isDark ? 2 : 1);
    PortalScheme scheme(bus.connection("window"));
    Look look(system);
    look.setDesktop(scheme);
    look.followSystem();
    EXPECT_TRUE(eventually([&] { return look.theme().name == other; }));
    look.toggle();
    EXPECT_EQ(chosenTheme(), system) << "the palette's is not what the desktop wants";
    portal.change(kGroup, QStringLiteral("color-scheme"), 0);
    EXPECT_TRUE(eventually([&] { return scheme.wanted() == std::nullopt; }));
    EXPECT_EQ(look.theme().name, system) << "it was chosen";
    look.toggle();
    look.toggle();
    EXPECT_EQ(chosenTheme(), std::nullopt);
}

}  // namespace
}  // namespace dasgd::gui
