#include "gui/kit/parts/card_keys.h"

#include <gtest/gtest.h>

#include <QLineEdit>
#include <QShortcut>
#include <QTest>
#include <QVBoxLayout>

#include "gui/kit/parts/parts.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

// Two cards beside each other, one with nothing to press, and one below.
class CardKeys : public ::testing::Test {
protected:
    CardKeys() {
        page_.resize(600, 400);
        left_ = place({0, 0, 280, 180}, true);
        place({0, 200, 280, 80}, false);
        right_ = place({300, 0, 280, 180}, true);
        below_ = place({0, 300, 580, 90}, true);
    }
    void show() {
        page_.show();
        page_.activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&page_));
    }
    QWidget* place(const QRect& at, bool takesFocus) {
        auto* card = new Card(&page_);
        card->setGeometry(at);
        if (!takesFocus) {
            card->body().addWidget(new QLabel(QStringLiteral("words")));
            return nullptr;
        }
        auto* first = new QLineEdit;
        card->body().addWidget(first);
        card->body().addWidget(new QLineEdit);
        return first;
    }
    QWidget page_;
    QWidget *left_ = nullptr, *right_ = nullptr, *below_ = nullptr;
};

TEST_F(CardKeys, GoRowByRowAndRoundAndBack) {
    addCardKeys(page_);
    show();
    below_->setFocus();
    for (const QWidget* next : {left_, right_, below_, left_}) {
        QTest::keyClick(&page_, Qt::Key_F6);
        EXPECT_EQ(page_.focusWidget(), next);
    }
    QTest::keyClick(&page_, Qt::Key_F6, Qt::ShiftModifier);
    EXPECT_EQ(page_.focusWidget(), below_);
}

TEST_F(CardKeys, LeaveOutCardsThatAreNotSeen) {
    addCardKeys(page_);
    show();
    right_->parentWidget()->hide();
    EXPECT_EQ(cardStops(page_), (std::vector<QWidget*>{left_, below_}));
}

TEST_F(CardKeys, LeaveAPageItsOwnOrder) {
    int own = 0;
    auto* key = new QShortcut(QKeySequence(Qt::Key_F6), &page_);
    QObject::connect(key, &QShortcut::activated, [&own] { ++own; });
    addCardKeys(page_);
    show();
    left_->setFocus();
    QTest::keyClick(&page_, Qt::Key_F6);
    EXPECT_EQ(own, 1);
    EXPECT_EQ(page_.focusWidget(), left_);
}

}  // namespace
}  // namespace dasgd::gui
