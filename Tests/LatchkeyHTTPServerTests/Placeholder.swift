// Tests of LatchkeyHTTPServer.
