// LatchkeyTerminal.
