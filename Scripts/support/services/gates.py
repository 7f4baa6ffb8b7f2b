"""Servers on loopback that take the tool's tokens, each with a gate that can refuse one from some instant on."""

import base64
import http.server
import json
import os
import re
import ssl
import subprocess
import threading
import urllib.parse
import uuid

from servers import Visitor


class Gate:
    """Which tokens a server accepts: those that the identity server knows, and that nobody has revoked here."""

    def __init__(self, known):
        self.known, self.revoked, self.accepted, self.refused = known, set(), [], []

    def takes(self, token):
        good = bool(token) and token not in self.revoked and self.known(token)
        (self.accepted if good else self.refused).append(token)
        return good

    def revoke(self):
        """Refuses from now on the token that was accepted last."""
        self.revoked.add(self.accepted[-1])
        return self.accepted[-1]


def token_in(field):
    """The token in a field `Authorization`, as a bearer token or as a password, and the scheme."""
    scheme, _, rest = (field or "").partition(" ")
    if scheme.lower() == "basic":
        return base64.b64decode(rest).decode().partition(":")[2], "basic"
    return (rest, "bearer") if scheme.lower() == "bearer" else (None, None)


class Server:
    """A server on a free port, until the check ends."""

    def __init__(self, programs, certificate=None):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, status, body=b"", *fields):
                self.send_response(status)
                for name, value in (("Content-Length", str(len(body))), *fields):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                length = self.headers.get("Content-Length")
                outer.serve(self, self.rfile.read(int(length)) if length else self.chunks())

            do_POST = do_GET

            def chunks(self):
                body = b""
                while self.headers.get("Transfer-Encoding") == "chunked":
                    size = int(self.rfile.readline().split(b";")[0], 16)
                    body += self.rfile.read(size)
                    self.rfile.readline()
                    if size == 0:
                        break
                return body

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        scheme = "http"
        if certificate:
            scheme, context = "https", ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.origin = f"{scheme}://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


class GitServer(Server):
    """git's own server behind the gate, for the repositories in a folder."""

    def __init__(self, programs, gate, folder):
        super().__init__(programs)
        self.gate, self.folder, self.schemes = gate, folder, []
        self.challenges = ["Bearer", 'Basic realm="git"']

    def serve(self, request, body):
        token, scheme = token_in(request.headers.get("Authorization"))
        if not self.gate.takes(token):
            return request.answer(401, b"", *(("WWW-Authenticate", challenge) for challenge in self.challenges))
        self.schemes.append(scheme)
        address = urllib.parse.urlsplit(request.path)
        environment = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": self.folder, "GIT_HTTP_EXPORT_ALL": "1", "REMOTE_USER": "ada",
            "REQUEST_METHOD": request.command, "PATH_INFO": address.path, "QUERY_STRING": address.query,
            "CONTENT_TYPE": request.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""), "REMOTE_ADDR": "127.0.0.1",
        }
        made = subprocess.run(["git", "http-backend"], input=body, env=environment, stdout=subprocess.PIPE, check=False)
        head, _, content = made.stdout.partition(b"\r\n\r\n")
        fields = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n")]
        status = next((int(value.split()[0]) for name, value in fields if name == "Status"), 200)
        return request.answer(status, content, *(pair for pair in fields if pair[0] not in ("Status", "Content-Length")))


class ClusterServer(Server):
    """As much of a Kubernetes API server as `kubectl get pods` asks."""

    def __init__(self, programs, gate):
        certificate = os.path.join(programs.folder, "cluster.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", certificate, "-out",
             certificate + ".crt"], check=True, stderr=subprocess.DEVNULL)
        with open(certificate, "a", encoding="utf-8") as file, open(certificate + ".crt", encoding="utf-8") as found:
            file.write(found.read())
        super().__init__(programs, certificate)
        self.gate, self.authority = gate, certificate + ".crt"

    documents = {
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
        "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
            {"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "verbs": ["get", "list"]}]},
        "/api/v1/namespaces/default/pods": {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one", "namespace": "default"}}]},
    }

    def serve(self, request, _):
        if not self.gate.takes(token_in(request.headers.get("Authorization"))[0]):
            status, document = 401, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "Unauthorized",
                                     "reason": "Unauthorized", "code": 401}
        else:
            document = self.documents.get(request.path.partition("?")[0])
            status = 200 if document else 404
        request.answer(status, json.dumps(document or {}).encode(), ("Content-Type", "application/json"))


class RoleServer(Server):
    """As much of AWS's STS as a role by an ID token needs, and a call that is signed with the keys of that role."""

    def __init__(self, programs, gate):
        super().__init__(programs)
        self.gate, self.keys = gate, {}

    def serve(self, request, body):
        form = dict(urllib.parse.parse_qsl(body.decode()))
        found = re.search(r"Credential=([^/]+)/", request.headers.get("Authorization", ""))
        if form.get("Action") == "AssumeRoleWithWebIdentity":
            status, content = self.role(form)
        elif found and request.headers.get("X-Amz-Security-Token") == self.keys.get(found.group(1), ""):
            status, content = 200, self.wrapped(
                "GetCallerIdentity", "<Arn>arn:aws:sts::123456789012:assumed-role/me/latchkey</Arn><UserId>AROA:latchkey</UserId>"
                "<Account>123456789012</Account>")
        else:
            status, content = 403, self.refusal("InvalidClientTokenId")
        request.answer(status, content.encode(), ("Content-Type", "text/xml"))

    def role(self, form):
        if not self.gate.takes(form.get("WebIdentityToken")):
            return 400, self.refusal("InvalidIdentityToken")
        key = f"ASIA{uuid.uuid4().hex[:16].upper()}"
        self.keys[key] = uuid.uuid4().hex
        return 200, self.wrapped(
            "AssumeRoleWithWebIdentity", f"<Credentials><AccessKeyId>{key}</AccessKeyId><SecretAccessKey>{uuid.uuid4().hex}"
            f"</SecretAccessKey><SessionToken>{self.keys[key]}</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>"
            "</Credentials>")

    @staticmethod
    def wrapped(action, content):
        return (f'<{action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><{action}Result>{content}'
                f"</{action}Result><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></{action}Response>")

    @staticmethod
    def refusal(code):
        return ('<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>'
                f"<Code>{code}</Code><Message>No.</Message></Error><RequestId>1</RequestId></ErrorResponse>")


def known_to(server):
    """Whether the identity server accepts an access token."""
    return lambda token: Visitor().open(server.user_info, fields={"Authorization": f"Bearer {token}"})[0] == 200
