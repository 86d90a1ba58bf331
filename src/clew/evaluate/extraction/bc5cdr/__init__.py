"""BC5CDR: chemicals that induce diseases, scored with gold mentions and end to end."""
