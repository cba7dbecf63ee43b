#include "gui/widgets/run/log_card.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>

#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class LogCardTest : public SessionBench {};

TEST_F(LogCardTest, ShowsTheLogOfTheRankThatIsChosen) {
    LogCard card(session_);
    look();
    const QDir folder(QString::fromStdString((workspace_.path() / "runs" / id_.toStdString() / "logs").string()));
    ASSERT_TRUE(folder.mkpath(QStringLiteral(".")));
    for (const char* rank : {"0", "1"}) {
        QFile file(folder.filePath(QStringLiteral("rank-%1.log").arg(QLatin1String(rank))));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(QByteArray("this is ") + rank + "\n");
    }
    ASSERT_TRUE(eventually([&] { return card.text().contains(QStringLiteral("this is 0")); }));
    card.files().setCurrentIndex(1);
    emit card.files().textActivated(card.files().itemText(1));
    ASSERT_TRUE(eventually([&] { return card.text().contains(QStringLiteral("this is 1")); }));
}

}  // namespace
}  // namespace dasgd::gui
