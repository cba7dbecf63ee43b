#include "gui/scaling/reports/job_form.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QVBoxLayout>

#include "gui/kit/parts/arrow_box.h"

namespace dasgd::gui {

namespace {

constexpr int kLabelWidth = 130, kEditorWidth = 260;

QString whatItDoes(JobKind kind) {
    switch (kind) {
        case JobKind::Calibrate:
            return QStringLiteral(
                "Measures T_c and its scatter, and the link, where the experiment would run: a run "
                "like any other.");
        case JobKind::Advise:
            return QStringLiteral(
                "Measures the cluster unless a calibration is given, then simulates every algorithm "
                "on it. With a target it also trains each on the virtual cluster, which takes as "
                "long as all its steps.");
        case JobKind::Scale:
            return QStringLiteral(
                "Runs the experiment and its sweep at each number of workers; what the workspace "
                "holds already is taken, not repeated.");
        case JobKind::Replay:
            return QStringLiteral(
                "Runs a recorded run again on a virtual cluster that behaves as the one it ran on, "
                "with what you change; its time is simulated.");
    }
    return {};
}

}  // namespace

JobForm::JobForm()
    : title_(makeLabel({}, "head")),
      words_(makeLabel({}, "muted")),
      problem_(makeLabel({}, "bad")),
      workers_(new QLineEdit),
      target_(new QLineEdit),
      set_(new QLineEdit),
      scaling_(new ArrowBox),
      calibration_(new ArrowBox),
      start_(makeButton(tr("Start"), true, tr("Start it  Enter"))) {
    body().addWidget(title_);
    words_->setWordWrap(true);
    body().addWidget(words_);
    workersLine_ = addLine(tr("workers"), workers_, tr("1,2,4 or 1..8 or 1,2,...,64"));
    scaling_->addItems({tr("weak: batch of each stays"), tr("strong: batch of all stays")});
    scalingLine_ = addLine(tr("scaling"), scaling_, {});
    targetLine_ = addLine(tr("target"), target_, tr("accuracy=0.97 or loss=0.1; may be left out"));
    calibrationLine_ = addLine(tr("cluster"), calibration_, {});
    setLine_ = addLine(tr("changes"), set_, tr("network.bandwidth=10Mbps cluster.workers=64; may be left out"));
    problem_->setWordWrap(true);
    problem_->hide();
    body().addWidget(problem_);
    auto* row = new QHBoxLayout;
    auto* close = makeButton(tr("Not now"), false, tr("Close the form  Escape"));
    row->addWidget(start_);
    row->addWidget(close);
    row->addStretch();
    body().addLayout(row);
    connect(start_, &QPushButton::clicked, this, [this] {
        showProblem();
        if (problemOf(request()).isEmpty()) emit startWanted();
    });
    connect(close, &QPushButton::clicked, this, &JobForm::closeWanted);
    for (QLineEdit* one : {workers_, target_, set_}) {
        one->setProperty("field", true);
        connect(one, &QLineEdit::returnPressed, start_, &QPushButton::click);
    }
}

JobForm::Line JobForm::addLine(const QString& label, QWidget* editor, const QString& hint) {
    Line line{makeLabel(label, "muted"), editor, makeElasticLabel("small")};
    line.label->setFixedWidth(kLabelWidth);
    editor->setFixedWidth(kEditorWidth);
    editor->setAccessibleName(label);
    editor->setToolTip(hint);
    line.hint->setText(hint);
    auto* row = new QHBoxLayout;
    row->addWidget(line.label);
    row->addWidget(editor);
    row->addWidget(line.hint, 1);
    body().addLayout(row);
    return line;
}

void JobForm::setShown(const Line& line, bool shown) {
    for (QWidget* one : std::initializer_list<QWidget*>{line.label, line.editor, line.hint}) one->setVisible(shown);
}

void JobForm::show(const JobRequest& request, const std::vector<std::pair<QString, QString>>& calibrations) {
    request_ = request;
    const JobKind kind = request.kind;
    title_->setText(tr("%1 of %2").arg(kindInWords(kind), request.title));
    words_->setText(whatItDoes(kind));
    setShown(workersLine_, kind == JobKind::Scale);
    setShown(scalingLine_, kind == JobKind::Scale);
    setShown(targetLine_, kind == JobKind::Scale || kind == JobKind::Advise);
    setShown(calibrationLine_, kind != JobKind::Calibrate);
    setShown(setLine_, kind == JobKind::Replay);
    workers_->setText(request.workers.isEmpty() ? QStringLiteral("1,2,4") : request.workers);
    scaling_->setCurrentIndex(request.strong ? 1 : 0);
    target_->setText(request.target);
    set_->setText(request.set.join(u' '));
    calibration_->clear();
    calibration_->addItem(kind == JobKind::Replay ? tr("as the run found it") : tr("the experiment's own"), QString());
    for (const auto& [name, path] : calibrations) calibration_->addItem(tr("calibration %1").arg(name), path);
    // A calibration that no longer exists stays in the list, so that the job is refused by its name instead of silently
    // running with another one.
    if (calibration_->findData(request.calibration) < 0)
        calibration_->addItem(tr("%1, of no report here").arg(request.calibration.section(u'/', -1)),
                              request.calibration);
    calibration_->setCurrentIndex(calibration_->findData(request.calibration));
    problem_->hide();
    start_->setText(tr("Start"));
    QWidget* first = start_;
    if (kind == JobKind::Scale) first = workers_;
    if (kind == JobKind::Replay) first = set_;
    if (kind == JobKind::Advise) first = target_;
    first->setFocus(Qt::ShortcutFocusReason);
}

JobRequest JobForm::request() const {
    JobRequest wanted = request_;
    wanted.workers = wanted.kind == JobKind::Scale ? workers_->text().trimmed() : QString();
    wanted.strong = wanted.kind == JobKind::Scale && scaling_->currentIndex() == 1;
    wanted.target = target_->isVisibleTo(this) ? target_->text().trimmed() : QString();
    wanted.calibration = wanted.kind == JobKind::Calibrate ? QString() : calibration_->currentData().toString();
    wanted.set = set_->isVisibleTo(this) ? settingsIn(set_->text()) : QStringList();
    return wanted;
}

void JobForm::showProblem() {
    const QString problem = problemOf(request());
    problem_->setText(problem);
    problem_->setVisible(!problem.isEmpty());
}

void JobForm::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        emit closeWanted();
    } else {
        Card::keyPressEvent(event);
    }
}

}  // namespace dasgd::gui
