// The reference of the row `tool-token`: nothing, linked to all that the tool is linked to.
