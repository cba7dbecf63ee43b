#include <QTextStream>
#include <map>

#include "gui/figures/tex/latex.h"

namespace dasgd::gui {

namespace {

const std::map<char32_t, const char*>& commands() {
    static const std::map<char32_t, const char*> kCommands{{U'\\', "\\textbackslash{}"},
                                                           {U'{', "\\{"},
                                                           {U'}', "\\}"},
                                                           {U'%', "\\%"},
                                                           {U'#', "\\#"},
                                                           {U'&', "\\&"},
                                                           {U'$', "{\\char36}"},
                                                           {U'_', "\\_"},
                                                           {U'~', "\\textasciitilde{}"},
                                                           {U'^', "\\textasciicircum{}"},
                                                           {U'<', "\\textless{}"},
                                                           {U'>', "\\textgreater{}"},
                                                           {U'|', "\\textbar{}"},
                                                           {U'"', "''"},
                                                           {U'`', "{`}"},
                                                           {U'-', "{-}"},
                                                           {U'±', "$\\pm$"},
                                                           {U'÷', "$\\div$"},
                                                           {U'·', "$\\cdot$"},
                                                           {U'×', "$\\times$"},
                                                           {U'≥', "$\\geq$"},
                                                           {U'≤', "$\\leq$"},
                                                           {U'⟨', "$\\langle$"},
                                                           {U'⟩', "$\\rangle$"},
                                                           {U'‖', "$\\|$"},
                                                           {U'−', "$-$"},
                                                           {U'∞', "$\\infty$"},
                                                           {U'²', "$^2$"},
                                                           {U'³', "$^3$"},
                                                           {U'⁰', "$^0$"},
                                                           {U'¹', "$^1$"},
                                                           {U'⁴', "$^4$"},
                                                           {U'⁵', "$^5$"},
                                                           {U'⁶', "$^6$"},
                                                           {U'⁷', "$^7$"},
                                                           {U'⁸', "$^8$"},
                                                           {U'⁹', "$^9$"},
                                                           {U'⁻', "$^-$"},
                                                           {U'ᵢ', "$_i$"},
                                                           {U'µ', "$\\mu$"},
                                                           {U'°', "$^\\circ$"},
                                                           {U'–', "--"},
                                                           {U'—', "---"},
                                                           {U'…', "\\ldots{}"},
                                                           {U'“', "``"},
                                                           {U'”', "''"},
                                                           {U'’', "'"},
                                                           {U'‘', "`"},
                                                           {U'\u00a0', "~"},
                                                           {U'\u2009', "\\,"},
                                                           {U'\u202f', "\\,"},
                                                           {U'α', "$\\alpha$"},
                                                           {U'β', "$\\beta$"},
                                                           {U'γ', "$\\gamma$"},
                                                           {U'δ', "$\\delta$"},
                                                           {U'ε', "$\\epsilon$"},
                                                           {U'ζ', "$\\zeta$"},
                                                           {U'η', "$\\eta$"},
                                                           {U'θ', "$\\theta$"},
                                                           {U'κ', "$\\kappa$"},
                                                           {U'λ', "$\\lambda$"},
                                                           {U'μ', "$\\mu$"},
                                                           {U'ν', "$\\nu$"},
                                                           {U'ξ', "$\\xi$"},
                                                           {U'π', "$\\pi$"},
                                                           {U'ρ', "$\\rho$"},
                                                           {U'σ', "$\\sigma$"},
                                                           {U'τ', "$\\tau$"},
                                                           {U'φ', "$\\phi$"},
                                                           {U'χ', "$\\chi$"},
                                                           {U'ψ', "$\\psi$"},
                                                           {U'ω', "$\\omega$"},
                                                           {U'Δ', "$\\Delta$"},
                                                           {U'Σ', "$\\Sigma$"},
                                                           {U'Ω', "$\\Omega$"}};
    return kCommands;
}

// True for letters of Latin-1, which every LaTeX can set.
bool isLatin1Letter(char32_t code) { return code >= 0xc0 && code <= 0xff && code != 0xd7 && code != 0xf7; }

}  // namespace

QString latexText(const QString& text) {
    QString out;
    for (const char32_t code : text.toUcs4()) {
        const auto command = commands().find(code);
        if (command != commands().end()) {
            out += QString::fromUtf8(command->second);
        } else if (code < 0x20 || code == 0x7f) {
            out += QLatin1Char(' ');
        } else if ((code == U'[' || code == U'*') && out.trimmed().isEmpty()) {
            // At the beginning of a table's row [ and * would be arguments of the \\ before them.
            out += QStringLiteral("{%1}").arg(QChar(static_cast<char16_t>(code)));
        } else if (code < 0x7f || isLatin1Letter(code)) {
            out += QString::fromUcs4(&code, 1);
        } else {
            out += QStringLiteral("U+%1").arg(static_cast<uint>(code), 4, 16, QLatin1Char('0')).toUpper();
        }
    }
    return out;
}

QString captionTex(const QString& caption) {
    return QStringLiteral("\\caption{") + latexText(caption) + QStringLiteral("}\n");
}

}  // namespace dasgd::gui
