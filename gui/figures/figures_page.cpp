// The saved figures of a paper: their list, the chosen one as it is printed, and its form.
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>
#include <utility>

#include "gui/data/filter/filter_expression.h"
#include "gui/data/session/session.h"
#include "gui/figures/content/grey_check.h"
#include "gui/figures/export/figure_export.h"
#include "gui/figures/figure_drawing.h"
#include "gui/figures/figure_inspector.h"
#include "gui/figures/figure_list_card.h"
#include "gui/figures/figure_preview.h"
#include "gui/figures/figure_query.h"
#include "gui/figures/model/figure_library.h"
#include "gui/figures/model/figure_list_model.h"
#include "gui/figures/model/figure_runs.h"
#include "gui/figures/model/figure_templates.h"
#include "gui/kit/parts/button_key.h"
#include "gui/kit/parts/keyed_action.h"
#include "gui/kit/parts/page.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

namespace {

constexpr int kFigureFormWidth = 316;
constexpr int kRoomyFigures = 1200;  // width of the page from which the form is open by default
constexpr int kSettleMs = 250;       // pause after the last key before picture and file are written
constexpr std::array<double, 3> kZooms{1, 1.5, 2};

class FiguresPage : public QWidget {
public:
    explicit FiguresPage(PageContext& context)
        : context_(context),
          session_(context.session),
          library_(context.figures),
          query_(context.session.feed().query<FigureQuery>()),
          list_(new FigureListModel(library_, this)) {
        setObjectName(QStringLiteral("page"));
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(24, 18, 24, 16);
        column->setSpacing(kGap);
        column->addLayout(makeHeader());
        column->addWidget(message_ = new MessageBar(context.look));
        exporter_ = new FigureExport(session_, *export_, *message_, this);
        auto* row = new QHBoxLayout;
        row->setSpacing(kGap);
        row->addWidget(listCard_ = new FigureListCard(*list_, context.look));
        row->addWidget(makePreview(), 1);
        row->addWidget(formCard_ = makeForm());
        column->addLayout(row, 1);
        drawers_.setMaxThreadCount(1);
        settle_.setSingleShot(true);
        settle_.setInterval(kSettleMs);
        connectAll();
        choose({});
    }

    ~FiguresPage() override {
        flush();
        drawers_.waitForDone();
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QWidget::resizeEvent(event);
        if (const bool roomy = width() >= kRoomyFigures; roomy != std::exchange(roomy_, roomy))
            drawer_->setChecked(roomy);
        fold();
    }
    void showEvent(QShowEvent* event) override {
        QWidget::showEvent(event);
        // In an event of its own, since it makes the form, which takes time.
        if (chosen_.isEmpty()) QTimer::singleShot(0, this, [this] { chooseFirst(); });
        ask();
        library_.news().look(chosen_);
    }
    void hideEvent(QHideEvent* event) override {
        QWidget::hideEvent(event);
        flush();
        query_.show(std::nullopt);
    }

private:
    QVBoxLayout* makeHeader() {
        auto* top = new QHBoxLayout;
        top->setSpacing(9);
        title_ = makeElasticLabel("title");
        top->addWidget(title_, 1);
        drawer_ = makeQuietButton(tr("Settings"), tr("Contents of the figure, as a form  Ctrl+I"));
        drawer_->setCheckable(true);
        drawer_->setChecked(true);
        addButtonKey(QStringLiteral("Ctrl+I"), *drawer_, this);
        top->addWidget(drawer_);
        const auto action = [this, top](const QString& text, bool primary, const QString& help, const char* keys) {
            QPushButton* button = makeButton(text, primary, help);
            addButtonKey(QLatin1String(keys), *button, this);
            top->addWidget(button);
            return button;
        };
        duplicate_ = action(tr("Duplicate"), false, tr("A second figure that begins as this one  Ctrl+D"), "Ctrl+D");
        copy_ = action(tr("Copy image"), false, tr("At 300 dots an inch  Ctrl+Shift+C"), "Ctrl+Shift+C");
        export_ =
            action(tr("Export"), true, tr("Write PDF, SVG, PNG, CSV, pgfplots, table, figure.json  Ctrl+E"), "Ctrl+E");
        return makePageHeader(top, summary_ = makeElasticLabel("small"));
    }

