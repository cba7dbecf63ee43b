// Building blocks that every page uses.
#pragma once

#include <QAbstractScrollArea>
#include <QFrame>
#include <QLabel>
#include <QMargins>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <QWidget>
#include <functional>
#include <vector>

#include "gui/kit/theme/theme.h"
#include "gui/kit/words/words.h"

class QHBoxLayout;
class QScrollArea;
class QVBoxLayout;

namespace dasgd::gui {

inline constexpr int kGap = 12;
inline constexpr int kPadding = 16;

// A label of plain text. `tone`: a style of resources/themes/style.qss: title head muted small good bad mono.
[[nodiscard]] QLabel* makeLabel(const QString& text, const char* tone = "", QWidget* parent = nullptr);
void setTone(QWidget& widget, const char* tone);
// Makes a scroll area transparent, by the theme's style sheet: with one of its own, the area would make Qt restyle each
// widget put into it.
void makeClear(QAbstractScrollArea& area);
[[nodiscard]] QPushButton* makeButton(const QString& text, bool primary, const QString& help);

// A label that takes the remaining width and requires none, so that a long name does not widen the window. Text that
// does not fit is cut with an ellipsis, at its end or where `cut` says.
[[nodiscard]] QLabel* makeElasticLabel(const char* tone, Qt::TextElideMode cut = Qt::ElideRight);
// A button that looks like plain text until the pointer or the focus is on it.
[[nodiscard]] QToolButton* makeQuietButton(const QString& text, const QString& help);
// A quiet button with an empty menu.
[[nodiscard]] QToolButton* makeMenuButton(const QString& text, const QString& help);
// The same layout, with this spacing between its items, or with these margins: left, top, right, bottom.
template <class Layout>
Layout* spaced(Layout* layout, int spacing) {
    layout->setSpacing(spacing);
    return layout;
}
template <class Layout>
Layout* padded(Layout* layout, const QMargins& margins) {
    layout->setContentsMargins(margins);
    return layout;
}
// Scroll area of a part of a page, on the page's ground. It takes no focus.
[[nodiscard]] QScrollArea* makePageArea(QWidget* inner);
// The head of a page: a row, and `words` below it.
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

// Card in place of an empty page: a title, and below it instructions that can be copied.
class EmptyCard : public Card {
    Q_OBJECT

public:
    explicit EmptyCard(QWidget* parent = nullptr);
    void say(const QString& title, const QString& words);
    // Adds a row below the words.
    void addRow(QLayout* row);

private:
    QLabel *title_, *words_;
};

// A key figure: label, large number, small unit.
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

// Label of a run's state: a dot and the word on a tinted ground.
class StatePill : public QWidget {
    Q_OBJECT

public:
    explicit StatePill(const Look& look, QWidget* parent = nullptr);
    void setState(const QString& state);
    QSize sizeHint() const override;

    // Colours of a state: text and ground.
    [[nodiscard]] static std::pair<QColor, QColor> colorsOf(const QString& state, const Theme& theme);
    static void paint(QPainter& painter, const QRectF& rect, const QString& state, const Theme& theme,
                      const QFont& font);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Look& look_;
    QString state_;
};

// Style sheet for a message frame with object name `name`: its background, its edge, and the links in it.
[[nodiscard]] QString barSheet(const QString& name, const QColor& ground, const QColor& edge, const Theme& theme);

// Bar in the page, not over it, with an error and its remedy, with a note, or with a question. Hidden while empty. A
// note leaves by itself; an error or a question stays until it is dismissed, or until what it is about ends: then the
// page clears it.
class MessageBar : public QFrame {
    Q_OBJECT

public:
    explicit MessageBar(const Look& look, QWidget* parent = nullptr);
    enum class Kind { Error, Note };
    void say(const QString& text, Kind kind = Kind::Error);
    // Asks before something that nothing takes back; a button with the words `verb` carries it out.
    void ask(const QString& question, const QString& verb, std::function<void()> carryOut);
    void clear();
    [[nodiscard]] QString text() const;

    static constexpr int kNoteMs = 12'000;

private:
    void restyle();

    const Look& look_;
    QLabel* label_;
    QPushButton* act_;
    std::function<void()> carryOut_;
    QTimer expiry_;
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
