"""A service over TLS whose certificate has ended, and which has signed it itself."""

import os
import shutil
import subprocess

from programs import find

CONFIGURATION = """
[ca]
default_ca = own
[own]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
x509_extensions = names
[any]
commonName = supplied
[names]
subjectAltName = DNS:localhost
"""
REQUEST = ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem", "-out",
           "request.pem", "-subj", "/CN=localhost"]
SIGNATURE = ["ca", "-batch", "-notext", "-selfsign", "-config", "authority.conf", "-keyfile", "key.pem", "-in",
             "request.pem", "-out", "company.pem", "-startdate", "20240101000000Z", "-enddate", "20250101000000Z"]


def serve_expired(programs, folder, home):
    """Puts the certificate into company.pem in `home`, and serves with it: the port."""
    for name, text in (("authority.conf", CONFIGURATION), ("index.txt", ""), ("serial", "01\n")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    for words in (REQUEST, SIGNATURE):
        subprocess.run(["openssl", *words], cwd=folder, capture_output=True, timeout=30, check=True)
    shutil.copy(os.path.join(folder, "company.pem"), home)
    server = programs.start(
        ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", "company.pem", "-key", "key.pem", "-www"], cwd=folder)
    return find(server, r"ACCEPT 127\.0\.0\.1:\d+").rpartition(":")[2]
