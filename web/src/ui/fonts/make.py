"""Makes the fonts of the page: subsets of three free families, and fonts.css.

Run it when the Korean words have a syllable that the font has not (a test says so):

    npm pack inter-ui@4.1.1 @fontsource-variable/jetbrains-mono@5.3.0 pretendard@1.3.9
    for f in *.tgz; do mkdir "${f%.tgz}" && tar xzf "$f" -C "${f%.tgz}"; done
    pip install fonttools==4.68.0 brotli==1.2.1
    python web/src/ui/fonts/make.py .

The weights are limited to the three that are used (400 to 600). The Korean family is two
files: the syllables of the product's own words, and the rest of the 2,350 common ones,
which is loaded only where a person's text needs it. Other syllables come from the system.
"""

import pathlib
import sys

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

here = pathlib.Path(__file__).parent
source = here.parent.parent
packages = pathlib.Path(sys.argv[1])

punctuation = [0x2013, 0x2014, 0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E, 0x2022, 0x2026, 0x2039, 0x203A]
arrows = [0x2190, 0x2191, 0x2192, 0x2193, 0x2212]
keys = [0x2303, 0x2318, 0x21E7, 0x2325, 0x23CE]
letters = [
    *range(0x20, 0x7F),
    *range(0xA0, 0x100),
    0x131,
    0x152,
    0x153,
    0x20AC,
    0x2122,
    0x2032,
    0x2033,
    *punctuation,
    *arrows,
    *keys,
]
ascii_letters = [*range(0x20, 0x7F), 0xA0, 0xB7, 0xD7, *punctuation, *arrows]


def hangul(text: str) -> set[str]:
    return {c for c in text if "가" <= c <= "힣"}


def common() -> set[str]:
    """The syllables of KS X 1001."""
    pairs = (bytes([a, b]) for a in range(0xB0, 0xC9) for b in range(0xA1, 0xFF))
    return hangul("".join(pair.decode("euc-kr", "ignore") for pair in pairs))


def make(path: str, name: str, codes: list[int], features: list[str]) -> None:
    font = TTFont(packages / path, recalcTimestamp=False)  # the same each time
    options = subset.Options(layout_features=features, hinting=False, name_IDs=["*"], notdef_outline=True)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=codes)
    subsetter.subset(font)
    limits = {axis.axisTag: (400, 600) if axis.axisTag == "wght" else axis.defaultValue for axis in font["fvar"].axes}
    font = instancer.instantiateVariableFont(font, limits)
    for record in font["name"].names:  # a changed font may not keep a reserved name
        if record.nameID in (1, 3, 4, 6, 16, 25):
            record.string = record.toUnicode().replace("Pretendard", "ClewKorean")
    font.flavor = "woff2"
    font.save(here / name)
    print(f"{name}: {(here / name).stat().st_size / 1024:.1f} KiB, {len(codes)} characters")


def ranges(codes: list[int]) -> str:
    runs: list[list[int]] = []
    for code in sorted(codes):
        if runs and runs[-1][1] == code - 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return ", ".join(f"U+{a:X}" if a == b else f"U+{a:X}-{b:X}" for a, b in runs)


def face(family: str, name: str, codes: str) -> str:
    return (
        f'@font-face {{\n  font-family: "{family}";\n  src: url("./{name}") format("woff2");\n'
        f"  font-weight: 400 600;\n  font-display: swap;\n  unicode-range: {codes};\n}}\n"
    )


words = hangul("".join(p.read_text() for p in sorted(source.rglob("*words.ts"))))
korean = "pretendard-1.3.9/package/dist/public/variable/PretendardVariable.ttf"
make(
    "inter-ui-4.1.1/package/variable/InterVariable.woff2",
    "inter.woff2",
    letters,
    ["calt", "ccmp", "kern", "locl", "mark", "tnum", "cv11", "ss03"],
)
make(
    "fontsource-variable-jetbrains-mono-5.3.0/package/files/jetbrains-mono-latin-wght-normal.woff2",
    "mono.woff2",
    ascii_letters,
    ["ccmp", "kern", "mark"],
)
make(korean, "korean.woff2", [ord(c) for c in words], ["ccmp", "kern"])
make(korean, "korean-more.woff2", [ord(c) for c in common() - words], ["ccmp", "kern"])

(here / "fonts.css").write_text(
    "/* Made by make.py: see there. Of two faces that could draw a letter the later one does, and only that one is loaded. */\n"
    + face("Inter", "inter.woff2", ranges(letters))
    + face("JetBrains Mono", "mono.woff2", ranges(ascii_letters))
    + face("Clew Korean", "korean-more.woff2", "U+AC00-D7A3")
    + face("Clew Korean", "korean.woff2", ranges([ord(c) for c in words]))
)
