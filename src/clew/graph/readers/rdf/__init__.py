"""RDF as a graph: IRIs become CURIEs, labels names, literals properties, and statements between IRIs triples."""
