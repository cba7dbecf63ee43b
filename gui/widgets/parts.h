// The few building blocks that every page is made of.
#pragma once

#include <QAbstractScrollArea>
#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QWidget>
#include <vector>

#include "gui/models/words.h"
#include "gui/theme/theme.h"

class QHBoxLayout;
class QVBoxLayout;

namespace dasgd::gui {

inline constexpr int kGap = 12;
inline constexpr int kPadding = 16;

// `tone`: a word that resources/themes/style.qss knows: title head muted small good bad mono.
[[nodiscard]] QLabel* makeLabel(const QString& text, const char* tone = "", QWidget* parent = nullptr);
void setTone(QWidget& widget, const char* tone);
// Shows what is behind it. By the theme's sheet: with one of its own, each widget that is put into it is styled anew.
void makeClear(QAbstractScrollArea& area);
[[nodiscard]] QPushButton* makeButton(const QString& text, bool primary, const QString& help);

// A label that takes the width that is left and asks for none: a long name does not make the window wide. Where it does
// not fit it ends with an ellipsis, or has it where `cut` says.
[[nodiscard]] QLabel* makeElasticLabel(const char* tone, Qt::TextElideMode cut = Qt::ElideRight);
// A button that is a word until the pointer or the focus is on it.
[[nodiscard]] QToolButton* makeQuietButton(const QString& text, const QString& help);
// The same with a menu, which is empty.
[[nodiscard]] QToolButton* makeMenuButton(const QString& text, const QString& help);
// The head of a page: a row, and a line in words below it.
[[nodiscard]] QVBoxLayout* makePageHeader(QHBoxLayout* row, QWidget* words);

// A rounded panel with padding.
class Card : public QFrame {
    Q_OBJECT

public:
    explicit Card(QWidget* parent = nullptr);
    [[nodiscard]] QVBoxLayout& body() { return *body_; }

private:
    QVBoxLayout* body_;
};

// Stands for a page that has nothing to show: a title, and below it what to do, which can be copied.
class EmptyCard : public Card {
    Q_OBJECT

public:
    explicit EmptyCard(QWidget* parent = nullptr);
    void say(const QString& title, const QString& words);
    // Below the words.
    void addRow(QLayout* row);

private:
    QLabel *title_, *words_;
};

// Label, large number, small unit.
class KeyFigure : public Card {
    Q_OBJECT

public:
    KeyFigure(const QString& label, const QString& help, QWidget* parent = nullptr);
    void setLabel(const QString& label, const QString& help);
    void setQuantity(const Quantity& quantity, const char* tone = "");
    [[nodiscard]] QString text() const;

private:
    QLabel* label_;
    QLabel* number_;
    QLabel* unit_;
};

// The state of a run: a dot and the word on a tint.
class StatePill : public QWidget {
    Q_OBJECT

public:
    explicit StatePill(const Look& look, QWidget* parent = nullptr);
    void setState(const QString& state);
    QSize sizeHint() const override;

    // Colours of a state: ink and tint.
    [[nodiscard]] static std::pair<QColor, QColor> colorsOf(const QString& state, const Theme& theme);
    static void paint(QPainter& painter, const QRectF& rect, const QString& state, const Theme& theme,
                      const QFont& font);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Look& look_;
    QString state_;
};

// The sheet of a frame of that name that says something: its ground and edge, and the links in it.
[[nodiscard]] QString barSheet(const QString& name, const QColor& ground, const QColor& edge, const Theme& theme);

// What went wrong and the remedy, in the page, not over it. Hidden while there is nothing to say.
class MessageBar : public QFrame {
    Q_OBJECT

public:
    explicit MessageBar(const Look& look, QWidget* parent = nullptr);
    enum class Kind { Error, Note };
    void say(const QString& text, Kind kind = Kind::Error);
    void clear();
    [[nodiscard]] QString text() const;

private:
    void restyle();

    const Look& look_;
    QLabel* label_;
    Kind kind_ = Kind::Error;
};

// A quiet button that shows the present choice and opens a menu of the others: "step ▾".
class Choice : public QToolButton {
    Q_OBJECT

public:
    Choice(const QString& name, const QStringList& options, int chosen, QWidget* parent = nullptr);
    [[nodiscard]] int chosen() const { return chosen_; }
    void choose(int option);

signals:
    void changed(int option);

private:
    QStringList options_;
    int chosen_ = -1;
};

}  // namespace dasgd::gui
