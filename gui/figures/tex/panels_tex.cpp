#include <set>

#include "gui/figures/content/figure_panels.h"
#include "gui/figures/tex/latex.h"
#include "gui/figures/tex/pgf_charts.h"

namespace dasgd::gui {

namespace {

QString macro(const char* name, std::size_t panel) {
    return QLatin1Char('\\') + QLatin1String(name) + panelLetter(panel);
}

// Macro that draws a panel with its own colours and numbers; braces keep the definitions local.
QString panelMacro(const FigureContent& panel, const FigureSpec& spec, std::size_t number) {
    QString out = QStringLiteral("\\newcommand{%1}{{%\n").arg(macro("drawpanel", number));
    out += colorsOf(panel, spec);
    // Each panel has a table of its own name, since pgfplots finds columns by the table's name.
    QString picture = pictureOf(panel, spec);
    picture.replace(QStringLiteral("{\\numbers}"), u'{' + macro("numbers", number) + u'}');
    return out + picture + QStringLiteral("}}\n");
}

// Macro with the entries of the shared legend, in rows that TeX breaks.
QString legendMacro(const FigureContent& content, const FigureSpec& spec) {
    const std::vector<Curve> curves = sharedLegendOf(content, spec);
    if (curves.empty()) return QStringLiteral("\\newcommand{\\drawlegend}{}\n");
    QString out = QStringLiteral("\\newcommand{\\drawlegend}{{%\n");
    const FigureSpec& look = lookOfLegend(content, spec);
    FigureContent named;
    named.curves = curves;
    out += colorsOf(named, look);
    out += QStringLiteral("\\parbox{\\pagewidth}{\\raggedright%1\n").arg(fontCommand(spec.labelSize()));
    for (const Curve& curve : curves) {
        out += QStringLiteral("\\mbox{%1~%2}\\quad{}\n").arg(legendSample(curve, look), latexText(curve.name));
    }
    return out + QStringLiteral("}}}\n");
}

}  // namespace

QString panelsTex(const FigureContent& content, const FigureSpec& spec, const QString& stem) {
    QString out = texPreamble();
    const double panel = panelSpec(spec, 0).inchesWide();
    out += QStringLiteral(
               "\\newdimen\\pagewidth \\pagewidth=%1in\n"
               "\\newdimen\\figurewidth \\figurewidth=%2in\n"
               "\\newdimen\\axiswidth \\axiswidth=\\figurewidth\n")
               .arg(spec.inchesWide(), 0, 'f', 5)
               .arg(panel, 0, 'f', 5);
    for (std::size_t i = 0; i < content.panels.size(); ++i) {
        if (content.panels[i].hasCurves()) {
            out += QStringLiteral("\\pgfplotstableread[col sep=comma]{%1-%2-plot.csv}%3\n")
                       .arg(stem, panelLetter(i), macro("numbers", i));
        }
        out += panelMacro(content.panels[i], panelSpec(spec, i), i);
        out += QStringLiteral("\\newsavebox{%1}\n").arg(macro("panelbox", i));
    }
    out += legendMacro(content, spec);
    out += QStringLiteral(
               "\\newsavebox{\\figurebox}\n"
               "% Drawn twice: labels take what they need, the axes have the rest of the width.\n"
               "\\newcommand{\\fitpanel}[2]{\\axiswidth=\\figurewidth \\sbox{#1}{#2}%\n"
               "  \\advance\\axiswidth by \\figurewidth \\advance\\axiswidth by -\\wd#1 \\advance\\axiswidth by -1pt\n"
               "  \\sbox{#1}{#2}}\n"
               "\\newcommand{\\panelcell}[2]{\\vtop{\\hbox{%1\\textbf{(#1)}}\\vskip 3pt\n"
               "  \\hbox to\\figurewidth{\\hfil\\usebox{#2}\\hfil}}}\n"
               "\\begin{document}\n")
               .arg(fontCommand(spec.labelSize()));
    QString rows;
    const auto across = static_cast<std::size_t>(panelsAcross(spec));
    for (std::size_t i = 0; i < content.panels.size(); ++i) {
        out += QStringLiteral("\\fitpanel{%1}{%2}\n").arg(macro("panelbox", i), macro("drawpanel", i));
        if (i % across == 0) rows += QStringLiteral("\\hbox to\\pagewidth{");
        rows += QStringLiteral("\\panelcell{%1}{%2}").arg(panelLetter(i), macro("panelbox", i));
        const bool last = i % across == across - 1 || i + 1 == content.panels.size();
        rows += last ? QStringLiteral("%1}\\vskip 8pt\n")
                           .arg(QLatin1String(across > 1 && i % across != across - 1 ? "\\hfill" : ""))
                     : QStringLiteral("\\hfil\n");
    }
    return out +
           QStringLiteral("\\sbox{\\figurebox}{\\vbox{\\vskip 2pt\\hbox{\\drawlegend}\\vskip 4pt\n%1}}\n").arg(rows) +
           QStringLiteral(
               "\\hoffset=-1in \\voffset=-1in\n"
               "\\pdfpagewidth=\\pagewidth \\pdfpageheight=\\dimexpr\\ht\\figurebox+\\dp\\figurebox+1pt\\relax\n"
               "\\shipout\\vbox{\\hbox to\\pagewidth{\\hfil\\usebox{\\figurebox}\\hfil}}\n"
               "\\end{document}\n");
}

}  // namespace dasgd::gui
