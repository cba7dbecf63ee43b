#include "gui/scaling/reports/report_view.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextList>
#include <QTextTable>
#include <QVBoxLayout>

namespace dasgd::gui {

namespace {

constexpr qint64 kAgainMs = 800;
constexpr int kCellPadding = 5, kBetweenBlocks = 8, kBetweenItems = 3, kCodeIndent = 14;

// Rules between the cells, and heads that stand as their columns do.
void dressTable(QTextTable& table, const Theme& theme) {
    QTextTableFormat format = table.format();
    format.setBorderCollapse(true);
    format.setBorder(1);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBorderBrush(theme.grid);
    format.setCellSpacing(0);
    format.setCellPadding(kCellPadding);
    format.setTopMargin(kBetweenItems);
    format.setBottomMargin(kBetweenBlocks);
    table.setFormat(format);
    for (int column = 0; table.rows() > 1 && column < table.columns(); ++column) {
        QTextBlockFormat block;
        block.setAlignment(table.cellAt(1, column).firstCursorPosition().blockFormat().alignment());
        table.cellAt(0, column).firstCursorPosition().mergeBlockFormat(block);
    }
}

// Room between blocks, and code in the typeface of the editor.
void dressBlock(const QTextBlock& block, const Theme& theme) {
    QTextCursor cursor(block);
    if (cursor.currentTable()) return;
    QTextBlockFormat format;
    if (block.blockFormat().hasProperty(QTextFormat::BlockCodeFence)) {
        QTextCharFormat code;
        code.setFontFamilies({QStringLiteral("JetBrains Mono")});
        code.setForeground(theme.text);
        cursor.select(QTextCursor::BlockUnderCursor);
        cursor.mergeCharFormat(code);
        format.setLeftMargin(kCodeIndent);
        const bool isLast = !block.next().blockFormat().hasProperty(QTextFormat::BlockCodeFence);
        format.setBottomMargin(isLast ? kBetweenBlocks : 0);
    } else {
        format.setBottomMargin(block.textList() && block.next().textList() ? kBetweenItems : kBetweenBlocks);
    }
    QTextCursor(block).mergeBlockFormat(format);
}

void dress(QTextDocument& document, const Theme& theme) {
    for (QTextFrame* frame : document.rootFrame()->childFrames()) {
        if (auto* table = qobject_cast<QTextTable*>(frame)) dressTable(*table, theme);
    }
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) dressBlock(block, theme);
}

}  // namespace

