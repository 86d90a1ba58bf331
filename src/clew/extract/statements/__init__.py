"""Does the document state it? A document encoder that judges every pair of its entities, trained on gold relations."""
