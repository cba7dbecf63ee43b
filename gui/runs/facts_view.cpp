#include "gui/runs/facts_view.h"

#include <QDesktopServices>
#include <QLabel>
#include <QUrl>
#include <QVBoxLayout>
#include <utility>

#include "gui/kit/parts/parts.h"
#include "gui/runs/diff_highlighter.h"
#include "gui/runs/model/run_difference.h"
#include "gui/runs/model/run_origin.h"

namespace dasgd::gui {

namespace {

// A row of an HTML table. `value` is HTML, `name` plain text.
QString lineOf(const QString& name, const QString& value) {
    return QStringLiteral("<tr><td style='padding-right:12px'>%1</td><td>%2</td></tr>")
        .arg(name.toHtmlEscaped(), value);
}

QString linesOf(const std::vector<std::pair<QString, QString>>& lines) {
    QString html;
    for (const auto& [name, value] : lines) html += lineOf(name, value.toHtmlEscaped());
    return html;
}

}  // namespace

FactsView::FactsView(Feed& feed, const Look& look, const QString& program, QWidget* parent)
    : QWidget(parent),
      look_(look),
      query_(feed.query<FactsQuery>()),
      between_(program, feed.workspace()),
      head_(makeLabel({}, "head")),
      words_(makeLabel({})),
      unopened_(makeLabel({}, "bad")),
      textHead_(makeLabel({}, "head")),
      text_(new QPlainTextEdit) {
    words_->setTextFormat(Qt::RichText);
    words_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    words_->setWordWrap(true);
    unopened_->setWordWrap(true);
    unopened_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    connect(words_, &QLabel::linkActivated, this, [this](const QString& link) {
        const bool opened = QDesktopServices::openUrl(QUrl(link));
        unopened_->setText(tr("No program of this desktop opens folders. It is at %1").arg(QUrl(link).toLocalFile()));
        unopened_->setVisible(!opened);
    });
    text_->setReadOnly(true);
    text_->setFrameShape(QFrame::NoFrame);
    text_->setLineWrapMode(QPlainTextEdit::NoWrap);
    text_->setTabChangesFocus(true);
    text_->setAccessibleName(tr("Configuration or changes of the code"));
    text_->setStyleSheet(QStringLiteral("background: transparent; font-family: \"JetBrains Mono\"; font-size: 12px;"));
    text_->setMinimumHeight(180);
    new DiffHighlighter(look_, text_->document());
    auto* column = padded(new QVBoxLayout(this), {0, 0, 0, 0});
    column->addWidget(head_);
    column->addWidget(words_);
    column->addWidget(unopened_);
    column->addWidget(textHead_);
    column->addWidget(text_, 1000);
    // The stretch takes the room of a hidden text.
    column->addStretch(1);
    connect(&query_, &FactsQuery::arrived, this, &FactsView::takeFacts);
    connect(&between_, &CodeBetween::answered, this, &FactsView::showFacts);
    setRuns({});
}

void FactsView::setRuns(const QStringList& runs) {
    runs_ = runs.size() <= FactsQuery::kMostRuns ? runs : QStringList();
    facts_.clear();
    between_.forget();
    for (QLabel* label : {head_, words_, unopened_, textHead_}) label->hide();
    text_->hide();
    query_.want(runs_);
}

void FactsView::takeFacts(const std::vector<RunFacts>& facts) {
    QStringList arrived;
    for (const RunFacts& one : facts) arrived << QString::fromStdString(one.detail.row.runId);
    if (arrived.isEmpty() || arrived != runs_) return;
    facts_ = facts;
    showFacts();
}

void FactsView::showFacts() {
    if (facts_.empty()) return;
    if (facts_.size() == 1) {
        showOne(facts_.front());
    } else {
        // The diff goes from the earlier run to the later one, whatever the order of the list.
        const storage::RunDetail *first = &facts_[0].detail, *last = &facts_[1].detail;
        if (last->row.startedAt < first->row.startedAt) std::swap(first, last);
        showCode(*first, *last);
    }
    head_->show();
    words_->show();
}

void FactsView::showOne(const RunFacts& facts) {
    head_->setText(tr("Where it comes from"));
    QString lines = linesOf(originOf(facts.detail));
    if (!facts.files.folder.isEmpty()) {
        const QString url = QUrl::fromLocalFile(facts.files.folder).toString(QUrl::FullyEncoded);
        const QString link = QStringLiteral("<a href=\"%1\" style='color:%2'>%3</a>")
                                 .arg(url.toHtmlEscaped(), look_.theme().accent.name(), tr("open").toHtmlEscaped());
        lines += QStringLiteral(
                     "<tr><td colspan='2' style='padding-top:10px; padding-bottom:4px; font-weight:600'>%1"
                     "</td></tr>")
                     .arg(tr("Files").toHtmlEscaped()) +
                 linesOf(facts.files.lines) + lineOf(tr("folder"), link);
    }
    words_->setText(QStringLiteral("<table>") + lines + QStringLiteral("</table>"));
    const storage::RunDetail& detail = facts.detail;
    QStringList parts{QString::fromStdString(detail.row.config)};
    if (!detail.gitDirtyDiff.empty()) {
        parts << tr("# uncommitted changes of the code") << QString::fromStdString(detail.gitDirtyDiff);
    }
    showText(parts.size() > 1 ? tr("Configuration and uncommitted changes") : tr("Configuration"), parts);
}

void FactsView::showCode(const storage::RunDetail& here, const storage::RunDetail& there) {
    const CodeDifference code = codeDifferenceOf(here, there);
    head_->setText(tr("Code"));
    QString words = code.words.toHtmlEscaped();
    QStringList parts;
    if (!code.command.isEmpty()) {
        const QString from = QString::fromStdString(here.row.runId), to = QString::fromStdString(there.row.runId);
        between_.ask(from, to);
        const std::optional<CodeDiff>& answer = between_.answer();
        if (!answer) {
            parts << QStringLiteral("# ") + code.command << QStringLiteral("…");
        } else if (!answer->unknown.isEmpty()) {
            words += QStringLiteral("<br>") + answer->unknown.toHtmlEscaped();
            parts << tr("# from a repository that has both commits:")
                  << QStringLiteral("dasgd diff %1 %2 --repository FOLDER").arg(from, to);
        } else {
            parts << QStringLiteral("# ") + code.command
                  << (answer->diff.isEmpty() ? tr("# no file differs") : answer->diff);
        }
    }
    words_->setText(words);
    const auto add = [&parts](const storage::RunDetail& run, const QString& changes) {
        if (changes.isEmpty()) return;
        parts << tr("# uncommitted in %1").arg(QString::fromStdString(run.row.runId)) << changes;
    };
    add(here, code.uncommittedHere);
    add(there, code.uncommittedThere);
    showText(tr("Changes"), parts);
}

void FactsView::showText(const QString& head, const QStringList& parts) {
    textHead_->setText(head);
    textHead_->setVisible(!parts.isEmpty());
    text_->setVisible(!parts.isEmpty());
    const QString text = parts.join(QStringLiteral("\n\n"));
    // Compared with the text as set, since the widget's own text may have other characters.
    if (std::exchange(shownText_, text) != text) text_->setPlainText(text);
}

}  // namespace dasgd::gui
