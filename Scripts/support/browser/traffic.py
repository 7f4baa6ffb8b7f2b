"""What a page sends, to whom, and what its own policy forbade it."""

from urllib.parse import urlsplit


class Traffic:
    """The requests and the policy's complaints of one page, from its start."""

    def __init__(self, origins):
        self.origins = {origin.rstrip("/") for origin in origins}
        self.external = []
        self.violations = []

    def allow(self, origin):
        """Lets the page speak to one more origin."""
        self.origins.add(origin.rstrip("/"))

    def hear(self, method, parameters):
        if method == "Network.requestWillBeSent":
            self._request(parameters["request"]["url"])
        elif method == "Network.webSocketCreated":
            self._request(parameters["url"])
        elif method == "Network.responseReceived" and parameters["type"] == "Document":
            self._policy(parameters["response"])
        elif method == "Audits.issueAdded":
            details = parameters["issue"]["details"].get("contentSecurityPolicyIssueDetails")
            if details:
                blocked = details.get("blockedURL") or details["contentSecurityPolicyViolationType"]
                self.violations.append(f"{details['violatedDirective']}: {blocked}")

    def _policy(self, response):
        """A page has a policy, which allows nothing by default and no script."""
        if urlsplit(response["url"]).scheme != "http" or response["mimeType"] != "text/html":
            return
        fields = {name.lower(): value for name, value in response["headers"].items()}
        policy = [part.split() for part in fields.get("content-security-policy", "").split(";")]
        allowed = {part[0]: part[1:] for part in policy if part}
        if allowed.get("default-src") != ["'none'"] or allowed.get("script-src", ["'none'"]) != ["'none'"]:
            self.violations.append(f"no policy against scripts: {response['url']}")

    def _request(self, address):
        parts = urlsplit(address)
        if parts.scheme in ("data", "about", "blob"):
            return
        if f"{parts.scheme}://{parts.netloc}" not in self.origins:
            self.external.append(f"{parts.scheme}://{parts.netloc}{parts.path}")
