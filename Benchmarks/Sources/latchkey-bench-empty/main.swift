// The reference for the row `tool-token`: an empty program, linked to everything that the tool is linked to.
