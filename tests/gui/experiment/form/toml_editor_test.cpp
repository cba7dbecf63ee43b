#include "gui/experiment/form/toml_editor.h"

#include <gtest/gtest.h>

#include <QLineEdit>
#include <QSignalSpy>
#include <QVBoxLayout>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class TomlEditorTest : public ::testing::Test {
protected:
    TomlEditorTest() {
        editor_.resize(500, 300);
        editor_.setPlainText(QStringLiteral("a = 1\nb = 2\nc = 3\n"));
        editor_.show();
    }
    // The colour at the right end of a line, where no text is.
    QColor endOfLine(int line) {
        const QImage image = editor_.viewport()->grab().toImage();
        const int height = editor_.fontMetrics().height();
        return image.pixelColor(image.width() - 3, 6 + height * (line - 1) + height / 2);
    }
    TomlEditor editor_{testLook()};
};

TEST_F(TomlEditorTest, AnEditFromTheFormIsOneStepOfTheUndo) {
    editor_.replaceText(QStringLiteral("a = 1\nb = 25\nd = 4\nc = 3\n"));
    EXPECT_EQ(editor_.toPlainText(), QStringLiteral("a = 1\nb = 25\nd = 4\nc = 3\n"));
    editor_.undo();
    EXPECT_EQ(editor_.toPlainText(), QStringLiteral("a = 1\nb = 2\nc = 3\n"));
    editor_.redo();
    EXPECT_EQ(editor_.toPlainText(), QStringLiteral("a = 1\nb = 25\nd = 4\nc = 3\n"));
}

TEST_F(TomlEditorTest, TheSameTextIsNoEdit) {
    QSignalSpy changed(&editor_, &QPlainTextEdit::textChanged);
    editor_.replaceText(editor_.toPlainText());
    EXPECT_EQ(changed.count(), 0);
}

TEST_F(TomlEditorTest, LinesAreLitAndMarked) {
    const QColor plain = endOfLine(1);
    editor_.lightLine(1);
    editor_.markErrors({{.line = 2, .column = 5}, {.message = "of no line"}});
    EXPECT_EQ(endOfLine(1), testLook().theme().raised);
    EXPECT_EQ(endOfLine(2), testLook().theme().badTint);
    ASSERT_EQ(editor_.extraSelections().size(), 1);
    EXPECT_EQ(editor_.extraSelections()[0].cursor.selectedText(), QStringLiteral("2"));
    editor_.lightLine(0);
    editor_.markErrors({{.line = 2, .column = 5}, {.line = 3, .column = 1}});
    EXPECT_EQ(endOfLine(2), testLook().theme().badTint);
    EXPECT_EQ(endOfLine(3), testLook().theme().badTint);
    EXPECT_EQ(editor_.extraSelections().size(), 2);
    EXPECT_EQ(editor_.errorLine(), 2);
    editor_.markErrors({});
    EXPECT_EQ(endOfLine(1), plain);
    EXPECT_TRUE(editor_.extraSelections().isEmpty());
}

TEST_F(TomlEditorTest, GoesToAPlaceEvenOneBeyondTheText) {
    editor_.goTo(2, 5);
    EXPECT_EQ(editor_.cursorLine(), 2);
    EXPECT_EQ(editor_.textCursor().positionInBlock(), 4);
    editor_.goTo(3, 400);
    EXPECT_EQ(editor_.textCursor().positionInBlock(), 5);
    editor_.goTo(900, 1);
    EXPECT_EQ(editor_.cursorLine(), 3);
}

TEST(TomlEditor, TabLeavesTheText) {
    QWidget box;
    auto* editor = new TomlEditor(testLook());
    auto* next = new QLineEdit;
    auto* column = new QVBoxLayout(&box);
    column->addWidget(editor);
    column->addWidget(next);
    box.show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&box));
    editor->setFocus();
    QTest::keyClick(editor, Qt::Key_Tab);
    EXPECT_TRUE(next->hasFocus());
    EXPECT_EQ(editor->toPlainText(), QString());
}

}  // namespace
}  // namespace dasgd::gui
