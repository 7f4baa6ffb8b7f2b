"""The network between an app and its service, which can be cut and mended."""

import socket
import threading


class Wire:
    """Passes on what comes to a port of its own. While it is cut, connections are refused, and those there were are gone."""

    def __init__(self, target):
        self.target = target
        self.ends = set()
        self.port = 0
        self.mend()

    def mend(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def cut(self):
        self.close(self.listener)
        for end in list(self.ends):
            self.close(end)

    @staticmethod
    def close(end):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        end.close()

    def accept(self, listener):
        while True:
            try:
                near, _ = listener.accept()
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            self.ends |= {near, far}
            for ends in ((near, far), (far, near)):
                threading.Thread(target=self.pump, args=ends, daemon=True).start()

    def pump(self, source, sink):
        try:
            while data := source.recv(65536):
                # The server answers to its own name only.
                sink.sendall(data.replace(b"ost: 127.0.0.1:%d" % self.port, b"ost: 127.0.0.1:%d" % self.target))
        except OSError:
            pass
        for end in (source, sink):
            self.close(end)
            self.ends.discard(end)
