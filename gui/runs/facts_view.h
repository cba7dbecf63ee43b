// Facts of one run: origin, files and configuration; for two runs the difference of their code.
#pragma once

#include <QPlainTextEdit>
#include <vector>

#include "gui/data/feed/feed.h"
#include "gui/kit/theme/theme.h"
#include "gui/runs/model/code_between.h"
#include "gui/runs/model/facts_query.h"

class QLabel;

namespace dasgd::gui {

class FactsView : public QWidget {
    Q_OBJECT

public:
    // `program`: path of `dasgd`, which lists the differences of two commits.
    FactsView(Feed& feed, const Look& look, const QString& program, QWidget* parent = nullptr);

    // Shows these runs; nothing if they are more than FactsQuery::kMostRuns.
    void setRuns(const QStringList& runs);

private:
    void takeFacts(const std::vector<RunFacts>& facts);
    void showFacts();
    void showOne(const RunFacts& facts);
    void showCode(const storage::RunDetail& here, const storage::RunDetail& there);
    void showText(const QString& head, const QStringList& parts);

    const Look& look_;
    FactsQuery& query_;
    CodeBetween between_;
    QStringList runs_;
    std::vector<RunFacts> facts_;  // facts of runs_; empty until they arrive
    QLabel* head_;
    QLabel* words_;
    QLabel* unopened_;  // message if no program opens the folder
    QLabel* textHead_;
    QPlainTextEdit* text_;
    QString shownText_;
};

}  // namespace dasgd::gui
