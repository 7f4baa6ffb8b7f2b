// LatchkeyHTTPServer.
