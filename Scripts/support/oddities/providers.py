"""All issuers of a run behind one port, and the walks through them."""

import concurrent.futures

from issuer import Issuer
from walk import walk
from wire import Server, page

# The machine has few processors, and most of a walk is the tool's own work.
AT_ONCE = 2

DISCOVERY = "/.well-known/openid-configuration"
METADATA = "/.well-known/oauth-authorization-server"


class Services:
    """All issuers of a run behind one port, told apart by the first part of the path."""

    def __init__(self, scenarios):
        self.server = Server(self.handle)
        self.base = f"http://127.0.0.1:{self.server.port}"
        self.issuers = {scenario.name: Issuer(self.base, scenario) for scenario in scenarios}
        if len(self.issuers) != len(scenarios):
            raise ValueError("two scenarios have one name, and a service is found by it")

    def handle(self, request):
        if request.path.startswith(METADATA + "/"):
            name, place = request.path[len(METADATA) + 1 :].rstrip("/"), "metadata"
        else:
            name, _, place = request.path.lstrip("/").partition("/")
            place = "discovery" if "/" + place.lstrip("/") == DISCOVERY else place
        issuer = self.issuers.get(name)
        return issuer.handle(request, place) if issuer else page(404)


def walks(tool, scenarios):
    """Walks all scenarios, and yields each with what is wrong, or None, and its issuer."""
    issuers = Services(scenarios).issuers.values()
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        yield from zip(scenarios, pool.map(lambda issuer: walk(tool, issuer), issuers), issuers)
