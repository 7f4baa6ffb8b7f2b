// Tests of LatchkeyDevServer.
