"""A service that answers everything without TLS, one after another: prints its port."""

import socket

with socket.create_server(("127.0.0.1", 0)) as listener:
    print(listener.getsockname()[1], flush=True)
    while True:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            # Closing before the other end has read would take the answer back.
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass
