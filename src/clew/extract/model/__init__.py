"""GraphMERT: an encoder over leafy chain graphs, in torch. Import its modules where torch may be loaded."""