    QWidget* makePreview() {
        auto* card = new Card;
        card->body().setContentsMargins(1, 8, 1, 1);
        auto* head = new QHBoxLayout;
        head->setContentsMargins(kPadding - 1, 0, 10, 0);
        head->addWidget(makeLabel(tr("Preview"), "head"));
        zoom_ = new Choice(tr("Size of the preview"), {tr("true size"), tr("150 %"), tr("200 %")}, 0);
        head->addWidget(zoom_);
        head->addWidget(greyWords_ = makeElasticLabel("small"), 1);
        greyWords_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        grey_ = makeQuietButton(tr("in grey"), tr("Preview in grey, as printed without colour  Ctrl+G"));
        grey_->setCheckable(true);
        addButtonKey(QStringLiteral("Ctrl+G"), *grey_, this);
        head->addWidget(grey_);
        card->body().addLayout(head);
        auto* area = new QScrollArea;
        area->setObjectName(QStringLiteral("page"));
        area->setFrameShape(QFrame::NoFrame);
        area->setWidgetResizable(true);
        area->setWidget(preview_ = new FigurePreview(context_.look));
        preview_->setObjectName(QStringLiteral("page"));
        card->body().addWidget(area, 1);
        return card;
    }

    QWidget* makeForm() {
        auto* card = new Card;
        card->setFixedWidth(kFigureFormWidth);
        card->body().setContentsMargins(kPadding, 12, 4, 8);
        auto* area = new QScrollArea;
        area->setFrameShape(QFrame::NoFrame);
        area->setWidgetResizable(true);
        area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        form_ = new FigureInspector(context_.look, library_);
        form_->setRuns(session_.runs());
        form_->setContentsMargins(0, 0, 10, 0);
        area->setWidget(form_);
        makeClear(*area);
        card->body().addWidget(area);
        return card;
    }

    void connectAll() {
        connect(&library_, &FigureLibrary::changed, this, [this] { takeLibrary(); });
        connect(&library_, &FigureLibrary::added, this, [this](const QString& name) { choose(name); });
        connect(&library_, &FigureLibrary::failed, this, [this](const QString& error) {
            wanted_.clear();
            message_->say(error);
        });
        connect(&library_, &FigureLibrary::written, this, [this] {
            if (!wanted_.isEmpty() && library_.settled()) startExport();
        });
        connect(&library_, &FigureLibrary::renamed, this, [this](const QString& from, const QString& to) {
            for (QString* name : {&chosen_, &wanted_}) {
                if (*name == from) *name = to;
            }
        });
        connect(&query_, &FigureQuery::arrived, this, [this](const ShownFigurePtr& figure) { take(figure); });
        connect(&library_.news(), &FigureNews::changed, this, [this] {
            if (isVisible()) library_.news().look(chosen_);
        });
        connect(&context_.look, &Look::changed, this, [this] { draw(); });
        connect(listCard_, &FigureListCard::chosen, this, [this](const QString& name) { choose(name); });
        connect(listCard_, &FigureListCard::newWanted, this, [this] { makeNew(); });
        connect(listCard_, &FigureListCard::templateWanted, this, [this](const QString& word) { makeFrom(word); });
        connect(listCard_, &FigureListCard::deleteWanted, this, [this] { remove(); });
        connect(form_, &FigureInspector::changed, this, [this](const FigureSpec&) { settle_.start(); });
        connect(&settle_, &QTimer::timeout, this, [this] { flush(); });
        connect(zoom_, &Choice::changed, this, [this](int option) {
            preview_->setZoom(kZooms[static_cast<std::size_t>(option)]);
            draw();
        });
        connect(grey_, &QToolButton::toggled, this, [this](bool on) {
            grey_->setText(on ? tr("✓ in grey") : tr("in grey"));
            preview_->setGrey(on);
        });
        connect(drawer_, &QToolButton::toggled, this, [this] { fold(); });
        connect(duplicate_, &QPushButton::clicked, this, [this] { duplicate(); });
        connect(copy_, &QPushButton::clicked, this, [this] { copyImage(); });
        connect(export_, &QPushButton::clicked, this, [this] { exportFigure(); });
        connect(exporter_, &FigureExport::written, listCard_, &FigureListCard::setExported);
        addKeyedAction(*this, tr("Find a figure"), {}, QKeySequence(QStringLiteral("Ctrl+F")),
                       [this] { listCard_->find(); });
        addKeyedAction(*this, tr("Bring back the deleted figure"), tr("The one that was deleted last"),
                       QKeySequence(QStringLiteral("Ctrl+Z")), [this] {
                           if (!library_.restore().isEmpty()) message_->clear();
                       });
        setFocusProxy(listCard_);
    }

