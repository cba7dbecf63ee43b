// Functions of ChartCard for the mean over the seeds of the current run's configuration.
#include "gui/run/chart/chart_card.h"

namespace dasgd::gui {

QStringList ChartCard::familyRuns() const {
    QStringList ids;
    for (const RunItemPtr& run : family_ ? family_->runs : std::vector<RunItemPtr>()) ids << run->id;
    return ids;
}

// Looks for siblings only after runs have changed, not at every redraw, since there may be thousands of runs.
void ChartCard::wantSiblings() {
    const RunItemPtr run = session_.current();
    if (std::exchange(familyStale_, false)) {
        const auto style = [this](const RunItem& one) { return session_.styleOf(one); };
        family_ = run ? siblingsOf(*run, session_.runs().items(), style) : std::nullopt;
        if (family_) {
            seeds_->setToolTip(tr("Mean of the %1 finished seeds of this configuration, behind the run's own line")
                                   .arg(family_->finished()));
        }
    }
    seeds_->setVisible(family_.has_value() && !drawsSpans());
    const bool wanted = drawsMean();
    const CompareCurveKey key{picker_->metric(), xAxis()};
    siblings_.want(this, wanted ? std::optional(SiblingsQuery::Want{*family_, key}) : std::nullopt);
    seedWords_->setVisible(wanted);
}

void ChartCard::addMean(std::vector<Curve>& curves) {
    const auto made = siblings_.curveOf(this);
    if (!made || !family_) return;
    const bool interval = seeds_->chosen() == 2;
    Curve mean = dasgd::gui::curveOf(*family_, *made, interval ? Spread::Interval95 : Spread::Std);
    const QString n = made->mean.fewest() == made->mean.most()
                          ? QString::number(made->mean.most())
                          : tr("%1 to %2").arg(made->mean.fewest()).arg(made->mean.most());
    if (made->mean.nothingShared()) return seedWords_->setText(made->note);
    mean.name = made->mean.most() == 2 ? tr("mean and range of 2 seeds")
                : interval             ? tr("mean of %1 seeds, 95 %").arg(n)
                                       : tr("mean of %1 seeds ± std").arg(n);
    // The mean has the colour of its configuration and a dash of its own.
    mean.style.dash = (mean.style.dash + 2) % kCurveColors;
    QStringList words{mean.name};
    if (smoothing_->chosen() > 0) words << tr("not smoothed");
    if (!made->note.isEmpty()) words << made->note;
    const QStringList out = leftOut({*family_}, Members::Finished);
    if (!out.isEmpty()) words << tr("left out: %1").arg(out.join(QStringLiteral("; ")));
    seedWords_->setText(words.join(QStringLiteral("; ")));
    seedWords_->setToolTip(asTip(words.join(u'\n')));
    if (!mean.line.x.empty()) curves.insert(curves.begin(), std::move(mean));
}

}  // namespace dasgd::gui
