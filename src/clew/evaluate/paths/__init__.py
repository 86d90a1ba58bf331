"""Questions over chains of two or three relations, made from any graph, and how searches answer them."""