ReportView::ReportView(const Look& look)
    : look_(look),
      title_(makeElasticLabel("title")),
      state_(makeLabel({}, "muted")),
      origin_(makeLabel({}, "small")),
      message_(new MessageBar(look)),
      progress_(new QProgressBar),
      card_(new Card),
      text_(new QTextBrowser) {
    auto* column = padded(spaced(new QVBoxLayout(this), kGap), {0, 0, 0, 0});
    auto* head = spaced(new QHBoxLayout, 9);
    head->addWidget(title_, 1);
    makeActions(*head);
    column->addLayout(head);
    for (QLabel* label : {state_, origin_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setFixedHeight(6);
    for (QWidget* one : std::initializer_list<QWidget*>{message_, state_, progress_}) column->addWidget(one);
    text_->setFrameShape(QFrame::NoFrame);
    text_->setOpenLinks(false);
    text_->setAccessibleName(tr("Report"));
    makeClear(*text_);
    card_->body().addWidget(text_);
    column->addWidget(card_, 1);
    column->addWidget(origin_);
    column->addStretch();
    connect(text_, &QTextBrowser::anchorClicked, this, [this](const QUrl& run) { emit runWanted(run.toString()); });
    // The text contains the theme's colours, so it is made anew for a new theme.
    connect(&look_, &Look::changed, this, &ReportView::showText);
}

void ReportView::makeActions(QHBoxLayout& row) {
    stop_ =
        makeButton(tr("Cancel"), false, tr("The present run ends at one step of all ranks; what is recorded stays"));
    prefer_ = makeButton(tr("Use for forecast"), false,
                         tr("The forecast of the same step takes this calibration before newer ones"));
    prefer_->setCheckable(true);
    take_ = makeButton(tr("Set in experiment"), true, tr("Write the advised [algorithm] into the experiment"));
    again_ = makeButton(tr("Again …"), false, tr("The same with other options"));
    scaling_ = makeButton(tr("Draw scaling"), true, tr("Draw these runs over the number of workers"));
    // The second press of a double click is ignored: another button may stand there by then.
    connect(stop_, &QPushButton::clicked, this, [this] {
        if (stopped_.isValid() && !stopped_.hasExpired(kAgainMs)) return;
        stopped_.start();
        emit stopWanted(name_);
    });
    connect(prefer_, &QPushButton::clicked, this, [this](bool on) { emit preferWanted(name_, on); });
    connect(take_, &QPushButton::clicked, this, [this] { emit settingsWanted(advisedSetting(markdown_)); });
    connect(again_, &QPushButton::clicked, this, [this] { emit againWanted(name_); });
    connect(scaling_, &QPushButton::clicked, this, &ReportView::scalingWanted);
    for (QPushButton* one : {stop_, again_, prefer_, scaling_, take_}) row.addWidget(one);
}

void ReportView::show(const Report& report, bool preferred) {
    if (report.name != name_) stopped_.invalidate();
    showState(report);
    prefer_->setChecked(preferred);
    prefer_->setText(preferred ? tr("✓ Used for forecast") : tr("Use for forecast"));
    title_->setText(headingOf(report));
    showOrigin(report);
    // Progress arrives several times a second; a text that is being read stays where it was scrolled to.
    if (report.name == std::exchange(name_, report.name) && report.markdown == markdown_) return;
    markdown_ = report.markdown;
    showText();
}

void ReportView::showState(const Report& report) {
    const bool running = report.state == ReportState::Running, failed = report.state == ReportState::Failed;
    const bool finished = report.state == ReportState::Finished;
    stop_->setVisible(running);
    stop_->setText(report.stopping ? tr("End at once") : tr("Cancel"));
    again_->setVisible(!running);
    prefer_->setVisible(finished && report.asked.kind == JobKind::Calibrate);
    scaling_->setVisible(finished && report.asked.kind == JobKind::Scale);
    take_->setVisible(!advisedSetting(report.markdown).isEmpty());
    progress_->setVisible(running);
    progress_->setValue(static_cast<int>(1000 * report.progress.share()));
    progress_->setAccessibleName(report.progress.inWords());
    QString words;
    if (running) words = report.stopping ? tr("stopping … ") + report.progress.inWords() : report.progress.inWords();
    if (running) words += tr("\nIt goes on when this window is closed.");
    if (report.state == ReportState::Stopped) words = tr("Stopped. What its runs recorded is kept.");
    state_->setText(words);
    state_->setVisible(!words.isEmpty());
    if (failed && message_->text() != report.error) message_->say(report.error);
    if (!failed) message_->clear();
}

void ReportView::showText() {
    card_->setVisible(!markdown_.trimmed().isEmpty());
    QPalette palette = text_->palette();
    palette.setColor(QPalette::Link, look_.theme().accent);
    text_->setPalette(palette);
    const QTextDocument::MarkdownFeatures features = QTextDocument::MarkdownDialectGitHub;
    text_->document()->setMarkdown(withRunLinks(markdown_), features | QTextDocument::MarkdownNoHTML);
    dress(*text_->document(), look_.theme());
    text_->moveCursor(QTextCursor::Start);
}

void ReportView::showOrigin(const Report& report) {
    QStringList parts;
    const QString options = optionsInWords(report.asked);
    if (!options.isEmpty()) parts << options;
    parts << tr("started %1").arg(report.started.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm")));
    if (report.ended.isValid()) {
        parts << tr("took %1").arg(clockText(static_cast<double>(report.started.msecsTo(report.ended)) / 1e3));
    }
    if (!report.version.isEmpty()) parts << tr("dasgd %1, %2").arg(report.version, report.program);
    parts << tr("kept as reports/%1.json").arg(report.name);
    origin_->setText(parts.join(QStringLiteral(" · ")));
}

}  // namespace dasgd::gui
