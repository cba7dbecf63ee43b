#!/usr/bin/env python3
"""Makes the shipped fonts from Debian's fonts-inter-variable and fonts-jetbrains-mono.

Qt 6.4 cannot ask a font for a feature, so the tabular figures (tnum) are made the default ones here; the family gets
a name of its own, so that a system's Inter never stands in for it. Needs fonttools:

    make_fonts.py Inter-roman.var.ttf JetBrainsMono-Regular.ttf
"""
import sys

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

# Latin, Greek, sub- and superscripts, punctuation, arrows, mathematical signs, a few shapes.
RANGES = [(0x20, 0x7E), (0xA0, 0x17F), (0x370, 0x3FF), (0x2010, 0x2027), (0x202F, 0x205E), (0x2070, 0x209C),
          (0x20AC, 0x20AC), (0x2190, 0x21FF), (0x2200, 0x22FF), (0x2318, 0x2318), (0x21E7, 0x21E7), (0x25A0, 0x25FF)]
WEIGHTS = {"Regular": 400, "Medium": 500, "SemiBold": 600}


def tabular(font):
    """Maps each digit to its tabular glyph in the character map."""
    gsub = font["GSUB"].table
    lookups = {i for r in gsub.FeatureList.FeatureRecord if r.FeatureTag == "tnum" for i in r.Feature.LookupListIndex}
    swap = {}
    for index in sorted(lookups):
        for table in gsub.LookupList.Lookup[index].SubTable:
            table = getattr(table, "ExtSubTable", table)
            swap.update(getattr(table, "mapping", {}))
    for table in font["cmap"].tables:
        for code in list(table.cmap):
            if chr(code) in "0123456789" and table.cmap[code] in swap:
                table.cmap[code] = swap[table.cmap[code]]


def cut(font, features):
    options = subset.Options(layout_features=features, name_IDs=["*"], notdef_outline=True, hinting=False)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=[c for low, high in RANGES for c in range(low, high + 1)])
    cutter.subset(font)


def rename(font, family, style, weight):
    names = font["name"]
    for record in list(names.names):
        if record.nameID in (3, 16, 17, 21, 22, 25) or record.nameID > 255:
            names.removeNames(nameID=record.nameID)
    full = family if style == "Regular" else f"{family} {style}"
    values = {1: full, 2: "Regular", 3: f"{family} {style} tabular", 4: f"{family} {style}",
              6: f"{family}-{style}".replace(" ", ""), 16: family, 17: style}
    for key, value in values.items():
        names.setName(value, key, 3, 1, 0x409)
        names.setName(value, key, 1, 0, 0)
    font["OS/2"].usWeightClass = weight


def main(inter, mono):
    for style, weight in WEIGHTS.items():
        font = TTFont(inter)
        axes = {"wght": weight, **({"slnt": 0} if any(a.axisTag == "slnt" for a in font["fvar"].axes) else {})}
        font = instancer.instantiateVariableFont(font, axes)
        tabular(font)
        cut(font, ["kern", "mark", "mkmk", "ccmp", "locl"])
        rename(font, "Inter Lab", style, weight)
        font.save(f"InterLab-{style}.ttf")
    font = TTFont(mono)
    cut(font, ["kern", "ccmp"])
    font.save("JetBrainsMono-Regular.ttf")


if __name__ == "__main__":
    main(*sys.argv[1:])
