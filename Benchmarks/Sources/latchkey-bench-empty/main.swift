// The reference for the row `tool-token`: an empty program of the modules that the tool has.
