#include "gui/kit/theme/theme.h"

#include <QApplication>
#include <QEvent>
#include <QFile>
#include <QFontDatabase>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPalette>
#include <QRegularExpression>
#include <QStyleFactory>
#include <QTimer>
#include <QWidget>
#include <cmath>

#include "core/base/check.h"
#include "gui/kit/words/settings_file.h"

namespace dasgd::gui {

namespace {

const QString kThemeKey = QStringLiteral("window/theme"), kDark = QStringLiteral("dark"),
              kLight = QStringLiteral("light");

QByteArray embedded(const QString& path) {
    QFile file(path);
    DASGD_CHECK(file.open(QIODevice::ReadOnly));
    return file.readAll();
}

QJsonObject tokensOf(ThemeName name) {
    const QString file =
        name == ThemeName::Dark ? QStringLiteral(":/themes/dark.json") : QStringLiteral(":/themes/light.json");
    return QJsonDocument::fromJson(embedded(file)).object();
}

QColor colorOf(const QJsonObject& tokens, const char* token) {
    const QColor color(tokens[QLatin1String(token)].toString());
    DASGD_CHECK(color.isValid());
    return color;
}

QString styleSheet(const QJsonObject& tokens) {
    QString sheet = QString::fromUtf8(embedded(QStringLiteral(":/themes/style.qss")));
    for (auto token = tokens.begin(); token != tokens.end(); ++token) {
        if (!token->isString()) continue;
        sheet.replace(QRegularExpression(QLatin1Char('@') + token.key() + QStringLiteral("\\b")), token->toString());
    }
    return sheet;
}

QPalette paletteOf(const Theme& theme) {
    QPalette palette;
    palette.setColor(QPalette::Window, theme.background);
    palette.setColor(QPalette::WindowText, theme.text);
    palette.setColor(QPalette::Base, theme.panel);
    palette.setColor(QPalette::AlternateBase, theme.hover);
    palette.setColor(QPalette::Text, theme.text);
    palette.setColor(QPalette::Button, theme.panel);
    palette.setColor(QPalette::ButtonText, theme.text);
    palette.setColor(QPalette::ToolTipBase, theme.panel);
    palette.setColor(QPalette::ToolTipText, theme.text);
    palette.setColor(QPalette::PlaceholderText, theme.muted);
    palette.setColor(QPalette::Highlight, theme.selection);
    palette.setColor(QPalette::HighlightedText, theme.text);
    palette.setColor(QPalette::Link, theme.accent);
    palette.setColor(QPalette::Mid, theme.line);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, theme.faint);
    }
    return palette;
}

QFont pixelFont(const QString& family, double pixels, QFont::Weight weight) {
    QFont font(family);
    font.setPixelSize(static_cast<int>(std::lround(pixels)));
    font.setWeight(weight);
    // No hinting, which would make the widths of 13 px digits uneven.
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

}  // namespace

Theme loadTheme(ThemeName name) {
    const QJsonObject tokens = tokensOf(name);
    Theme theme{.name = name};
    const std::array<std::pair<const char*, QColor*>, 18> fields{{{"background", &theme.background},
                                                                  {"panel", &theme.panel},
                                                                  {"raised", &theme.raised},
                                                                  {"hover", &theme.hover},
                                                                  {"line", &theme.line},
                                                                  {"grid", &theme.grid},
                                                                  {"text", &theme.text},
                                                                  {"muted", &theme.muted},
                                                                  {"faint", &theme.faint},
                                                                  {"accent", &theme.accent},
                                                                  {"onAccent", &theme.onAccent},
                                                                  {"selection", &theme.selection},
                                                                  {"good", &theme.good},
                                                                  {"goodTint", &theme.goodTint},
                                                                  {"warn", &theme.warn},
                                                                  {"warnTint", &theme.warnTint},
                                                                  {"bad", &theme.bad},
                                                                  {"badTint", &theme.badTint}}};
    for (const auto& [token, color] : fields) *color = colorOf(tokens, token);
    const QJsonArray curves = tokens[QLatin1String("curves")].toArray();
    DASGD_CHECK(curves.size() == kCurveColors);
    for (int i = 0; i < kCurveColors; ++i) theme.curves[static_cast<std::size_t>(i)] = QColor(curves[i].toString());
    return theme;
}

