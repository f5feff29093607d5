"""Formulas of a Markdown text as MathML, which browsers set by themselves.

latex2mathml gives the structure. Browsers differ in what they make of operators, fractions and alphabets, so these are
put in a form that Chromium, Firefox and WebKit set alike.
"""

import re
import unicodedata
from xml.etree import ElementTree

from latex2mathml.converter import convert

CODE_OR_FORMULA = re.compile(r"(```.*?```|`[^`\n]*`)|\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.DOTALL)
TAG = re.compile(r"\\tag\{([^}]*)\}")
MARK = re.compile(r"formula-zq(\d+)zq")
COMMAND = re.compile(r"\\(?:[A-Za-z]+|\|)")
OTHERWISE = {
    # what latex2mathml does not know, at least after \Bigl and the like
    r"\arg": r"\operatorname{arg}", r"\lfloor": "⌊", r"\rfloor": "⌋", r"\lceil": "⌈", r"\rceil": "⌉",
    r"\lVert": "‖", r"\rVert": "‖", r"\Vert": "‖", r"\|": "‖", r"\lvert": "|", r"\rvert": "|",
}  # fmt: skip
LETTERS = set("⊤‖|∇∂∞∅□")
"""Signs that take no space: as operators they would be given some, more in WebKit and Firefox than in Chromium."""
WITH_LIMITS = {"min", "max", "arg", "sup", "inf", "lim"}
ALPHABETS = {"script": "SCRIPT", "double-struck": "DOUBLE-STRUCK", "bold": "BOLD"}
SCRIPTS = {"msub", "msup", "msubsup", "munder", "mover", "munderover"}
THIN = "0.17em"
LONG = 54
"""Formulas of more characters are set smaller in print: browsers do not break them."""


def with_formulas(render, text):
    """What ``render`` makes of a Markdown text, with its formulas set: Markdown itself never sees them."""
    found = []

    def apart(match):
        if match[1]:
            return match[1]
        found.append(mathml(match[3]) if match[3] else _displayed(match[2]))
        return f"formula-zq{len(found) - 1}zq"

    shown = render(CODE_OR_FORMULA.sub(apart, text))
    shown = re.sub(r'\bid="[^"]*"', lambda name: MARK.sub("", name[0]), shown)  # of headings with a formula
    return MARK.sub(lambda mark: found[int(mark[1])], shown)


def _displayed(formula):
    tag, shown = TAG.search(formula), mathml(TAG.sub("", formula).strip(), "block")
    number = f'<span class="tag">({tag[1]})</span>' if tag else ""
    look = "formula long" if len(re.sub("<[^>]*>", "", shown)) > LONG else "formula"
    return f'<span class="{look}">{shown}{number}</span>'


def mathml(formula, display="inline"):
    """Set one formula."""
    known = COMMAND.sub(lambda match: OTHERWISE.get(match[0], match[0]), formula)
    known = re.sub(r"\\textbf\{([^}]*)\}", r"\1", known).replace("{aligned}", "{align*}")
    known = re.sub(r"\\operatorname(\{\w+)\\_(\w+\})", r"\\text\1_\2", known)
    math = ElementTree.fromstring(re.sub(' xmlns="[^"]*"', "", convert(known, display=display)))
    for element in list(math.iter()):
        _as_letter(element)
        _at_its_size(element)
        _in_alphabet(element)
        if element.tag == "mstyle" and element.get("displaystyle") == "false":  # \tfrac: see formulas.css
            element.find("mfrac").set("class", "small")
    for element in list(math.iter()):
        if display == "block" and element.tag == "msub" and element[0].text in WITH_LIMITS:
            element.tag = "munder"
        if element.tag in ("math", "mrow", "mtd"):
            _space_functions(element)
    return ElementTree.tostring(math, encoding="unicode")


def _as_letter(element):
    """Make letters of names, and of signs that take no space; and a star as it looks in formulas."""
    if element.tag == "mo" and (_is_word(element) or (element.text in LETTERS and element.get("stretchy") != "true")):
        element.tag, element.attrib = "mi", {}
    if element.text == "*":
        element.text = "∗"


def _at_its_size(element):
    """A bracket of \\big and the like: Chromium does not stretch one that carries an exponent, so it is set larger."""
    if element.tag == "mo" and "minsize" in element.attrib:
        size = float(element.get("minsize").removesuffix("em"))
        bracket = ElementTree.Element("mo", stretchy="false", lspace="0", rspace="0", style=f"font-size:{size:.2f}em")
        bracket.text, element.text = element.text, None
        element.tag, element.attrib = "mpadded", {"voffset": f"{-0.25 * (size - 1):.2f}em"}
        element.append(bracket)


def _in_alphabet(element):
    """Put the letter itself in place of a letter with a variant, which Chromium does not know."""
    alphabet = ALPHABETS.get(element.get("mathvariant"))
    if alphabet and len(element.text) == 1:
        del element.attrib["mathvariant"]
        case = "CAPITAL" if element.text.isupper() else "SMALL"
        for name in (f"MATHEMATICAL {alphabet}", alphabet):
            try:
                element.text = unicodedata.lookup(f"{name} {case} {element.text}")
            except KeyError:
                continue
            break


def _is_word(element):
    """Whether an element is the name of a function: ln, max, tr."""
    return element.tag in ("mi", "mo") and len(element.text or "") > 1 and element.text.isalpha()


def _space_functions(row):
    """Put a thin space between the name of a function and what it stands beside, but none before a bracket."""
    spaced = []
    for element in list(row):
        before = spaced[-1] if spaced else None
        if before is not None and (
            (_is_function(before) and _core(element).tag != "mo")
            or (_is_function(element) and (_core(before).tag != "mo" or _core(before).text in ")]}"))
        ) and "mspace" not in (element.tag, before.tag):
            spaced.append(ElementTree.Element("mspace", width=THIN))
        spaced.append(element)
    row[:] = spaced


def _is_function(element):
    return _is_word(_core(element))


def _core(element):
    """What carries scripts, or the element itself."""
    while element.tag in SCRIPTS and len(element):
        element = element[0]
    return element
