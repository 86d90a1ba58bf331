"""What stands in abstracts without being part of them: section words, copyright lines, notes of where to find more.

The text itself is never altered: a section word is skipped by moving a sentence's start, a boilerplate sentence is
left out of the sentences.
"""

import re

from clew.extract.corpus.document import Span

__all__ = ["is_boilerplate", "skip_section_word"]

SECTION = r"""(?:abstract|aims?|aims?\ and\ objectives?|background|background\ and\ (?:aims?|objectives?|purpose)|
    case\ (?:description|presentation|reports?)|clinical\ relevance|clinical\ significance|conclusions?|
    conclusions?\ and\ (?:implications|relevance|significance)|context|data\ (?:extraction|sources?|synthesis)|design|
    design(?:,?\ setting,?\ and|\ and)\ (?:participants|methods|setting)|discussion|evidence\ acquisition|
    evidence\ synthesis|findings|goals?|hypothesis|implications|importance|in\ conclusion|interpretation|
    interventions?|introduction|keywords?|limitations?|main\ (?:findings|methods|outcome\ measures?|results)|
    main\ outcomes?\ and\ measures?|materials?\ and\ methods?|measurements?(?:\ and\ main\ results)?|methodology|
    methods?|methods?\ and\ (?:findings|materials?|results)|objectives?|observations?|outcomes?|participants|
    patients?\ and\ methods?|patients|principal\ findings|procedures?|purpose|purpose\ of\ (?:review|the\ review)|
    rationale|recent\ findings|relevance|research\ design\ and\ methods|results?|results\ and\ discussion|setting|
    settings?\ and\ (?:design|participants)|significance|study\ design|study\ selection|subjects?|
    subjects?\ and\ methods?|summary|synopsis|unlabelled)"""
# "RESULTS: …", "Results. …", and "RESULTS We …" in capitals; "Results show" is a sentence.
SECTION_WORD = re.compile(rf"\(?{SECTION}\)?\s*(?:[:\-–—]+\s+|[:.]\s*(?=[A-Z(\[\d])|[:.]?\Z)", re.I | re.X)
CAPITALS = re.compile(rf"(?-i:(?=[A-Z]{{4}})){SECTION}\s+(?-i:(?=[A-Z][a-z]|[A-Z]\s))", re.I | re.X)
ANYWHERE = re.compile(
    r"""©|\(c\)\s*(?:19|20)\d\d|\bcopyright\b|\ball\ rights\ reserved\b|
    \bpublished\ by\ (?:elsevier|john\ wiley|wiley|springer|oxford|taylor|sage|bmj|wolters|karger|the\ american|
    the\ royal|mosby|academic\ press|cambridge)|\bcreative\ commons\b|\bCC[ -]BY\b|\bopen\ access\ article|
    \babstract\ truncated|\bsupplement(?:ary|al)\ (?:data|information|material|materials|files?|video)s?\b.{0,80}
    \b(?:available|online|found|accessed)|\b(?:graphical|video)\ abstract\b""",
    re.I | re.X,
)
AT_START = re.compile(
    r"""\W*(?:levels?\ of\ evidence|trial\ registration|clinicaltrials\.gov|prospero|NCT\d+|ISRCTN\d+|
    conflicts?\ of\ interest|(?:erratum|retraction)\ (?:in|of)|expected\ final\ online\ publication|please\ see|
    see\ the\ full)\b|\W*funding\s?[:.]|\S{0,40}\ ?\d{4};\s?\d+(?:\(\d+\))?:\s?\w?\d+""",
    re.I | re.X,
)


def skip_section_word(text: str, span: Span) -> Span:
    """The sentence without a section word at its start; empty if it is nothing else.

    >>> text = "RESULTS: Colchicine helps."
    >>> text[slice(*skip_section_word(text, (0, 26)))]
    'Colchicine helps.'
    """
    start, end = span
    sentence = text[start : min(end, start + 120)]
    found = SECTION_WORD.match(sentence) or CAPITALS.match(sentence)
    return span if found is None else (start + found.end(), end)


def is_boilerplate(sentence: str) -> bool:
    """Whether a sentence is about the article instead of its subject.

    >>> is_boilerplate("© 2020 The Authors."), is_boilerplate("Gout is painful.")
    (True, False)
    """
    if not any(letter.isalpha() for letter in sentence):
        return True
    return AT_START.match(sentence) is not None or ANYWHERE.search(sentence) is not None
