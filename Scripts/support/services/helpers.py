"""git, kubectl and the AWS program with the tokens of `latchkey credential`, at servers that revoke a token."""

import os

from gates import ClusterServer, Gate, GitServer, RoleServer, known_to
from programs import PATIENCE, find, text
from servers import Visitor


class Home:
    """A home in which the tool is signed in, and in which other programs run."""

    def __init__(self, programs, tool, server, name, *options):
        self.programs, self.tool, self.server, self.name = programs, tool, server, name
        login = programs.start(
            [tool, "login", "--issuer", server.issuer, "--client-id", server.client, "--no-browser", *options], name)
        Visitor().open(find(login, r"http://127\.0\.0\.1:\d+/\S*response_type=\S+"))
        if login.wait(PATIENCE) != 0:
            raise RuntimeError(f"nobody is signed in: {text(login)}")
        self.path = programs.environment(name)["HOME"]

    def run(self, *words, **options):
        return self.programs.run(list(words), self.name, **options)

    def must(self, *words, **options):
        status, said = self.run(*words, **options)
        if status != 0:
            raise RuntimeError(f"{' '.join(words)} ends with {status}: {said}")
        return said.strip()


def git(programs, tool, server):
    """Clones and pushes; then the server revokes the token, and git says so and asks again."""
    folder = os.path.join(programs.folder, "repositories")
    os.makedirs(folder)
    gate = Gate(known_to(server))
    origin = GitServer(programs, gate, folder)
    home = Home(programs, tool, server, "git", "--allow-origin", origin.origin)
    options = {"environment": {
        "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.test",
        "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.test"}}
    results = {}

    def call(*words):
        return home.run("git", *words, **options)

    def must(*words):
        return home.must("git", *words, **options)

    must("config", "--global", "credential.helper", f"!{tool} credential git")
    must("init", "--quiet", "--bare", os.path.join(folder, "a.git"))
    must("-C", os.path.join(folder, "a.git"), "config", "http.receivepack", "true")
    work = os.path.join(home.path, "work")
    yield "clone", must("clone", "--quiet", f"{origin.origin}/a.git", work) and None
    with open(os.path.join(work, "file"), "w", encoding="utf-8") as file:
        file.write("content\n")
    must("-C", work, "add", "file")
    must("-C", work, "commit", "--quiet", "--message=First")
    must("-C", work, "push", "--quiet", "origin", "HEAD:main")
    yield "push", None if os.path.exists(os.path.join(folder, "a.git/refs/heads/main")) else "nothing has arrived"
    # A server that asks for a password alone gets the token as one.
    origin.challenges = ['Basic realm="git"']
    must("-C", work, "fetch", "--quiet")
    yield "basic", None if origin.schemes[-1] == "basic" else f"it came as {origin.schemes[-1]}"
    origin.challenges = ["Bearer", 'Basic realm="git"']
    revoked = gate.revoke()
    status, said = call("-C", work, "fetch", "--quiet")
    yield "refused", None if status != 0 and gate.refused[-1] == revoked else f"git ends with {status}: {said}"
    yield "erase", None if home.must(tool, "token") != revoked else "the tool still has the refused token"
    status, said = call("-C", work, "fetch", "--quiet")
    yield "again", None if status == 0 and gate.accepted[-1] != revoked else f"git ends with {status}: {said}"
    # Once the session has ended, git asks nobody for a name and a password.
    server.end_session()
    gate.revoke()
    call("-C", work, "fetch", "--quiet")
    status, said = call("-C", work, "fetch", "--quiet")
    yield "ended", None if status == 128 and "told us to quit" in said and "latchkey login" in said else said


def kubectl(programs, tool, server):
    """Gets pods; then the cluster revokes the token, and kubectl runs the plugin again."""
    gate = Gate(known_to(server))
    cluster = ClusterServer(programs, gate)
    home = Home(programs, tool, server, "kubectl")
    for words in (
        ("set-cluster", "c", f"--server={cluster.origin}", f"--certificate-authority={cluster.authority}"),
        ("set-credentials", "me", "--exec-api-version=client.authentication.k8s.io/v1beta1", f"--exec-command={tool}",
         "--exec-arg=credential", "--exec-arg=kubectl"),
        ("set-context", "x", "--cluster=c", "--user=me"), ("use-context", "x"),
    ):
        home.must("kubectl", "config", *words)
    pods = ("kubectl", "get", "pods", "-o", "name")
    yield "get", None if home.must(*pods) == "pod/one" else "no pod"
    # A kubectl with several clients in it asks several times, which its first calls show.
    home.must(*pods)
    revoked = gate.revoke()
    home.run(*pods)
    yield "refused", None if gate.refused[-1] == revoked else "the cluster refused nothing"
    status, said = home.run(*pods)
    yield "again", None if status == 0 and gate.accepted[-1] != revoked else f"kubectl ends with {status}: {said}"


def awscli(programs, tool, server):
    """Asks who it is, by a role's keys; then STS revokes the ID token."""
    gate = Gate(lambda token: token.count(".") == 2)
    sts = RoleServer(programs, gate)
    home = Home(programs, tool, server, "aws")
    os.makedirs(os.path.join(home.path, ".aws"))
    with open(os.path.join(home.path, ".aws/config"), "w", encoding="utf-8") as file:
        file.write("[default]\nregion = eu-central-1\n"
                   f"credential_process = {tool} credential aws --role-arn arn:aws:iam::123456789012:role/me"
                   f" --endpoint {sts.origin}\n")
    ask = ("aws", "sts", "get-caller-identity", "--endpoint-url", sts.origin, "--query", "Arn", "--output", "text")
    arn = "arn:aws:sts::123456789012:assumed-role/me/latchkey"
    options = {"environment": {"AWS_EC2_METADATA_DISABLED": "true", "AWS_PAGER": ""}}
    yield "identity", None if home.must(*ask, **options) == arn else "another one"
    revoked = gate.revoke()
    status, said = home.run(*ask, **options)
    good = status == 0 and said.strip() == arn and gate.refused[-1] == revoked and gate.accepted[-1] != revoked
    yield "refused", None if good else f"aws ends with {status}: {said}"


def prove(programs, tool, server):
    """Runs all three, and prints a line for each: whether all went as they must."""
    good = True
    for proof in (git, kubectl, awscli):
        results, wrong = {}, None
        try:
            for name, problem in proof(programs, tool, server):
                results[name], wrong = "failed" if problem else "ok", wrong or problem
        except RuntimeError as error:
            results["run"], wrong = "failed", str(error)
        if wrong:
            print(f"  {proof.__name__}: {wrong.strip()}")
        if results.get("refused") == "ok":
            results["refused"] = "refreshed" if results.get("again", "ok") == "ok" else "failed"
        results.pop("again", None)
        print(f"{proof.__name__} " + " ".join(f"{name}={result}" for name, result in results.items()), flush=True)
        good = good and not wrong
    return good
