#include "gui/figures/figure_fields.h"

#include <gtest/gtest.h>

#include <QJsonArray>
#include <QJsonObject>

namespace dasgd::gui {
namespace {

TEST(FigureFields, EveryKindHasTheFieldsOfItsFile) {
    const int panels = static_cast<int>(FigureKind::Panels);
    for (int kind = 0; kind <= panels; ++kind) {
        FigureSpec spec;
        spec.kind = static_cast<FigureKind>(kind);
        const QJsonObject file = jsonOf(spec);
        for (const QString& key : file.keys()) {
            // The form has an editor of its own for names, a list for panels, and no kind to choose for these.
            const bool elsewhere = key == QLatin1String("version") || key == QLatin1String("names") ||
                                   key == QLatin1String("panels") || (kind == panels && key == QLatin1String("kind"));
            if (elsewhere) continue;
            bool found = false;
            for (const FigureField& field : figureFields()) {
                found = found || (QLatin1String(field.key) == key && field.isOf(spec.kind));
            }
            EXPECT_TRUE(found) << key.toStdString() << " of " << kindWords()[kind].toStdString();
        }
    }
}

TEST(FigureFields, WhatIsNoNumberStaysAText) {
    EXPECT_EQ(typedValue(Editing::Number, QStringLiteral("2.5")), QJsonValue(2.5));
    EXPECT_EQ(typedValue(Editing::Number, QStringLiteral("wide")), QJsonValue(QStringLiteral("wide")));
    EXPECT_TRUE(typedValue(Editing::Number, QString()).isNull());
    EXPECT_EQ(typedValue(Editing::List, QStringLiteral("a, b")), (QJsonArray{"a", "b"}));
    EXPECT_EQ(textOfValue(typedValue(Editing::Range, QStringLiteral("0 – 12.5"))), QStringLiteral("0, 12.5"));
}

}  // namespace
}  // namespace dasgd::gui
