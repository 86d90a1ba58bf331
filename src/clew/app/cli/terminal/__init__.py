"""What commands share: options, output, progress, questions to the user, errors in the words of the command line."""