    // Shows form and list. On a narrow page an open form hides the list; without a figure there is no form.
    void fold() {
        const bool form = drawer_->isChecked() && library_.find(chosen_);
        formCard_->setVisible(form);
        listCard_->setVisible(roomy_ || !form);
    }

    void chooseFirst() {
        if (!library_.find(chosen_)) choose(list_->index(0).data(FigureListModel::NameRole).toString());
    }

    void takeLibrary() {
        if (!library_.find(chosen_)) {
            chooseFirst();
        } else {
            listCard_->select(chosen_);
            showTitle();
        }
    }

    void choose(const QString& name) {
        if (!name.isEmpty() && name == chosen_) return;
        flush();
        exporter_->forget();
        chosen_ = name;
        shown_.reset();
        ++drawing_;
        page_.reset();
        const SavedFigure* figure = library_.find(name);
        const bool good = figure && figure->error.isEmpty();
        if (good) form_->show(name, figure->spec);
        form_->setEnabled(good);
        form_->setCurves({});
        fold();
        for (QPushButton* button : {duplicate_, copy_, export_}) button->setEnabled(good);
        listCard_->setDeletable(good);
        sayWhyEmpty(figure);
        listCard_->select(chosen_);
        showTitle();
        ask();
        if (isVisible()) library_.news().look(name);
    }

    void sayWhyEmpty(const SavedFigure* figure) {
        if (!figure) {
            preview_->setWords(tr("No figures yet"),
                               tr("Make figure on any page (Ctrl+Shift+E) brings what it shows here, "
                                  "as it is. New figure (Ctrl+N) begins with an experiment."));
        } else {
            preview_->setWords(figure->error.isEmpty() ? tr("Reading the runs …") : tr("This file is no figure"),
                               figure->error);
        }
    }

    void ask() {
        const SavedFigure* figure = library_.find(chosen_);
        const bool wanted = isVisible() && figure && figure->error.isEmpty();
        query_.show(wanted ? std::optional(figure->spec) : std::nullopt);
    }

    // Writes the form's state to the library and the picture at once.
    void flush() {
        form_->commit();
        settle_.stop();
        const SavedFigure* figure = library_.find(chosen_);
        if (!figure || !figure->error.isEmpty() || figure->spec == form_->spec()) return;
        library_.change(chosen_, form_->spec());
        ask();
    }

    void take(const ShownFigurePtr& figure) {
        const SavedFigure* saved = library_.find(chosen_);
        if (!saved || !(figure->spec == saved->spec)) return;
        shown_ = figure;
        form_->setCurves(namedCurves(figure->content));
        page_.reset();
        if (figure->error.isEmpty() && figure->content.nothing.isEmpty())
            page_ = layOut(figure->content, figure->spec, kPreviewBuckets);
        draw();
        showTitle();
    }

    void draw() {
        if (!shown_) return;
        if (!page_) {
            const QString why = shown_->error.isEmpty() ? shown_->content.nothing : shown_->error;
            ++drawing_;
            return preview_->setWords(tr("Nothing to draw"), why);
        }
        drawLater(drawers_, *this, *page_, preview_->pixelsPerPoint() * devicePixelRatioF(),
                  [this, size = page_->size, of = shown_, drawing = ++drawing_](const QImage& image) {
                      if (drawing == drawing_) preview_->setFigure(image, size, of->spec.venueOf(), captionOf(*of));
                  });
    }

    void showTitle() {
        const SavedFigure* figure = library_.find(chosen_);
        title_->setText(figure ? tr("Figures  /  %1").arg(library_.titleOf(chosen_)) : tr("Figures"));
        const bool drawn = figure && page_.has_value();
        sayGrey(drawn);
        copy_->setEnabled(drawn);
        export_->setEnabled(drawn && !exporter_->busy());
        if (!drawn) return summary_->setText(tr("Saved figures redraw themselves as runs are added."));
        const FigureSpec& spec = shown_->spec;
        QStringList words{tr("%1, %2 × %3 in, text %4 pt")
                              .arg(QLatin1String(spec.venueOf().title))
                              .arg(page_->size.width() / 72, 0, 'f', 2)
                              .arg(page_->heightIn(), 0, 'f', 2)
                              .arg(spec.labelSize()),
                          shown_->content.inWords()};
        words += shown_->content.notFoundInWords();
        if (const QString high = tooHighInWords(*page_); !high.isEmpty()) words << tr("⚠ ") + high;
        if (spec.runs.isEmpty()) words << tr("redraws itself when runs are added");
        summary_->setText(words.join(QStringLiteral("     ")));
    }

