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

TEST(FigureFields, RangesComeBackAsTheyWereTyped) {
    const QString text = QStringLiteral("algorithm.name dasgd, sync_sgd; step-ms 5, 20.5");
    const QJsonValue value = typedValue(Editing::Ranges, text);
    const QJsonObject object = value.toObject();
    EXPECT_EQ(object[QLatin1String("step-ms")], (QJsonArray{5, 20.5}));
    EXPECT_EQ(object[QLatin1String("algorithm.name")], (QJsonArray{"dasgd", "sync_sgd"}));
    EXPECT_EQ(textOfValue(value), text);
    EXPECT_TRUE(typedValue(Editing::Ranges, QString()).toObject().isEmpty());
    EXPECT_TRUE(typedValue(Editing::Ranges, QStringLiteral("step-ms")).isString()) << "refused as what it is";
}

TEST(FigureFields, TheBandOfParallelCoordinatesIsSaidToBeInTheTable) {
    int found = 0;
    for (const FigureField& field : figureFields()) {
        if (QLatin1String(field.key) != QLatin1String("band") || !field.isOf(FigureKind::Parallel)) continue;
        ++found;
        EXPECT_TRUE(QLatin1String(field.help).contains(QLatin1String("only in the table"))) << field.help;
    }
    EXPECT_EQ(found, 1);
}

TEST(FigureFields, WordsThatAreBrushedSurviveTheForm) {
    QJsonObject brushes;
    brushes[QLatin1String("a.b")] = QJsonArray{"1", "dasgd", "two, three", "[1; 2]", R"(say "x\y")", "", " x "};
    brushes[QLatin1String("step-ms")] = QJsonArray{5, 20.5};
    const QString text = textOfValue(brushes);
    EXPECT_TRUE(text.startsWith(QStringLiteral("a.b \"1\", dasgd, \"two, three\", \"[1; 2]\", ")))
        << text.toStdString();
    EXPECT_TRUE(text.endsWith(QStringLiteral("; step-ms 5, 20.5"))) << text.toStdString();
    EXPECT_TRUE(typedValue(Editing::Ranges, text).toObject() == brushes) << text.toStdString();
    EXPECT_TRUE(typedValue(Editing::Ranges, QStringLiteral("a.b \"1")).isString()) << "the quote is open";
    EXPECT_TRUE(typedValue(Editing::Ranges, QStringLiteral("a.b \"1\" 2")).isString());
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
