"""Pages and JSON of web frameworks in place of the token endpoint's answer, and lists that lack what works."""

from scenario import OWN, Scenario, with_members, without
from table_gateways import passes
from wire import Answer, answer, page

FRAMEWORKS = [
    passes(
        "django-csrf",
        "Django answers 403 with its page about a missing CSRF token",
        "https://docs.djangoproject.com/en/5.2/ref/csrf/",
        page(403, "<html><title>403 Forbidden</title><h1>Forbidden</h1><p>CSRF verification failed.</p></html>"),
    ),
    passes(
        "rails-422",
        "Rails answers 422 with its page",
        "https://guides.rubyonrails.org/security.html#cross-site-request-forgery-csrf",
        page(422, "<html><title>The change you wanted was rejected (422)</title></html>"),
    ),
    passes(
        "laravel-419",
        "Laravel answers 419 with its page",
        "https://laravel.com/docs/csrf",
        page(419, "<html><title>Page Expired</title></html>"),
    ),
    passes(
        "express-404",
        "Express answers 404 with its page",
        "recorded: jmondi-oauth2-server 4.3.7, misc",
        page(404, "<html><title>Error</title><pre>Cannot POST /token</pre></html>"),
    ),
    passes(
        "go-404",
        "Go's mux answers 404 with a line of text",
        "recorded: Dex ab64ed77, misc",
        Answer(404, b"404 page not found\n", [("Content-Type", "text/plain; charset=utf-8")]),
    ),
    passes(
        "spring-500",
        "Spring answers 500 with JSON whose `error` is the status",
        "https://docs.spring.io/spring-boot/reference/web/servlet.html#web.servlet.spring-mvc.error-handling",
        answer({"timestamp": "2026-11-26", "status": 500, "error": "Internal Server Error", "path": "/token"}, 500),
    ),
    passes(
        "spring-404",
        "Spring answers 404 with JSON whose `error` is the status",
        "https://docs.spring.io/spring-boot/reference/web/servlet.html#web.servlet.spring-mvc.error-handling",
        answer({"timestamp": "2026-11-26", "status": 404, "error": "Not Found", "path": "/token"}, 404),
    ),
    passes(
        "spring-login",
        "the token endpoint sends on to the sign-in page",
        "recorded: Spring Authorization Server 7.1.2, misc",
        Answer(302, b"", [("Location", "/login")]),
    ),
    passes(
        "aspnet-400",
        "ASP.NET answers 400 with problem details",
        "https://www.rfc-editor.org/rfc/rfc9457",
        answer({"type": "about:blank", "title": "One or more errors occurred.", "status": 400}, 400),
    ),
    passes(
        "fastapi-422",
        "FastAPI answers 422 with what is wrong with the form",
        "https://fastapi.tiangolo.com/tutorial/handling-errors/",
        answer({"detail": [{"loc": ["body", "grant_type"], "msg": "field required", "type": "value_error"}]}, 422),
    ),
    passes(
        "nest-404",
        "NestJS answers 404 with JSON whose `error` is the status",
        "https://docs.nestjs.com/exception-filters",
        answer({"statusCode": 404, "message": "Cannot POST /token", "error": "Not Found"}, 404),
    ),
    passes(
        "sentence-403",
        "the `error` is a sentence",
        "recorded: Keycloak 26.7.3, refresh with an unregistered Origin",
        answer({"error": "Invalid origin"}, 403),
    ),
    passes(
        "lost-race",
        "the loser of two refreshes gets 500 without a body",
        "recorded: better-auth 1.7.25, four at once",
        Answer(500),
    ),
]

LISTS = [
    Scenario(
        "list-of-grants",
        "the document lists no refresh_token among the grants",
        OWN,
        document=with_members(grant_types_supported=["authorization_code"]),
    ),
    Scenario(
        "list-of-algorithms",
        "the document lists another algorithm than ID tokens have",
        OWN,
        document=with_members(id_token_signing_alg_values_supported=["HS256"]),
    ),
    Scenario(
        "list-of-challenges",
        "the document does not list S256",
        OWN,
        document=without("code_challenge_methods_supported"),
    ),
    Scenario(
        "list-of-claims",
        "the document lists no claim but sub",
        "recorded: Ory Hydra 83127c575, discovery",
        document=with_members(claims_supported=["sub"]),
    ),
    Scenario(
        "list-of-prompts",
        "the document lists no prompt that is sent",
        OWN,
        document=with_members(prompt_values_supported=["none"]),
        words=("--prompt", "login"),
    ),
]
