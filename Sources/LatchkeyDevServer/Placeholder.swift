// LatchkeyDevServer.
