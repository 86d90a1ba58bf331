"""Whether a sentence states the relation of two names in it, denies it, only asks, plans or guesses it, or only names
the second as the setting of something else (`given.py`).

A cue counts up to the end of the later name, and negation also right behind it: "aspirin relieved pain, which statins
did not" states the first and denies the second. A headline without a verb that announces a comparison or the effects of
something states no result.
"""

import re
from pathlib import Path

from clew.extract.facts.given import is_only_given, is_only_of_cells
from clew.link.context import Rules, mark

__all__ = ["DENIED", "GIVEN", "MARKS", "SPECULATIVE", "STATED", "status_of"]

STATED, GIVEN, DENIED, SPECULATIVE = "stated", "given", "denied", "speculative"
MARKS = (DENIED, SPECULATIVE, GIVEN)
TREATS = "treats"
SETTINGS = {TREATS: is_only_given, "associated_with": is_only_of_cells}  # of a disease, by relation
JOINED = re.compile(r"[-\s]*(?:induced|associated|related|mediated|evoked|provoked)\s*")
DENIED_AFTER = re.compile(
    r"\s(?:did|does|do|had|has|have|was|were|made|carried|brought|showed|presented|exhibited|displayed|revealed)"
    r"\s(?:\w+\s){0,2}(?:no|not)\b(?! only| always)"
    r"|(?:(?!\band\b)[^,;:.]){0,30}\b(?:unchanged|unaffected|awaited)\b"
    r"|(?:(?!\b(?:but|whereas|while|although)\b)[^;.]){0,80}"
    r"\b(?:without|no|of little)(?: \w+)? (?:benefit|advantage|success|improvement)\b"
    r"|(?:(?!\bp ?<)[^;]){0,120}?\(p ?[=>] ?0?\.[1-9]",  # the first p value behind the names
    re.IGNORECASE,
)
INDEPENDENT = re.compile(r"[- ]independent\b")
ANNOUNCED = re.compile(
    r"(?:\[|(?:the|a|an) )?(?:(?!therap|protect|benefi|favou?r|inhibit|anti|toxic|adverse)[\w-]+ ){0,2}"
    r"(?:effects?|influence|impact|evaluation|assessment|comparison|investigation"
    r"|role|use|safety|pharmacokinetics|trial|study|phase [1-4ivab/]+ (?:study|trial)) of\b"
    r"|.*\b(?:versus|vs\.?|compared (?:with|to)|protocol (?:of|for)|rationale and design)\b",
    re.IGNORECASE,
)
VERB = re.compile(
    r"(?<![-\w])(?:is|are|was|were|has|have|had|can|will|does|did|(?:show|reveal|indicat|demonstrat|confirm|suggest|induc|caus|reduc"
    r"|improv|prevent|attenuat|inhibit|increas|decreas|protect|ameliorat|alleviat|suppress|enhanc|reliev|revers|abolish"
    r"|promot|predict|occurr|develop|receiv|experienc|achiev|requir|remain|exacerbat|worsen|lower|lessen|rais|slow|restor|block|delay|provok|trigger|produc)e?(?:s|d|ed|es)"
    r"|led|leads|arose|rose|fell)\b",
    re.IGNORECASE,
)
TARGET = re.compile(r"\b(?:therapeutic|drug) targets?\b", re.IGNORECASE)  # of a treatment, and none itself
FREE_OF = re.compile(r"\bfree of\b")
CUES = Rules(Path(__file__).with_name("statement_cues.tsv"))
Span = tuple[int, int]
ONE_SENTENCE = str.maketrans(".!?\n", ",,, ")  # so that the matcher does not split what has been split already


def status_of(sentence: str, first: Span, second: Span, *, relation: str = "") -> str:
    """The status of the relation of two names, given by their characters.

    >>> status_of("Aspirin did not prevent stroke.", (0, 7), (24, 30))
    'denied'
    >>> status_of("We asked whether aspirin prevents stroke.", (17, 24), (34, 40))
    'speculative'
    >>> status_of("Aspirin prevented stroke, which statins did not.", (0, 7), (18, 24))
    'stated'
    >>> status_of("A man with gout took aspirin.", (21, 28), (11, 15), relation="treats")
    'given'
    """
    (_, end), (start, until) = sorted((first, second))
    if JOINED.fullmatch(sentence[end:start]):
        return STATED
    if sentence.rstrip().endswith("?") or (ANNOUNCED.match(sentence) and not VERB.search(sentence)):
        return SPECULATIVE
    if DENIED_AFTER.match(sentence, until) or any(INDEPENDENT.match(sentence, after) for after in (end, until)):
        return DENIED
    names = sentence[:until]
    for one, other in (first, second):  # "heart failure to" is no cue
        names = names[:one] + "x" * (other - one) + names[other:]
    read = names.translate(ONE_SENTENCE)
    treats = relation == TREATS
    if treats and TARGET.search(sentence, end, start):
        return SPECULATIVE
    if treats:  # "kept them free of seizures" is an effect
        read = FREE_OF.sub("rid of", read)
    marks = mark(read, [(len(read), len(read))], rules=CUES)[0]
    if marks.uncertain or marks.negated:
        return SPECULATIVE if marks.uncertain else DENIED
    is_setting = SETTINGS.get(relation)
    return GIVEN if is_setting is not None and is_setting(sentence, second) else STATED