void installFonts() {
    for (const char* file : {"InterLab-Regular", "InterLab-Medium", "InterLab-SemiBold", "JetBrainsMono-Regular"}) {
        DASGD_CHECK(QFontDatabase::addApplicationFont(QStringLiteral(":/fonts/%1.ttf").arg(QLatin1String(file))) >= 0);
    }
}

QFont interFont(double pixels, Weight weight) {
    const QFont::Weight weights[] = {QFont::Normal, QFont::Medium, QFont::DemiBold};
    return pixelFont(QStringLiteral("Inter Lab"), pixels, weights[static_cast<int>(weight)]);
}

Look::Look(ThemeName name, QObject* parent) : QObject(parent) {
    // Set once only: each call makes Qt restyle every widget of the program, which takes seconds.
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QApplication::setFont(interFont(13));
    apply(name);
}

void Look::apply(ThemeName name) {
    theme_ = loadTheme(name);
    QApplication::setPalette(paletteOf(theme_));
    sheet_ = dasgd::gui::styleSheet(tokensOf(name));
    for (QWidget* widget : dressed_) widget->setStyleSheet(sheet_);
    emit changed();
}

void Look::dress(QWidget& widget) {
    dressed_.push_back(&widget);
    connect(&widget, &QObject::destroyed, this, [this, &widget] { std::erase(dressed_, &widget); });
    widget.setStyleSheet(sheet_);
}

ThemeName Look::desktopsTheme() const {
    if (desktop_) {
        if (const auto wanted = desktop_->wanted()) return *wanted;
    }
    return systemTheme();
}

void Look::setDesktop(DesktopScheme& desktop) {
    desktop_ = &desktop;
    desktop.onChange(this, [this] { takeSystem(); });
}

void Look::followSystem() {
    following_ = true;
    qApp->installEventFilter(this);
}

void Look::toggle() {
    following_ = false;
    qApp->removeEventFilter(this);
    apply(theme_.name == ThemeName::Dark ? ThemeName::Light : ThemeName::Dark);
    const bool isSystems = theme_.name == desktopsTheme();
    keepSettings([&](QSettings& settings) {
        if (isSystems) return settings.remove(kThemeKey);
        settings.setValue(kThemeKey, theme_.name == ThemeName::Dark ? kDark : kLight);
    });
}

// Platforms differ in which of the two events they send, and to how many windows; all events of a turn are handled
// once.
bool Look::eventFilter(QObject* watched, QEvent* event) {
    const bool isPalette = event->type() == QEvent::ApplicationPaletteChange && watched == qApp;
    if (!asking_ && (isPalette || event->type() == QEvent::ThemeChange)) {
        asking_ = true;
        QTimer::singleShot(0, this, &Look::takeSystem);
    }
    return QObject::eventFilter(watched, event);
}

void Look::takeSystem() {
    if (following_) {
        const ThemeName system = desktopsTheme();
        if (system != theme_.name) apply(system);
    }
    asking_ = false;
}

ThemeName systemTheme() {
    // The application's own palette hides the desktop's, so it is removed while the desktop's is read.
    const QPalette own = QApplication::palette();
    QApplication::setPalette(QPalette());
    const bool dark = QApplication::palette().color(QPalette::Window).lightness() < 128;
    QApplication::setPalette(own);
    return dark ? ThemeName::Dark : ThemeName::Light;
}

std::optional<ThemeName> chosenTheme() {
    const QString name = settingsFile().value(kThemeKey).toString();
    if (name == kDark) return ThemeName::Dark;
    if (name == kLight) return ThemeName::Light;
    return std::nullopt;
}

}  // namespace dasgd::gui
