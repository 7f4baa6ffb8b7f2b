// Tests of LatchkeyTerminal.
