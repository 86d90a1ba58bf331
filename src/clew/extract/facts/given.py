"""Whether a disease is only the setting of what a sentence says: people who have it were given a drug, which is no
statement that it helps, or a gene was studied in cells of it.

"Adults with gout were assigned to aspirin" and "he took aspirin for gout" name who took it and why; "gout was treated
with aspirin" and "aspirin relieved gout" state the relation.
"""

import re

__all__ = ["is_only_given", "is_only_of_cells"]

Span = tuple[int, int]
OF_PEOPLE = re.compile(
    r"\b(?:patients?|adults?|m[ae]n|wom[ae]n|males?|females?|boys?|girls?|child(?:ren)?|infants?|volunteers?|participants?"
    r"|subjects?|people|persons?|individuals?|survivors?|inpatients?|outpatients?|carriers?|users?|cases?)\b"
    r"(?: [\w/-]+){0,4}?,? (?:with|having|suffering from|diagnosed with|cured of)(?: [\w,/()'’-]+){0,8} ?\Z",
    re.IGNORECASE,
)
TAKEN_FOR = re.compile(
    r"\b(?:taking|took|taken|receiving|using|given|prescribed|(?:was|were|been|being|also) (?:put )?on)\b[^.;:]{0,60}?"
    r"\b(?:for|because of|on account of)(?: (?:his|her|their|the|a|an|long-standing|known|chronic|severe)){0,3}"
    r"(?: [^.;:()]{1,60} \(| ?)\Z",
    re.IGNORECASE,
)
EFFECT = re.compile(
    r"\b(?:treat|therap|effective|efficac|improv|reduc|decreas|reliev|relief|prevent|prophyla|remission|respon|benefi"
    r"|resol|cur(?:e|ed|es|ing|ative)\b|protect|allevi|amelior|attenuat|suppress|inhibit|abolish|control|recover|heal|shorten"
    r"|lower|lessen|clear|surviv|success|against\b|useful|indicat|recommend|approv|licen[sc]e|establish|manag|regress|halv"
    r"|disappear|free of|combat|rescue|restor|revers|option|mainstay|first[- ]line|drug of choice|mitigat|diminish"
    r"|counter|abrogat|slow|delay)",
    re.IGNORECASE,
)


def is_only_given(sentence: str, disease: Span) -> bool:
    """Whether the sentence names a disease only as that of people who took something, or as the reason to take it.

    >>> is_only_given("Women with gout were assigned to aspirin.", (11, 15))
    True
    >>> is_only_given("She had been taking aspirin for gout.", (32, 36))
    True
    >>> is_only_given("In women with gout aspirin shortened attacks.", (14, 18))
    False
    """
    named = OF_PEOPLE.search(sentence, 0, disease[0]) or TAKEN_FOR.search(sentence, 0, disease[0])
    return named is not None and EFFECT.search(sentence[: named.start()] + sentence[disease[1] :]) is None


OF_CELLS = re.compile(r"(?: cancer| tumou?r)?[- ]cells?\b")
CHANGED = re.compile(
    r"\b(?:expression|(?:over|up|down)-?(?:express|regulat)|proliferat|migrat|invas|invad|growth|apopto|metasta|prognos"
    r"|tumou?rigen|surviv|resistan|mutat|promot|suppress|progress)",
    re.IGNORECASE,
)


def is_only_of_cells(sentence: str, disease: Span) -> bool:
    """Whether a disease is named as that of cells, and nothing is said of what happens to them.

    >>> is_only_of_cells("RBFOX2 mediates splicing in hepatoma cells.", (28, 36))
    True
    >>> is_only_of_cells("Silencing of HTR1E in melanoma cells promotes growth.", (22, 30))
    False
    """
    return OF_CELLS.match(sentence, disease[1]) is not None and CHANGED.search(sentence) is None