    void sayGrey(bool drawn) {
        const GreyCheck check = drawn ? checkGrey(shown_->content, shown_->spec) : GreyCheck{};
        const QString words = check.inWords();
        greyWords_->setText(words.isEmpty() ? words : (check.good() ? tr("✓ ") : tr("⚠ ")) + words);
        greyWords_->setToolTip(asTip(words));
    }

    void duplicate() {
        flush();
        const SavedFigure* figure = library_.find(chosen_);
        if (!figure) return;
        FigureSpec spec = figure->spec;
        if (!spec.title.isEmpty()) spec.title += tr(" (copy)");
        library_.add(spec, chosen_);
    }

    void copyImage() {
        if (page_)
            drawLater(drawers_, *this, layOut(shown_->content, shown_->spec), 300.0 / 72,
                      [](const QImage& image) { QApplication::clipboard()->setImage(image); });
    }

    void makeNew() {
        const auto& runs = session_.runs().items();
        const RunItemPtr current = session_.current();
        FigureSpec spec = figureOfExperiment(current ? current : runs.empty() ? nullptr : runs.front());
        spec.title = tr("New figure");
        library_.add(spec, tr("figure"));
    }

    // A figure of a template: of the runs on screen, which the Run page draws together; of their experiments with all
    // seeds where the template shows means.
    void makeFrom(const QString& word) {
        FigureSpec spec = figureOfTemplate(word);
        QStringList ids, experiments;
        for (const RunItemPtr& run : session_.shown()) {
            ids << run->id;
            experiments << experimentFilter(QString::fromStdString(run->row.experiment));
        }
        experiments.removeDuplicates();
        if (spec.kind == FigureKind::Panels) {
            takeRunsOfAll(spec, ids, {}, session_.runs().items());
        } else {
            spec.filter = experiments.join(QStringLiteral(" or "));
        }
        library_.add(spec, word);
    }

    void remove() {
        flush();
        const QString name = chosen_, title = library_.titleOf(name);
        const int row = list_->rowOf(name);
        chosen_.clear();
        library_.remove(name);
        message_->say(tr("%1 was deleted; Ctrl+Z brings it back.").arg(title), MessageBar::Kind::Note);
        if (list_->rowCount() > 0)
            choose(list_->index(std::min(row, list_->rowCount() - 1)).data(FigureListModel::NameRole).toString());
    }

    // Exports the chosen figure. The export reads the saved file, so it waits until that is written.
    void exportFigure() {
        flush();
        wanted_ = chosen_;
        if (library_.settled()) startExport();
    }

    void startExport() {
        const QString name = std::exchange(wanted_, {});
        exporter_->writeSaved(name, library_.pathOf(name));
    }

    PageContext& context_;
    Session& session_;
    FigureLibrary& library_;
    FigureQuery& query_;
    FigureListModel* list_;
    QLabel *title_ = nullptr, *summary_ = nullptr, *greyWords_ = nullptr;
    MessageBar* message_ = nullptr;
    FigureExport* exporter_ = nullptr;
    QPushButton *duplicate_ = nullptr, *copy_ = nullptr, *export_ = nullptr;
    QToolButton *drawer_ = nullptr, *grey_ = nullptr;
    Choice* zoom_ = nullptr;
    FigurePreview* preview_ = nullptr;
    FigureInspector* form_ = nullptr;
    FigureListCard* listCard_ = nullptr;
    QWidget* formCard_ = nullptr;
    bool roomy_ = true;
    QString chosen_;  // name of the figure on show
    QString wanted_;  // name of the figure to export as soon as its file is written
    QTimer settle_;
    ShownFigurePtr shown_;
    std::optional<PaperPage> page_;
    int drawing_ = 0;  // number of the picture requested last
    QThreadPool drawers_;
};

const PageRegistry::Add<FiguresPage> kFiguresPageEntry{
    {.order = 90,
     .title = "Figures",
     .icon = "M2.5 1.5h10a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1h-10a1 1 0 0 1-1-1v-10a1 1 0 0 1 1-1zM4 10l2.5-3 2 2 2.5-4"}};

}  // namespace

}  // namespace dasgd::gui
