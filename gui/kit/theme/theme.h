// Colours and fonts. Two themes from the token tables in resources/themes; everything that paints takes its colours
// from a Look.
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QString>
#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "gui/kit/curves/curve_style.h"

class QApplication;

class QWidget;

namespace dasgd::gui {

enum class ThemeName { Dark, Light };

struct Theme {
    ThemeName name = ThemeName::Dark;
    QColor background, panel, raised, hover, line, grid, text, muted, faint, accent, onAccent, selection;
    QColor good, goodTint, warn, warnTint, bad, badTint;
    std::array<QColor, kCurveColors> curves;
};

// Reads the token table of a theme. Broken or missing tokens fail a CHECK, since they mean a broken build.
[[nodiscard]] Theme loadTheme(ThemeName name);

// Makes the program's font families available. Call it once, before the first widget.
void installFonts();
enum class Weight { Regular, Medium, SemiBold };
[[nodiscard]] QFont interFont(double pixels, Weight weight = Weight::Regular);

// Source of the desktop's preferred theme other than its palette.
class DesktopScheme {
public:
    virtual ~DesktopScheme() = default;
    // The preferred theme; nullopt if it is not known or there is none, so that the palette decides.
    [[nodiscard]] virtual std::optional<ThemeName> wanted() const = 0;
    // Runs `call` at each change, as long as `receiver` lives.
    virtual void onChange(QObject* receiver, std::function<void()> call) = 0;
};

// The present theme of the program. UI thread.
class Look : public QObject {
    Q_OBJECT

public:
    explicit Look(ThemeName name, QObject* parent = nullptr);
    [[nodiscard]] const Theme& theme() const { return theme_; }
    // Sets the palette of the application and the style sheet of all dressed widgets.
    void apply(ThemeName name);
    // Gives the widget and its children the style sheet of this theme and of later ones. The application has no style
    // sheet: with one Qt would restyle a whole subtree each time that it gets a parent, which is most of the cost of a
    // page.
    void dress(QWidget& widget);
    // The present style sheet, for widgets that take a new theme only when they are shown.
    [[nodiscard]] const QString& styleSheet() const { return sheet_; }
    // Sets a source whose preference takes precedence over the desktop's palette. It outlives the Look.
    void setDesktop(DesktopScheme& desktop);
    // Follows changes of the desktop's theme from now on, until toggle() chooses one.
    void followSystem();
    // Switches between dark and light, and stores the choice for the next window; see chosenTheme().
    void toggle();

signals:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] ThemeName desktopsTheme() const;
    void takeSystem();

    Theme theme_;
    QString sheet_;
    std::vector<QWidget*> dressed_;
    const DesktopScheme* desktop_ = nullptr;
    bool following_ = false;
    bool asking_ = false;  // true while takeSystem() is queued
};

// Theme of the desktop's palette, independent of any Look. Light where Qt does not know it: offscreen, and without a Qt
// plug-in for the desktop. UI thread.
[[nodiscard]] ThemeName systemTheme();

// The theme that toggle() stored last for this user; nullopt if none was chosen, or the desktop's was.
[[nodiscard]] std::optional<ThemeName> chosenTheme();

}  // namespace dasgd::gui
