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

#include "gui/models/runs/style_book.h"

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

// Broken or missing tokens are a broken build: CHECKed.
[[nodiscard]] Theme loadTheme(ThemeName name);

// Families are there after installFonts(); once a program, before the first widget.
void installFonts();
enum class Weight { Regular, Medium, SemiBold };
[[nodiscard]] QFont interFont(double pixels, Weight weight = Weight::Regular);

// Who knows what the desktop wants, beside its palette.
class DesktopScheme {
public:
    virtual ~DesktopScheme() = default;
    // nullopt: not known, or none is preferred: the palette tells.
    [[nodiscard]] virtual std::optional<ThemeName> wanted() const = 0;
    // `call` as long as `receiver` lives.
    virtual void onChange(QObject* receiver, std::function<void()> call) = 0;
};

// The present theme of the program. UI thread.
class Look : public QObject {
    Q_OBJECT

public:
    explicit Look(ThemeName name, QObject* parent = nullptr);
    [[nodiscard]] const Theme& theme() const { return theme_; }
    // Sets the palette of the application, and the style sheet of what is dressed.
    void apply(ThemeName name);
    // Gives the widget, and what is in it, the style sheet, this one and those of later themes. Not the application:
    // then Qt resolves the style of a whole subtree anew each time that it gets a parent, which is most of what making
    // a page costs.
    void dress(QWidget& widget);
    // For what is hidden when the theme changes and may take the new one when it is shown.
    [[nodiscard]] const QString& styleSheet() const { return sheet_; }
    // What it wants goes before the desktop's palette. It outlives this.
    void setDesktop(DesktopScheme& desktop);
    // From now on the theme is that of the desktop, also when that changes, until toggle() chooses one.
    void followSystem();
    // The choice is kept for the next window, see chosenTheme().
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
    bool asking_ = false;  // the desktop is asked, or about to be
};

// Whether the desktop's palette is dark, whatever a Look has set. Light where the platform's Qt plug-in does not tell:
// without one for the desktop, and offscreen. UI thread.
[[nodiscard]] ThemeName systemTheme();

// What toggle() chose last in any window of this user; nullopt where nobody chose, or chose the desktop's.
[[nodiscard]] std::optional<ThemeName> chosenTheme();

}  // namespace dasgd::gui
