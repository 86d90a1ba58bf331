"""PubMed records made for tests."""

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE PubmedArticleSet PUBLIC "x" "http://nowhere.invalid/x.dtd">\n'
ARTICLE = """<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">{number}</PMID><Article>
<ArticleTitle>{title}</ArticleTitle><Abstract><AbstractText Label="BACKGROUND">Gout &amp; <i>pain</i> H<sub>2</sub>O.
</AbstractText><AbstractText>{text}</AbstractText></Abstract><Language>{language}</Language></Article>
<MeshHeadingList><MeshHeading><DescriptorName>{mesh}</DescriptorName></MeshHeading></MeshHeadingList>
</MedlineCitation></PubmedArticle>"""


def article(
    number: object, *, title: str = "On gout.", text: str = "It hurts.", language: str = "eng", mesh: str = "Humans"
) -> str:
    return ARTICLE.format(number=number, title=title, text=text, language=language, mesh=mesh)


def article_set(*articles: str) -> str:
    return HEAD + "<PubmedArticleSet>\n" + "\n".join(articles) + "\n</PubmedArticleSet>"
